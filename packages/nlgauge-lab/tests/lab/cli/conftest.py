"""Fixtures of the rooms whose commands are tested here."""

from __future__ import annotations

from lab.reproduce.conftest import counting, folder

__all__ = ["counting", "folder"]
