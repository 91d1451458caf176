"""The arrays that agreement is computed from."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
"""Ranks without gaps along the last axis, from 0; -1 is a missing value"""
Values: TypeAlias = NDArray[np.float64 | np.int32]
"""What a coefficient reads: numbers, or codes where it looks at order alone"""
Mask: TypeAlias = NDArray[np.bool_]


def together(values: Float, groups: Integers) -> Float:
    """Return the sums of the rows of each group: [rows, ...] -> [groups, ...], groups in the order of their numbers."""
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((int(numbers.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, numbers, values)
    return sums
