"""nlgauge trust."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import ASPECT, IN_FORMATS, PLACE, REPLICATES
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import beside, on_some_ratings, say, show_tables
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import SpecError
from nlgauge.render.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.stats.trust import Trust, Trusts

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(short_help="How far to trust each scorer, from people's ratings of some rows.")
@on_some_ratings
@click.option("-m", "--metric", "metrics", multiple=True, help="A scorer of the table; repeatable; all by default.")
@ASPECT
@click.option("--below", type=float, metavar="X", help="Rows rated below X are bad; where ratings are not 0 or 1.")
@click.option("--threshold", "limits", multiple=True, metavar="METRIC=X",
              help="The threshold of a scorer, in place of its own or of the best on these ratings.")  # fmt: skip
@click.option("--probability", "probabilities", multiple=True, metavar="METRIC",
              help="A scorer whose numbers are probabilities that a row is good; repeatable.")  # fmt: skip
@click.option("--risk", type=_SHARE, default=0.1, show_default=True,
              help="Of the certified threshold: at most this share of passing rows is bad.")  # fmt: skip
@click.option("--confidence", type=_SHARE, default=0.9, show_default=True, help="Confidence that it is kept.")
@click.option("--rater", "rater_aspects", multiple=True,
              help="Aspect that holds one rater's ratings; give it for each rater, but of a project.")  # fmt: skip
@click.option("--epsilon", type=click.FloatRange(0, 1, max_open=True), default=0.2, show_default=True,
              help="By how much a stand-in for a rater may be worse; 0.2 for experts, 0.1 for the crowd.")  # fmt: skip
@click.option("--before", type=PLACE, help="Scores of an earlier run of some of these rows: which scorers moved.")
@REPLICATES
@click.option("-o", "--output", type=PLACE, help="Write the page here (HTML).")
@IN_FORMATS
def trust(
    table: nlgauge.ScoreTable, rated: nlgauge.Corpus, outputs: nlgauge.Corpus | None, metrics: Sequence[str],
    aspects: Sequence[str], limits: Sequence[str], before: Path | None, output: Path | None, layout: str, **how: Any,
) -> None:  # fmt: skip
    """How far to trust each scorer of a scores file: a metric, a detector, a judge or a column of another tool.

    First a sentence for each scorer, then a line: which share of the bad rows it stops (TPR) and of the good ones it
    lets pass (TNR), Cohen's kappa, AUROC, calibration, the effective number of ratings, and the threshold that can be
    certified. Then whether it beats the length of the output, may stand in for a rater, changes its mind, and moved
    since an earlier run. It answers whether a scorer may decide; correlate and contrast are for research on metrics.
    """
    refuse_place(output)
    thresholds = dict(map(_limit, limits))
    earlier = None if before is None else nlgauge.ScoreTable.load(before)
    found = nlgauge.trust(
        table, rated, outputs=outputs, metrics=metrics or None, aspects=aspects or None, thresholds=thresholds,
        before=earlier, **how,
    )  # fmt: skip
    if output is not None:
        from nlgauge.reports.trust import trust_page

        trust_page(found, output, outputs if outputs is not None else rated)
    with beside(output):
        if layout == "json":
            asked = {"risk": how["risk"], "confidence": how["confidence"], "below": how["below"]}
            show_json("trust", found.notes, **asked, answers=found.answers, scorers=found.records,
                      disputes=found.disputes)  # fmt: skip
            return
        say(found.answers, layout)
        show_tables(list(_tables(found, how["risk"])), layout)
    remark(*_legend(found), *found.notes)


def _limit(given: str) -> tuple[str, float]:
    name, equals, value = given.rpartition("=")
    try:
        if name and equals and math.isfinite(float(value)):
            return name, float(value)
    except ValueError:
        pass
    raise SpecError(f"--threshold {given}: write METRIC=X, as in --threshold judge=0.5")


def _tables(found: Trusts, risk: float) -> Iterator[list[list[Cell]]]:
    """Tables of yes or no, of scales, and of what else is known, by aspect."""
    for aspect in dict.fromkeys(one.aspect for one in found):
        lines = [one for one in found if one.aspect == aspect and not one.reason]
        decided = [one for one in lines if one.bad is not None]
        scaled = [one for one in lines if one.bad is None]
        likely = [one for one in decided if not math.isnan(one.brier)]
        more = [one for one in lines if one.won or one.repeated or one.anchors]
        certified = f"certified at risk {risk:g}"
        for some, heads, cells in (
            (decided, ("bad stopped (TPR)", "good passed (TNR)", "kappa", "AUROC"), _of_decisions),
            (likely, ("Brier", "ECE"), _of_probabilities),
            (scaled, ("Pearson", "Spearman", "Kendall", "PDP"), _of_scales),
            (lines, ("rated", "effective", "threshold", certified, "not better than"), _of_ratings),
            (more, ("may stand in", "changes its mind", "moved", "decided otherwise"), _of_runs),
        ):
            if some:
                yield [[aspect, *heads], *([one.metric, *cells(one)] for one in some)]


def _of_decisions(one: Trust) -> list[Cell]:
    return [_cell(one, "tpr"), _cell(one, "tnr"), Number(one.kappa, digits=2), _cell(one, "auroc")]


def _of_probabilities(one: Trust) -> list[Cell]:
    return [Number(one.brier, digits=3), _cell(one, "ece")]


def _of_scales(one: Trust) -> list[Cell]:
    ranks = (Number(one.spearman, digits=2), Number(one.kendall, digits=2))
    return [_cell(one, "pearson"), *ranks, _cell(one, "pdp")]


def _of_ratings(one: Trust) -> list[Cell]:
    counts = (Number(one.rated, digits=0), Number(one.effective, digits=0))
    return [*counts, Number(one.threshold), Number(one.certified), ", ".join(one.unbeaten) or "-"]


def _of_runs(one: Trust) -> list[Cell]:
    moved = Number(one.moved, one.moved_low, one.moved_high, one.moved_p)
    return [_stands(one), _cell(one, "flips"), moved, _cell(one, "changed")]


def _cell(one: Trust, name: str) -> Number:
    return Number(getattr(one, name), getattr(one, f"{name}_low"), getattr(one, f"{name}_high"), digits=2)


def _stands(one: Trust) -> str:
    if not one.won:
        return "-"
    return f"{'not known' if one.stand_in is None else 'yes' if one.stand_in else 'no'} ({one.won})"


def _legend(found: Trusts) -> Iterator[str]:
    """Yield what the numbers are of."""
    several = len({one.aspect for one in found}) > 1
    for one in found:
        name = f"{one.metric}, {one.aspect}" if several else one.metric
        if one.reason:
            yield f"{name}: {one.reason}"
        if one.unscored and not one.reason:
            yield f"{name}: {one.unscored} of {one.rated} rated rows have no score"
        if one.not_certified:
            yield f"{name}: {one.not_certified}"
        if one.threshold_from == "chosen on these ratings":
            yield (
                f"{name}: the threshold has the best balanced accuracy on these ratings; TPR, TNR and kappa are "
                "cross-fitted, and the intervals hold for any threshold; --threshold gives another"
            )
