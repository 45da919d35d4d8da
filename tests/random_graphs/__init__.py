"""Random programs on the tape, run on transgrad and on PyTorch; everything that can be observed is compared after each step."""
