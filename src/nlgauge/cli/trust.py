"""The command nlgauge trust."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.joining import on_some_ratings
from nlgauge.cli.options import ASPECT, IN_FORMATS, PLACE, REPLICATES, example
from nlgauge.cli.outputs import loaded
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import beside, show
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.answers.fitted_panel import FittedPanel

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(epilog=example("nlgauge trust scores.jsonl --ratings answers.jsonl -o trust.html"))
@functools.partial(on_some_ratings, anchors=True)
@click.option("-m", "--metric", "metrics", multiple=True, help="A scorer of the table; repeatable; all by default.")
@ASPECT
@click.option("--below", type=float, metavar="X", help="Rows rated below X are bad; where ratings are not 0 or 1.")
@click.option(
    "--threshold",
    "limits",
    multiple=True,
    metavar="METRIC=X",
    help="The threshold of a scorer, in place of its own or of the best on these ratings.",
)
@click.option(
    "--probability",
    "probabilities",
    multiple=True,
    metavar="METRIC",
    help="A scorer whose numbers are probabilities that a row is good; repeatable.",
)
@click.option(
    "--risk",
    type=_SHARE,
    default=0.1,
    show_default=True,
    help="Of the certified threshold: at most this share of passing rows is bad.",
)
@click.option("--confidence", type=_SHARE, default=0.9, show_default=True, help="Confidence that the promise holds.")
@click.option(
    "--rater",
    "rater_aspects",
    multiple=True,
    help="Aspect that holds one rater's ratings; give it for each rater, but of a project.",
)
@click.option(
    "--epsilon",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    help="By how much a stand-in for a rater may be worse; 0.2 for experts, 0.1 for the crowd.",
)
@click.option(
    "--inject",
    is_flag=True,
    help="Probe: score up to 50 bad rated rows again with an order to the judge in the answer, and count who obeys.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    help="Plan: how many bad and good rows to rate until TPR and TNR are known to plus or minus this.",
)
@click.option(
    "--before",
    type=PLACE,
    help="Scores of an earlier run: which scorers moved, by the anchors of nlgauge score --anchors, or else "
    "by the rows that both runs have.",
)
@click.option(
    "--history",
    type=PLACE,
    help="With --before, for a judge that is asked again and again: the file of all comparisons, to which this one is "
    "added. At most 5 % of such histories raise a false alarm.",
)
@click.option(
    "--save",
    type=PLACE,
    help="Write the scorers as one, by the weights that the ratings give them: -m \"Panel('FILE')\" scores with it.",
)
@REPLICATES
@click.option("-o", "--output", type=PLACE, help="Write the page here (HTML).")
@IN_FORMATS
def trust(
    table: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    outputs: nlgauge.Corpus | None,
    metrics: Sequence[str],
    aspects: Sequence[str],
    limits: Sequence[str],
    inject: bool,
    before: Path | None,
    history: Path | None,
    save: Path | None,
    output: Path | None,
    layout: str,
    **how: Any,
) -> None:
    """How far to trust each scorer of a scores file: a metric, a detector, a judge or a column of another tool.

    The answer begins with a sentence for each scorer. A table has for each the share of the bad rows that the scorer
    stops (TPR) and of the good rows that it lets pass (TNR), Cohen's kappa, AUROC, calibration, the effective number of
    ratings, and the threshold that can be certified. Further tables say whether the scorer beats the length of the
    output, may replace a rater, decides the same again, and has changed since an earlier run. The command answers
    whether a scorer may decide; nlgauge correlate is for research on metrics.
    """
    from nlgauge.reports.trust import trust_page

    if history is not None and before is None:
        raise SpecError("--history is of the comparison with an earlier run: give --before")
    refuse_place(output, history, save)
    thresholds = dict(map(_limit, limits))
    earlier = None if before is None else loaded(before)
    trusts = nlgauge.trust(
        table,
        rated,
        outputs=outputs,
        metrics=metrics or None,
        aspects=aspects or None,
        thresholds=thresholds,
        before=earlier,
        history=history,
        injected=_injected(table, outputs if outputs is not None else rated, metrics, how) if inject else None,
        **how,
    )
    if output is not None:
        trust_page(trusts, output, outputs if outputs is not None else rated)
    if save is not None:
        panel = trusts.panel()
        _refuse_unknown(panel)
        panel.save(save)
        remark(*_said(panel, save))
    with beside(output):
        show(trusts, layout)


def _injected(
    table: nlgauge.ScoreTable, rows: nlgauge.Corpus, metrics: Sequence[str], how: Mapping[str, Any]
) -> nlgauge.ScoreTable:
    """Return the scores of bad rows with prompt injections (`with_orders`), by the scorers that can score rows."""
    from nlgauge import registry
    from nlgauge.contract.base import RowMetric
    from nlgauge.data.injections import with_orders
    from nlgauge.ratings.matching import matched

    specs = [table.named(name)[0] for name in metrics] or list(table.columns)
    by_best: dict[str, list[str]] = {}
    for spec in dict.fromkeys(specs):
        try:
            metric = registry.metric(spec)
        except SpecError:  # a column that was joined to the scores
            continue
        if isinstance(metric, RowMetric) and spec.partition("(")[0] != "Column":
            by_best.setdefault(_best(table, spec), []).append(spec)
    if not by_best:
        raise SpecError("--inject: no scorer of the table can score rows again: columns of other tools cannot")
    below = how["below"] if how["below"] is not None else 1.0
    made: list[nlgauge.ScoreTable] = []
    for best, scorers in by_best.items():
        probed = with_orders(matched(table, rows), best, below=below, seed=how["seed"])
        if not len(probed):
            raise InputError("--inject: no rated row is bad", remedy="give the texts of the rated rows too (--outputs)")
        made.append(nlgauge.evaluate(probed, metrics=scorers, progress=True))
    whole = made[0]
    for more in made[1:]:
        whole.columns.update(more.columns)
        whole.signatures.update(more.signatures)
    return whole


def _best(table: nlgauge.ScoreTable, spec: str) -> str:
    """Return the answer that means the best score of a scorer, such as "yes", for an injected order."""
    column = table.columns[spec]
    low, high = column.range(column.shown[0])
    if (low, high) == (0, 1):
        return "yes" if column.higher_is_better else "no"
    end = high if column.higher_is_better else low
    return f"{end:g}" if math.isfinite(end) else "the best score"


def _refuse_unknown(panel: FittedPanel) -> None:
    """Raise SpecError for a panel with a scorer that cannot score further rows, such as a column."""
    from nlgauge import registry

    for member in panel.used:
        try:
            registry.metric(member.metric)
        except SpecError as error:
            raise SpecError(f"--save: {error}; name the scorers of the panel (--metric)") from None


def _said(panel: FittedPanel, path: Path) -> Iterator[str]:
    """Yield sentences on the ratings, weights and threshold of a panel. `path` is the file of the panel."""
    weights = ", ".join(f"{member.weight:.3g} {member.name}" for member in panel.used)
    unused = [member.name for member in panel.members if member not in panel.used]
    of = f"{panel.ratings} ratings of {panel.aspect}, of which {panel.bad} are bad"
    yield f"{path}: a panel fitted to {of}: {weights}"
    if unused:
        yield f"{', '.join(unused)}: without weight, so the panel does not compute it"
    passing = f"a row passes from the probability {panel.threshold:.3g} on"
    sure = "no probability can be certified"
    if panel.certified is not None:
        sure = f"from {panel.certified:.3g} on at most {panel.risk:g} of the passing rows are bad"
    yield f"{passing}; {sure} ({panel.confidence:.0%} sure); certify it on ratings of other rows (nlgauge trust)"


def _limit(limit: str) -> tuple[str, float]:
    name, equals, value = limit.rpartition("=")
    try:
        if name and equals and math.isfinite(float(value)):
            return name, float(value)
    except ValueError:
        pass
    raise SpecError(f"--threshold {limit}: write METRIC=X, as in --threshold judge=0.5")
