"""nlgauge correlate and contrast: how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import nlgauge
from nlgauge.cli.options import ASPECT, MEASURED_ON_RATINGS, PARTS, PLACE
from nlgauge.cli.streams import as_json, remark
from nlgauge.cli.terminal import read_rated, show
from nlgauge.data.atomic_write import atomic_write, refuse_place
from nlgauge.errors import InputError, SpecError
from nlgauge.render.answer import Answer
from nlgauge.render.tables import formatted

_WRITTEN = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "text"}
"""The form of a file by the end of its name, as --format calls it"""


@click.command(short_help="How well the metrics of a scores file agree with people.")
@MEASURED_ON_RATINGS
@PARTS
@ASPECT
@click.option("--rater", "names", multiple=True, help="Aspect that holds one rater's ratings; give it for each rater.")
@click.option(
    "--epsilon",
    type=float,
    default=0.2,
    show_default=True,
    help="With --rater: by how much a stand-in may be worse; 0.2 for experts, 0.1 for the crowd.",
)
@click.option(
    "-o",
    "--output",
    type=PLACE,
    help="Write the result here too, in the form that the name's end says: .json, .csv, .md, .tex or .txt.",
)
def correlate(
    scores: Path,
    outputs: Path,
    metrics: Sequence[str],
    parts: bool,
    aspects: Sequence[str],
    add: Sequence[str],
    lower: Sequence[str],
    columns: Sequence[str],
    cluster: str | None,
    layout: str,
    names: Sequence[str],
    output: Path | None,
    replicates: int | None,
    **how: Any,
) -> None:
    """How the metrics of a scores file agree with people: 95 % interval and p against no agreement.

    Positive is agreement, also where lower is better. Beside the metrics stand sentinels, which cannot know quality:
    the length of an output, how much of it is copied, and a constant where ties count. With --rater: how metrics agree
    with raters beside how raters agree with each other, and which metric may stand in for a rater. JSON has every score
    of the metrics. It is for research on metrics; whether a scorer may decide about single rows is a question for
    nlgauge trust.
    """
    from nlgauge.answers.sentinels import beside, is_sentinel, told_unbeaten, unbeaten
    from nlgauge.data.table.selection import selected
    from nlgauge.stats.corrections import LEAST_DRAWS

    written = _form(output)
    if names and aspects:
        raise SpecError("--rater names the aspects that hold raters: leave --aspect out")
    epsilon = how.pop("epsilon")
    drawn = {**how, "replicates": LEAST_DRAWS if replicates is None else replicates}
    whole, rated = read_rated(scores, outputs, columns=columns, add=add, lower=lower, cluster=cluster)
    every = parts or bool(names) or "json" in (layout, written)
    table = selected(whole, metrics or None, every)
    if names:
        from nlgauge.answers.raters import StandIns, raters
        from nlgauge.ratings.matching import by_position

        remark(*by_position(table, rated))
        lines = raters(table, rated, names, epsilon=epsilon, **drawn)
        asked = {"level": how["level"], "coefficient": how["coefficient"], "epsilon": epsilon}
        found = StandIns(lines=lines, names=names, columns=whole.columns, **asked)
        _give(found.to_answer(), layout, output)
        return
    table = beside(table, rated, how["coefficient"])
    agreements = nlgauge.correlate(table, rated, aspects=aspects or None, **drawn)
    more = {name: how[name] for name in ("level", "coefficient", "seed")}
    behind = unbeaten(table, rated, agreements, notes=agreements.notes, replicates=replicates, **more)
    shown = {
        (spec, part) for spec, one in selected(whole, metrics or None, parts).columns.items() for part in one.shown
    }
    kept = [one for one in agreements if (one.metric, one.part) in shown or one.metric not in whole.columns]
    answer = replace(agreements, records=kept, columns=whole.columns).to_answer()
    record = {
        **drawn,
        "cluster": cluster,
        "unbeaten": [one._asdict() for one in behind],
        "agreements": agreements.records,
        "unrated": agreements.unrated,
        "unscored": agreements.unscored,
        "joined": table.run.get("joined", {}),
    }
    _give(replace(answer, record=record, legend=[*told_unbeaten(behind), *answer.legend]), layout, output)
    of = [spec for spec in table.columns if spec in whole.columns and not metrics]
    left = sum(len(whole.columns[spec].shown) for spec in of if not is_sentinel(spec)) - len(shown)
    if not every and left > 0:
        remark(f"--parts shows {left} more")


def _form(output: Path | None) -> str:
    """Return the form of a file that is to be written, "" of none. Raises SpecError for a name that does not say it."""
    if output is None:
        return ""
    refuse_place(output)
    if output.suffix.lower() not in _WRITTEN:
        raise SpecError(f"-o {output}: the end of the name says the form: {', '.join(_WRITTEN)}")
    return _WRITTEN[output.suffix.lower()]


def _give(answer: Answer, layout: str, output: Path | None) -> None:
    """Show an answer, and write it in the form of a file where one is named."""
    show(answer, layout)
    if output is not None:
        form = _form(output)
        lines = (
            [as_json(answer.command, answer.notes, **answer.record)]
            if form == "json"
            else formatted(answer.tables, form)
        )
        with atomic_write(output) as file:
            file.write("\n".join(lines) + "\n")


@click.command(short_help="Which metrics agree with people significantly better.")
@MEASURED_ON_RATINGS
@PARTS
@ASPECT
@click.option("--test", default="permutation", show_default=True, help="permutation, or williams (Pearson only).")
@click.option("--df", default="n-3", show_default=True, help="For williams: n-3, or n-2 as R's psych has it.")
@click.option("--correction", default="holm", show_default=True, help="holm, benjamini_hochberg or none.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of intervals and clusters.")
def contrast(
    scores: Path,
    outputs: Path,
    metrics: Sequence[str],
    parts: bool,
    aspects: Sequence[str],
    add: Sequence[str],
    lower: Sequence[str],
    columns: Sequence[str],
    cluster: str | None,
    layout: str,
    **how: Any,
) -> None:
    """Which metrics of a scores file agree with people significantly better than which?

    Prints the metrics by aspect with their cluster, from 1 for the best. Metrics of one cluster do not differ
    significantly. Then it prints every pair: the difference of the two coefficients with its interval, two-sided p,
    and p corrected for all pairs of the aspect. `nlgauge study significance` draws it. It is for research on metrics;
    how far to trust one scorer is a question for nlgauge trust.
    """
    from nlgauge.answers.contrast import contrast as run
    from nlgauge.data.table.selection import selected
    from nlgauge.ratings.matching import by_position

    table, rated = read_rated(scores, outputs, columns=columns, add=add, lower=lower, cluster=cluster)
    remark(*by_position(table, rated))
    table = selected(table, metrics or None, parts)
    if sum(len(column.shown) for column in table.columns.values()) < 2:
        problem = "one metric has nothing to be compared with"
        raise InputError(problem, file=scores, remedy="score another, or --add one")
    contrasts = run(table, rated, aspects=aspects or None, **how)
    answer = contrasts.to_answer()
    show(replace(answer, record={**how, "replicates": contrasts.draws, **answer.record}), layout)
    sets = [spec for spec, column in table.columns.items() if column.level == "system"]
    if left := sets if how["level"] != "system" else []:
        remark(f"corpus-level metrics have a system level only, left out: {', '.join(left)}")
