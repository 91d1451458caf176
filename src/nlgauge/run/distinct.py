"""How many distinct texts there are among millions, without holding any."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

_FEW = 1 << 16


class Distinct:
    """Counts the distinct ones of the texts that were added.

    It keeps 8 bytes of a digest of each: that two of 10 million texts share them has a chance of 3 in a million.
    """

    def __init__(self) -> None:
        self._new: set[int] = set()
        self._sorted: NDArray[np.uint64] = np.empty(0, np.uint64)

    def add(self, texts: Iterable[str]) -> None:
        """Take more texts."""
        for text in texts:
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            self._new.add(int.from_bytes(digest, "big"))
        if len(self._new) > max(_FEW, len(self._sorted)):
            len(self)

    def __len__(self) -> int:
        if self._new:
            self._sorted = np.union1d(self._sorted, np.fromiter(self._new, np.uint64, len(self._new)))
            self._new = set()
        return len(self._sorted)
