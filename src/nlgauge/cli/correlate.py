"""nlgauge correlate: how well metrics agree with people, and which of two metrics agrees better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import nlgauge
from nlgauge.cli.options import ASPECT, MEASURED_ON_RATINGS, PARTS, PLACE, example
from nlgauge.cli.streams import as_json, remark, show_json
from nlgauge.cli.terminal import read_rated, show_tables
from nlgauge.data.atomic_write import atomic_write, refuse_place
from nlgauge.errors import InputError, SpecError
from nlgauge.render.tables import Cell, Chance, Number, formatted

if TYPE_CHECKING:
    from nlgauge.render.tables import Cells
    from nlgauge.stats.agreement import Agreement, Agreements
    from nlgauge.stats.contrast import Contrasts
    from nlgauge.stats.raters import StandIn
    from nlgauge.stats.sentinels import Unbeaten


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

    Positive is agreement, also where lower is better. Beside the metrics stand sentinels, which cannot know quality:
    the length of an output, how much of it is copied, and a constant where ties count. With --rater: how metrics agree
    with raters beside how raters agree with each other, and which metric may stand in for a rater. JSON has every score
    of the metrics. It is for research on metrics; whether a scorer may decide about single rows is a question for
    nlgauge trust.

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
    if given := [] if pairs else _given(of_pairs):
        raise SpecError(f"--{given[0]} is for every two metrics: add --pairs")
    table, rated = read_rated(scores, outputs, columns, add, lower, cluster)
    shown = _Shown(layout, output)
    if pairs:
        _pairs(scores, table, rated, metrics, parts, shown, aspects=aspects or None, **of_pairs, **how)
    elif names:
        _raters(table, rated, metrics, shown, names=names, epsilon=epsilon, **how)
    else:
        every = parts or "json" in (layout, written)
        _agreement(table, rated, metrics, parts, every, shown, aspects=aspects or None, cluster=cluster, **how)


def _given(names: Iterable[str]) -> list[str]:
    """Return which options the command line gives."""
    context = click.get_current_context()
    return [name for name in names if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]


def _raters(
    whole: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    metrics: Sequence[str],
    shown: _Shown,
    *,
    names: Sequence[str],
    epsilon: float,
    replicates: int | None,
    **how: Any,
) -> None:
    """Show which metrics may stand in for a rater."""
    from nlgauge.stats.corrections import LEAST_DRAWS
    from nlgauge.stats.matching import by_position
    from nlgauge.stats.raters import raters
    from nlgauge.stats.selection import selected

    table = selected(whole, metrics or None, True)
    remark(*by_position(table, rated))
    draws = LEAST_DRAWS if replicates is None else replicates
    lines = raters(table, rated, names, epsilon=epsilon, replicates=draws, **how)
    named = {"level": how["level"], "coefficient": how["coefficient"], "epsilon": epsilon}
    record: dict[str, object] = {"raters": list(names), **named}
    record["lines"] = [{**vars(line), "passed": line.passed} for line in lines]
    shown.give([_stand_ins(whole, lines)], [], record)
    _tell_raters(lines, epsilon)


def _agreement(
    whole: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    metrics: Sequence[str],
    parts: bool,
    every: bool,
    shown: _Shown,
    *,
    aspects: Sequence[str] | None,
    cluster: str | None,
    replicates: int | None,
    **how: Any,
) -> None:
    """Show how each metric agrees with people. every: take all sub-scores, which JSON shows."""
    from nlgauge.stats.corrections import LEAST_DRAWS
    from nlgauge.stats.selection import selected
    from nlgauge.stats.sentinels import beside, is_sentinel, unbeaten

    drawn = {**how, "replicates": LEAST_DRAWS if replicates is None else replicates}
    table = beside(selected(whole, metrics or None, every), rated, how["coefficient"])
    agreements = nlgauge.correlate(table, rated, aspects=aspects, **drawn)
    more = {name: how[name] for name in ("level", "coefficient", "seed")}
    behind = unbeaten(table, rated, agreements, notes=agreements.notes, replicates=replicates, **more)
    record = {
        **drawn,
        "cluster": cluster,
        "unbeaten": [one._asdict() for one in behind],
        "agreements": agreements.records,
        "unrated": agreements.unrated,
        "unscored": agreements.unscored,
        "joined": table.run.get("joined", {}),
    }
    parts_shown = {
        (spec, part) for spec, one in selected(whole, metrics or None, parts).columns.items() for part in one.shown
    }
    listed = [one for one in agreements if (one.metric, one.part) in parts_shown or one.metric not in whole.columns]
    shown.give([_agreeing(whole, listed, list(agreements.unrated))], agreements.notes, record)
    _tell_unbeaten(behind)
    _tell_agreements(table, agreements, listed)
    of = [spec for spec in table.columns if spec in whole.columns and not metrics]
    left = sum(len(whole.columns[spec].shown) for spec in of if not is_sentinel(spec)) - len(parts_shown)
    if not every and left > 0:
        remark(f"--parts shows {left} more")


def _pairs(
    file: Path,
    table: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    metrics: Sequence[str],
    parts: bool,
    shown: _Shown,
    **how: Any,
) -> None:
    """Show which of every two metrics agrees better. file: the scores, for the error. how: as `contrast` takes it."""
    from nlgauge.stats.contrast import contrast
    from nlgauge.stats.matching import by_position
    from nlgauge.stats.selection import selected

    remark(*by_position(table, rated))
    table = selected(table, metrics or None, parts)
    if sum(len(column.shown) for column in table.columns.values()) < 2:
        problem = "one metric has nothing to be compared with"
        raise InputError(problem, file=file, remedy="score another, or --add one")
    contrasts = contrast(table, rated, **how)
    ranked = [
        {"metric": spec, "part": part, "aspect": aspect, "value": value, "cluster": cluster[spec, part]}
        for aspect, cluster in contrasts.clusters.items()
        for (spec, part), value in contrasts.values[aspect].items()
    ]
    asked = {name: value for name, value in how.items() if name != "aspects"}
    record = {**asked, "replicates": contrasts.draws, "metrics": ranked, "contrasts": contrasts.records}
    shown.give(
        [_ranked(table, contrasts, how["coefficient"]), _contrasts(table, contrasts)], contrasts.notes, record, keys=2
    )
    remark(*contrasts.notes)
    sets = [spec for spec, column in table.columns.items() if column.level == "system"]
    if left := sets if how["level"] != "system" else []:
        remark(f"corpus-level metrics have a system level only, left out: {', '.join(left)}")


def _form(output: Path | None) -> str:
    """Return the form of a file that is to be written, "" of none. Raises SpecError for a name that does not say it."""
    if output is None:
        return ""
    refuse_place(output)
    if output.suffix.lower() not in _WRITTEN:
        raise SpecError(f"-o {output}: the end of the name says the form: {', '.join(_WRITTEN)}")
    return _WRITTEN[output.suffix.lower()]


class _Shown(NamedTuple):
    """Where a result goes: to stdout in a form, and into a file in that of its name."""

    layout: str
    output: Path | None

    def give(self, tables: Sequence[Cells], notes: Sequence[str], record: Mapping[str, object], keys: int = 1) -> None:
        """Print and write a result. keys: how many columns of the tables hold names."""
        if self.layout == "json":
            show_json("correlate", notes, **record)
        else:
            show_tables(tables, self.layout, keys=keys)
        if self.output is not None:
            form = _form(self.output)
            lines = [as_json("correlate", notes, **record)] if form == "json" else formatted(tables, form, keys=keys)
            with atomic_write(self.output) as file:
                file.write("\n".join(lines) + "\n")


def _agreeing(table: nlgauge.ScoreTable, agreements: Sequence[Agreement], aspects: Sequence[str]) -> Cells:
    """A row a sub-score, a column an aspect."""
    cells: list[list[Cell]] = [["metric", *aspects]]
    for number, one in enumerate(agreements):
        if number % len(aspects) == 0:
            known = one.metric in table.columns
            cells.append([table.columns[one.metric].label(one.metric, one.part) if known else one.metric])
        cells[-1].append(Number(one.value, one.low, one.high, one.p))
    return cells


def _tell_unbeaten(behind: Sequence[Unbeaten]) -> None:
    """Which metrics are not shown to know more than a sentinel does."""
    by_aspect: dict[tuple[str, str], list[str]] = {}
    for one in behind:
        by_aspect.setdefault((one.aspect, one.sentinel), []).append(one.metric)
    for (aspect, sentinel), metrics in by_aspect.items():
        remark(f"{aspect}: no significantly better agreement than {sentinel}: {', '.join(metrics)}")


def _stand_ins(table: nlgauge.ScoreTable, lines: Sequence[StandIn]) -> Cells:
    """Metrics beside the raters: agreement with the mean of all raters but one, and the alternative-annotator test."""
    cells: list[list[Cell]] = [["", "agreement", "advantage", "wins against", "may stand in"]]
    for one in lines:
        if not one.metric:
            cells.append(["a rater, with the others", Number(one.value, one.low, one.high), Number(math.nan), "-", "-"])
            continue
        several = one.metric in table.columns and len(table.columns[one.metric].parts) > 1
        wins = f"{one.won} of {one.raters}"
        numbers = [Number(one.value, one.low, one.high), Number(one.advantage)]
        name = one.metric + (f" {one.part}" if several else "")
        told = "not told" if lines[-1].passed and one.passed else "yes" if one.passed else "no"
        cells.append([name, *numbers, wins, told])
    return cells


def _tell_raters(lines: Sequence[StandIn], epsilon: float) -> None:
    remark(
        f"agreement with the mean of all raters but one; wins: no worse than that one by {epsilon} of the rows (p <"
        " 0.05, one-sided, corrected by Benjamini and Yekutieli)"
    )
    if lines[-1].passed:
        remark("a constant passes too, so these ratings do not tell which metric may stand in for a rater")


def _tell_agreements(table: nlgauge.ScoreTable, agreements: Agreements, shown: Sequence[Agreement]) -> None:
    if turned := dict.fromkeys(one.metric for one in shown if one.turned):
        remark(f"lower is better, so the sign is turned: {', '.join(turned)}")
    for aspect, count in agreements.unrated.items():
        if count:
            remark(f"{aspect}: {count} of {len(table.rows)} rows have no rating")
    if agreements.unscored:
        first = ", ".join(f"{system}/{item}" for system, item in agreements.unscored[:5])
        more = ", ..." if len(agreements.unscored) > 5 else ""
        remark(f"{len(agreements.unscored)} rated outputs are not in the scores ({first}{more})")
    for one in shown:
        if one.reason:
            remark(f"{one.metric} {one.part}, {one.aspect}: no value: {one.reason}")
        elif one.undefined:
            which = f"{one.undefined} of {one.n + one.undefined} items"
            remark(f"{one.metric} {one.part}, {one.aspect}: no value within {which}, left out")
    remark(*agreements.notes)


def _ranked(table: nlgauge.ScoreTable, contrasts: Contrasts, coefficient: str) -> list[list[Cell]]:
    """The metrics by aspect with their cluster, the best first."""
    cells: list[list[Cell]] = [["aspect", "metric", coefficient, "cluster"]]
    for aspect, values in contrasts.values.items():
        clusters = contrasts.clusters[aspect]
        for key in sorted(values, key=lambda key: (clusters[key], -values[key])):
            name = table.columns[key[0]].label(*key)
            cells.append([aspect, name, Number(values[key]), Number(clusters[key], digits=0)])
    return cells


def _contrasts(table: nlgauge.ScoreTable, contrasts: Contrasts) -> list[list[Cell]]:
    """Every two metrics."""
    cells: list[list[Cell]] = [["aspect", "metric", "against", "difference", "p", "corrected"]]
    for one in contrasts:
        names = [table.columns[key[0]].label(*key) for key in (one.first, one.second)]
        numbers = [Number(one.difference, one.low, one.high), Chance(one.p), Chance(one.adjusted)]
        cells.append([one.aspect, *names, *numbers])
    return cells
