"""Abstract interpretation of IR: run a function over another domain, such as truncated series or sets of inputs."""
from .caller import Caller
from .rewrite import lift
from .value import Lifted, lifted_in, strip

__all__ = ["Caller", "Lifted", "lift", "lifted_in", "strip"]
