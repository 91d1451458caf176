"""The tables of trust, on the terminal and on the page: by aspect, decisions, scales, and what else is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from nlgauge.render.tables import Cell, Number
from nlgauge.stats.trust import Trust, Trusts

_Column = tuple[str, Callable[[Trust], Cell]]
_NONE = "-"


def tables(found: Trusts, aspect: str, risk: float | None = None, page: bool = False) -> Iterator[list[list[Cell]]]:
    """Yield tables with a line for each scorer. Columns in which no scorer has anything are left out.

    Args:
        risk: of the certified threshold, for its head.
        page: whether there is room for more columns than a terminal has.
    """
    lines = [one for one in found if one.aspect == aspect and not one.reason]
    decided = [one for one in lines if one.bad is not None]
    decisions: list[_Column] = [
        ("bad stopped (TPR)", _three("tpr")), ("good passed (TNR)", _three("tnr")), ("kappa", _one("kappa")),
        ("AUROC", _three("auroc")),
    ]  # fmt: skip
    likely: list[_Column] = [("Brier", _one("brier", 3)), ("ECE", _three("ece"))]
    scales: list[_Column] = [
        ("Pearson", _three("pearson")), ("Spearman", _one("spearman")), ("Kendall", _one("kendall")),
        ("PDP", _three("pdp")),
    ]  # fmt: skip
    ratings: list[_Column] = [
        ("rated", _one("rated", 0)), ("effective", _one("effective", 0)), ("threshold", _one("threshold", 4)),
        *([("threshold is", lambda one: one.threshold_from or _NONE)] if page else []),
        ("certified" if risk is None else f"certified at risk {risk:g}", _one("certified", 4)),
        *([("pass the certified", _one("certified_passing"))] if page else []),
        ("not better than", lambda one: ", ".join(one.unbeaten) or _NONE),
        *([("bad of all rows" if decided else "mean of all rows", _three("mean"))] if page else []),
    ]  # fmt: skip
    runs: list[_Column] = [
        ("may stand in", _stands), ("changes its mind", _three("flips")),
        ("moved", lambda one: Number(one.moved, one.moved_low, one.moved_high, one.moved_p)),
        ("decided otherwise", _three("changed")),
    ]  # fmt: skip
    for some, columns in (
        (decided, decisions), ([one for one in decided if not math.isnan(one.brier)], likely),
        ([one for one in lines if one.bad is None], scales), (lines, ratings),
        ([one for one in lines if one.won or one.repeated or one.anchors], runs),
    ):  # fmt: skip
        shown = [(head, cell) for head, cell in columns if any(not empty(cell(one)) for one in some)]
        if shown:
            heads: list[Cell] = [aspect, *(head for head, _ in shown)]
            yield [heads, *([one.metric, *(cell(one) for _, cell in shown)] for one in some)]


def empty(cell: Cell) -> bool:
    """Whether a cell says nothing."""
    return cell == _NONE if isinstance(cell, str) else math.isnan(cell.value)


def _one(name: str, digits: int = 2) -> Callable[[Trust], Cell]:
    return lambda one: Number(getattr(one, name), digits=digits)


def _three(name: str) -> Callable[[Trust], Cell]:
    return lambda one: Number(getattr(one, name), getattr(one, f"{name}_low"), getattr(one, f"{name}_high"), digits=2)


def _stands(one: Trust) -> Cell:
    if not one.won:
        return _NONE
    return f"{'not known' if one.stand_in is None else 'yes' if one.stand_in else 'no'} ({one.won})"


def legend(found: Trusts) -> Sequence[str]:
    """Return what the numbers are of, a sentence each."""
    several = len({one.aspect for one in found}) > 1
    said = []
    for one in found:
        name = f"{one.metric}, {one.aspect}" if several else one.metric
        if one.reason:
            said.append(f"{name}: {one.reason}")
        if one.unscored and not one.reason:
            said.append(f"{name}: {one.unscored} of {one.rated} rated rows have no score")
        if one.not_certified:
            said.append(f"{name}: {one.not_certified}")
        if one.threshold_from == "chosen on these ratings":
            said.append(
                f"{name}: the threshold has the best balanced accuracy on these ratings; TPR, TNR and kappa are "
                "cross-fitted, and the intervals hold for any threshold; --threshold gives another"
            )
    return said
