"""nlgauge correlate: how well metrics agree with people, and which of two metrics agrees better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

import nlgauge
from nlgauge.cli.joining import read_rated
from nlgauge.cli.options import ASPECT, MEASURED_ON_RATINGS, PARTS, PLACE, example
from nlgauge.cli.streams import as_json, remark
from nlgauge.cli.terminal import show
from nlgauge.data.atomic_write import atomic_write, refuse_place
from nlgauge.errors import InputError, SpecError
from nlgauge.show.answer import Answer
from nlgauge.show.tables import formatted

_WRITTEN = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "text"}
"""The form of a file by the end of its name, as --format calls it"""


@click.command(
    epilog=example(
        "nlgauge correlate scores.jsonl --ratings answers.jsonl --level pooled",
        "nlgauge correlate scores.jsonl --ratings answers.jsonl --level pooled --pairs",
    )
)
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
@click.option("--pairs", is_flag=True, help="Every two metrics: which one agrees significantly better?")
@click.option(
    "--test", default="permutation", show_default=True, help="With --pairs: permutation, or williams (Pearson only)."
)
@click.option("--df", default="n-3", show_default=True, help="For williams: n-3, or n-2 as R's psych has it.")
@click.option("--correction", default="holm", show_default=True, help="With --pairs: holm, benjamini_hochberg or none.")
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="With --pairs: confidence of intervals and clusters.",
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
    epsilon: float,
    pairs: bool,
    output: Path | None,
    test: str,
    df: str,
    correction: str,
    confidence: float,
    **how: Any,
) -> None:
    """How the metrics of a scores file agree with people: 95 % interval and p against no agreement.

    A positive number is agreement, also for a metric where lower is better. The table has sentinels too, which cannot
    know quality: the length of an output, how much of it is copied, and a constant where ties count. --rater asks how
    metrics agree with raters, how raters agree with each other, and which metric may replace a rater. JSON has every
    score of the metrics. This command is for research on metrics; nlgauge trust says whether a scorer may decide about
    single rows.

    --pairs asks which metrics agree significantly better than which. It prints the metrics by aspect with their
    cluster, from 1 for the best. Metrics of one cluster do not differ significantly. Then it prints every pair: the
    difference of the two coefficients with its interval, two-sided p, and p corrected for all pairs of the aspect.
    """
    written = _form(output)
    if names and aspects:
        raise SpecError("--rater names the aspects that hold raters: leave --aspect out")
    if names and pairs:
        raise SpecError("--rater and --pairs are two questions: leave one out")
    of_pairs = {"test": test, "df": df, "correction": correction, "confidence": confidence}
    if options := [] if pairs else _named(of_pairs):
        raise SpecError(f"--{options[0]} is for every two metrics: add --pairs")
    table, rated = read_rated(scores, outputs, columns=columns, add=add, lower=lower, cluster=cluster)
    shown = _Shown(layout, output)
    if pairs:
        asked = {"aspects": aspects or None, **of_pairs, **how}
        shown.give(_pairs(table, rated, file=scores, metrics=metrics, parts=parts, **asked))
    elif names:
        shown.give(_raters(table, rated, metrics=metrics, names=names, epsilon=epsilon, **how))
    else:
        every = parts or "json" in (layout, written)
        asked = {"aspects": aspects or None, "cluster": cluster, **how}
        answer, left = _agreement(table, rated, metrics=metrics, parts=parts, every=every, **asked)
        shown.give(answer)
        if left > 0:
            remark(f"--parts shows {left} more")


def _named(names: Iterable[str]) -> list[str]:
    """Return the names of those options that are given on the command line."""
    context = click.get_current_context()
    return [name for name in names if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]


def _raters(
    whole: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    *,
    metrics: Sequence[str],
    names: Sequence[str],
    epsilon: float,
    replicates: int | None,
    **how: Any,
) -> Answer:
    """Return the answer to the question which metrics may replace a rater.

    Args:
        whole: the scores.
        rated: the rows with the ratings of each rater.
        metrics: the metrics to ask about; empty for all.
        names: the names of the raters, as aspects of the ratings.
        epsilon: how much lower the metric's share of rows may be than the rater's, as `raters` takes it.
        replicates: the number of random draws; None for the default.
        how: further options of `raters`.

    Returns:
        The answer.
    """
    from nlgauge.answers.raters import StandIns, raters
    from nlgauge.data.table.selection import selected
    from nlgauge.ratings.matching import by_position
    from nlgauge.stats.corrections import LEAST_DRAWS

    table = selected(whole, metrics or None, True)
    remark(*by_position(table, rated))
    draws = LEAST_DRAWS if replicates is None else replicates
    lines = raters(table, rated, names, epsilon=epsilon, replicates=draws, **how)
    asked = {"level": how["level"], "coefficient": how["coefficient"], "epsilon": epsilon}
    return StandIns(lines=lines, names=names, columns=whole.columns, **asked).to_answer()


def _agreement(
    whole: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    *,
    metrics: Sequence[str],
    parts: bool,
    every: bool,
    aspects: Sequence[str] | None,
    cluster: str | None,
    replicates: int | None,
    **how: Any,
) -> tuple[Answer, int]:
    """Return the answer on how each metric agrees with people, and the number of sub-scores that it does not show.

    Args:
        whole: the scores.
        rated: the rows with ratings.
        metrics: the metrics to ask about; empty for all.
        parts: whether to show all scores of a metric, and not the deciding one alone.
        every: whether to compute all sub-scores, for JSON.
        aspects: the aspects of the ratings; None for all.
        cluster: the column of clusters, for the record.
        replicates: the number of random draws; None for the default.
        how: further options of `correlate`.

    Returns:
        The answer, and the number.
    """
    from nlgauge.answers.sentinels import beside, is_sentinel, told_unbeaten, unbeaten
    from nlgauge.data.table.selection import selected
    from nlgauge.ratings.rated import joined
    from nlgauge.stats.corrections import LEAST_DRAWS

    drawn = {**how, "replicates": LEAST_DRAWS if replicates is None else replicates}
    table = beside(selected(whole, metrics or None, every), rated, how["coefficient"])
    agreements = nlgauge.correlate(table, rated, aspects=aspects, **drawn)
    more = {name: how[name] for name in ("level", "coefficient", "seed")}
    both = joined(table.per_item(), rated, list(agreements.unrated))
    behind = unbeaten(both, agreements, notes=agreements.notes, replicates=replicates, **more)
    parts_shown = {
        (spec, part)
        for spec, column in selected(whole, metrics or None, parts).columns.items()
        for part in column.shown
    }
    listed = [
        agreement
        for agreement in agreements
        if (agreement.metric, agreement.part) in parts_shown or agreement.metric not in whole.columns
    ]
    answer = replace(agreements, records=listed, columns=whole.columns).to_answer()
    record = {
        **drawn,
        "cluster": cluster,
        "unbeaten": [pair._asdict() for pair in behind],
        "agreements": agreements.records,
        "unrated": agreements.unrated,
        "unscored": agreements.unscored,
        "joined": table.run.get("joined", {}),
    }
    of = [spec for spec in table.columns if spec in whole.columns and not metrics]
    left = sum(len(whole.columns[spec].shown) for spec in of if not is_sentinel(spec)) - len(parts_shown)
    legend = [*told_unbeaten(behind), *answer.legend]
    return replace(answer, record=record, legend=legend), 0 if every else left


def _pairs(
    table: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    *,
    file: Path,
    metrics: Sequence[str],
    parts: bool,
    **how: Any,
) -> Answer:
    """Return the answer to the question which of every two metrics agrees better with people.

    Errors name `file`, which is the scores file. The other options are as `contrast` takes them.
    """
    from nlgauge.answers.contrast import contrast
    from nlgauge.data.table.selection import selected
    from nlgauge.ratings.matching import by_position

    remark(*by_position(table, rated))
    table = selected(table, metrics or None, parts)
    if sum(len(column.shown) for column in table.columns.values()) < 2:
        problem = "one metric has nothing to be compared with"
        raise InputError(problem, file=file, remedy="score another, or --add one")
    contrasts = contrast(table, rated, **how)
    answer = contrasts.to_answer()
    asked = {name: value for name, value in how.items() if name != "aspects"}
    sets = [spec for spec, column in table.columns.items() if column.level == "system"]
    if left := sets if how["level"] != "system" else []:
        remark(f"corpus-level metrics have a system level only, left out: {', '.join(left)}")
    return replace(answer, record={**asked, "replicates": contrasts.draws, **answer.record})


def _form(output: Path | None) -> str:
    """Return the form of a file to write, by the end of its name; "" for None. Raises SpecError for another end."""
    if output is None:
        return ""
    refuse_place(output)
    if output.suffix.lower() not in _WRITTEN:
        raise SpecError(f"-o {output}: the end of the name says the form: {', '.join(_WRITTEN)}")
    return _WRITTEN[output.suffix.lower()]


class _Shown(NamedTuple):
    """The places for an answer: stdout, in the form `layout`, and a file, in the form that its name says."""

    layout: str
    output: Path | None

    def give(self, answer: Answer) -> None:
        """Show an answer on stdout, and write it to the file if there is one."""
        show(answer, self.layout)
        if self.output is None:
            return
        form = _form(self.output)
        lines = (
            [as_json(answer.command, answer.notes, **answer.record)]
            if form == "json"
            else formatted(answer.tables, form, keys=answer.keys)
        )
        with atomic_write(self.output) as file:
            file.write("\n".join(lines) + "\n")
