"""Runs IR on other values than numbers: each call goes through a `Caller`, which knows what to do with them."""
from .caller import Caller
from .rewrite import lift
from .value import Lifted, lifted_in, strip

__all__ = ["Caller", "Lifted", "lift", "lifted_in", "strip"]
