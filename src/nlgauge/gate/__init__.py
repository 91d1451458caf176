"""The gate: do scores pass a bar, and are they no worse than those of an earlier run? From tables, without a model."""

from __future__ import annotations

from nlgauge.gate.check import check
from nlgauge.gate.verdict import Outcome, Regression, Verdict
from nlgauge.gate.words import Unsupported

__all__ = ["Outcome", "Regression", "Unsupported", "Verdict", "check"]
