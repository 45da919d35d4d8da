"""Programs as people write them for torch.autograd, run unchanged."""
