"""Parameters and sub-scores that moved to another metric, for errors about the old metric."""

from __future__ import annotations

_OF_THE_GATE = frozenset({"probability", "least_stretch", "unsupported", "decided", "then", "unsure"})


def now_of(spec: str, name: str) -> str | None:
    """Return the metric that a parameter or a sub-score moved to; None where it has not moved.

    Args:
        spec: the spec of the old metric, with or without parameters.
        name: the parameter or the sub-score.

    Returns:
        The name of a metric, or None.
    """
    return "Faithfulness" if spec.partition("(")[0] == "Consistency" and name in _OF_THE_GATE else None
