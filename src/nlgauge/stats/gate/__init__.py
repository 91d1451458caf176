"""The gate: do scores pass a bar, and are they no worse than those of an earlier run? From tables, without a model."""

from __future__ import annotations

from nlgauge.stats.gate.check import check
from nlgauge.stats.gate.verdict import Outcome, Regression, Unsupported, Verdict

__all__ = ["Outcome", "Regression", "Unsupported", "Verdict", "check"]
