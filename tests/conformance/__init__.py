"""The tape against PyTorch 2.13: the same lines run on both, and everything that can be observed is compared."""
