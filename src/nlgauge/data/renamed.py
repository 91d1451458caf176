"""Where parameters and sub-scores of metrics went, for errors about their old places."""

from __future__ import annotations

_OF_THE_GATE = frozenset({"probability", "least_stretch", "unsupported", "decided", "then", "unsure"})


def now_of(spec: str, name: str) -> str | None:
    """Return the metric that has a parameter or a sub-score now; None where it has not moved.

    Args:
        spec: the metric that had it, with or without parameters.
        name: the parameter or the sub-score.

    Returns:
        The name of a metric, or None.
    """
    return "Faithfulness" if spec.partition("(")[0] == "Consistency" and name in _OF_THE_GATE else None
