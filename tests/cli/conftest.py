"""Fixtures of the rooms whose commands are tested here."""

from __future__ import annotations

from tests.lab.reproduce.conftest import counting, folder

__all__ = ["counting", "folder"]
