"""Random numbers: for a seed, the same ones as torch's on the CPU (a Mersenne twister, read the same way)."""
from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

__all__ = ["DEFAULT", "Generator"]

Array = np.ndarray[Any, Any]
#: how many low bits of a word make a uniform number, by dtype
_BITS = {"float16": 24, "bfloat16": 24, "float32": 24, "float64": 53}
_LONG = 1 << 28     # ranges from here on take two words a number


class Generator:
    """A stream of random numbers.

    Examples
    --------
    >>> g = Generator().manual_seed(0)
    >>> g.initial_seed()
    0
    """

    def __init__(self, device: Any = "cpu"):
        self.device = device
        self._lock = threading.RLock()
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int) -> "Generator":
        """Start the stream of a seed."""
        if not -1 << 63 <= int(seed) < 1 << 64:
            raise ValueError("Overflow when unpacking long long: a seed has 64 bits")
        with self._lock:
            self._seed = int(seed)
            self._state = np.random.RandomState(self._seed & 0xFFFFFFFF)
            self._words: Any = self._state._bit_generator
            self._next: float | None = None
        return self

    def seed(self) -> int:
        """Start the stream of a seed that cannot be foreseen, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the stream was started with."""
        return self._seed

    def get_state(self) -> dict[str, Any]:
        """All that is needed to go on from here."""
        return {"seed": self._seed, "words": self._words.state, "next": self._next}

    def set_state(self, state: dict[str, Any]) -> "Generator":
        """Goes on from where `get_state` was called."""
        with self._lock:
            self._seed, self._words.state, self._next = state["seed"], state["words"], state["next"]
        return self

    def words(self, n: int) -> Array:
        """The next ``n`` words of 32 bits."""
        with self._lock:
            return self._words.random_raw(n).astype(np.uint64)      # type: ignore[no-any-return]

    def long_words(self, n: int) -> Array:
        """The next ``n`` pairs of words, the first of each the high one."""
        pairs = self.words(2 * n)
        return (pairs[0::2] << np.uint64(32)) | pairs[1::2]

    def uniform(self, n: int, dtype: Any) -> Array:
        """``n`` numbers in [0, 1)."""
        bits = _BITS[np.dtype(dtype).name]
        words = self.long_words(n) if bits > 32 else self.words(n)
        return ((words & np.uint64((1 << bits) - 1)) * 2.0 ** -bits).astype(dtype)

    def doubles(self, n: int) -> Array:
        """``n`` numbers in [0, 1) of double precision."""
        return self.uniform(n, np.float64)

    def normal(self, n: int, dtype: Any) -> Array:
        """``n`` numbers of the standard normal distribution."""
        if n < 16:
            return np.array([self._one_normal() for _ in range(n)], dtype)
        out = self.uniform(n, dtype)
        for start in range(0, n - 15, 16):
            out[start:start + 16] = _turned(out[start:start + 16])
        if n % 16:
            out[-16:] = _turned(self.uniform(16, dtype))
        return out

    def _one_normal(self) -> float:
        with self._lock:
            if self._next is not None:
                found, self._next = self._next, None
                return found
            u, v = self.doubles(2).tolist()
            radius, angle = np.sqrt(-2.0 * np.log1p(-v)), 2.0 * np.pi * u
            self._next = float(radius * np.sin(angle))
            return float(radius * np.cos(angle))

    def normals(self, n: int) -> Array:
        """``n`` normal numbers, drawn one by one in double precision."""
        return np.array([self._one_normal() for _ in range(n)])

    def integers(self, low: int, high: int, n: int) -> Array:
        """``n`` integers in [low, high)."""
        span = high - low
        words = self.long_words(n) if span >= _LONG else self.words(n)
        return (words % np.uint64(span)).astype(np.int64) + low

    def permutation(self, n: int) -> Array:
        """The integers below ``n``, shuffled."""
        order = np.arange(n)
        for i, word in enumerate(self.words(max(n - 1, 0)).tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return order

    def exponential(self, n: int) -> Array:
        """``n`` numbers of the exponential distribution with rate 1."""
        return -np.log1p(-self.doubles(n))

    def poisson(self, rates: Array) -> Array:
        """A number of each Poisson distribution (of NumPy's algorithm, on this stream's words)."""
        return self._state.poisson(rates)

    def binomial(self, counts: Array, probabilities: Array) -> Array:
        """A number of each binomial distribution, by NumPy's algorithm."""
        return self._state.binomial(counts, probabilities)



def _turned(u: Array) -> Array:
    """Sixteen normal numbers of sixteen uniform ones."""
    radius, angle = np.sqrt(-2 * np.log(1 - u[:8])), 2 * np.pi * u[8:]
    return np.concatenate((radius * np.cos(angle), radius * np.sin(angle)))


DEFAULT = Generator()
