"""Every example of torch.autograd's documents, with the output that the documents show."""
