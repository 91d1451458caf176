"""What was computed once, kept by content."""

from __future__ import annotations

from nlgauge.run.store.store import Store, opened

__all__ = ["Store", "opened"]
