"""The page of a gate: how many answers fail, which, and why."""

from nlgauge.reports.gate.page import Earlier, gate_page, write_verdicts

__all__ = ["Earlier", "gate_page", "write_verdicts"]
