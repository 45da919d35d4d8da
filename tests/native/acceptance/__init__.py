"""Plain user programs, none of which was written for Numba: what the Numba back end accepts of them."""
