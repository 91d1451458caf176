"""Types of the arrays that statistics are computed from."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
"""Codes for values, from 0 without gaps, in the order of the values along the last axis; -1 is a missing value"""
Values: TypeAlias = NDArray[np.float64 | np.int32]
"""The arguments of a coefficient: numbers, or codes if it uses only their order"""
Mask: TypeAlias = NDArray[np.bool_]


def together(values: Float, groups: Integers) -> Float:
    """Return the sum of each group of rows, in the order of the groups' numbers: [rows, ...] -> [groups, ...]."""
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((int(numbers.max(initial=-1)) + 1, *values.shape[1:]))
    np.add.at(sums, numbers, values)
    return sums
