"""Fixtures of the rooms whose commands are tested here."""

from __future__ import annotations

from tests.reproduce.conftest import counting, folder

__all__ = ["counting", "folder"]
