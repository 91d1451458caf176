"""A spec that the contract tests check, and what is to be expected of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A spec to check."""

    spec: str
    published: bool = False
    """Whether it was asked to do as some published code does, to which an empty text is perfect and an equal one not"""
    of_empty: bool = False
    """Whether it has something to say of an empty text"""
    torch: bool = False
    """Whether its model is run by torch"""

    def __str__(self) -> str:
        return self.spec
