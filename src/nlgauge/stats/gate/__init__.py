"""The gate: whether scores pass a threshold and are no worse than those of an earlier run. Needs no model."""

from __future__ import annotations

from nlgauge.stats.gate.check import check
from nlgauge.stats.gate.verdict import Outcome, Regression, Unsupported, Verdict

__all__ = ["Outcome", "Regression", "Unsupported", "Verdict", "check"]
