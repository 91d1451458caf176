"""The command nlgauge check. The files `text.py` and `ci.py` print its verdict."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from nlgauge.cli.joining import read_ratings
from nlgauge.cli.options import (
    CLUSTER,
    LOADING_OF_RUNS,
    MAP,
    PLACE,
    RATING_LABEL,
    RATINGS_HELP,
    REPEATS,
    SEED,
    SHARE,
    SPEC,
    THEN,
    caching,
    example,
    with_then,
)
from nlgauge.cli.outputs import (
    blaming,
    clustered,
    one_metric,
    read_outputs,
    scores_of,
    tell_hard,
    tell_unsealed,
    usual_metric,
)
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import beside, show, told_spent
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.table import ScoreTable

_FORMATS = ("text", "github", "junit", "markdown", "json")
_WRITTEN = (".html", ".csv", ".jsonl", ".jsonl.gz")
_EXIT_CODES = {"passes": 0, "fails": 1, "cannot tell": 3}


@click.command(epilog=example("nlgauge check answers.jsonl --grounded -o gate.html"))
@click.argument("outputs", type=PLACE)
@click.option("-m", "--metric", "specs", type=SPEC, multiple=True, help="Metric spec, e.g. Faithfulness.")
@click.option("--part", help="Part of a metric that has several; the deciding one by default.")
@click.option("--at-least", type=float, help="Every row must score this or more; if higher is better.")
@click.option("--at-most", type=float, help="Every row must score this or less; if lower is better.")
@click.option(
    "--threshold",
    "--bar",
    "threshold",
    type=PLACE,
    help="File of a threshold and its metric, made by nlgauge calibrate.",
)
@click.option("--ratings", type=PLACE, help=f"Certify the threshold. {RATINGS_HELP}")
@RATING_LABEL
@click.option(
    "--risk",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="With --ratings: at most this share of passing rows is bad, with 90 % confidence.",
)
@click.option("--grounded", is_flag=True, help="Does the source support the answers? The set decides.")
@click.option(
    "--strict",
    type=click.Choice(["fails", "doubtful"]),
    is_flag=False,
    flag_value="fails",
    help="With --grounded: one failing row fails the gate; --strict=doubtful: one doubtful row too.",
)
@click.option(
    "--at-most-wrong",
    type=SHARE,
    help="With --grounded and --ratings: the share of wrong answers that passes, such as 5%.",
)
@click.option("--accepted", type=PLACE, help="With --grounded: answers that a person has accepted; the page writes it.")
@click.option(
    "--against", type=PLACE, help="Scores or outputs of an earlier run: fail where a system is worse than there."
)
@click.option("--margin", type=float, help="With --against: fail unless a loss below this is shown.")
@click.option(
    "--history",
    type=PLACE,
    help="With --against: write each check to this file (JSON Lines), and judge by all.",
)
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    metavar="K",
    help="Systems run several times on each item: hold the chance that K trials all pass to --at-least or --against.",
)
@click.option(
    "--pass-at", type=float, help="With --trials: a trial passes with this score; needed unless it is 0 or 1."
)
@CLUSTER
@click.option("--significance", type=float, default=0.05, show_default=True, help="Level of the test of --against.")
@click.option("--allow-missing", is_flag=True, help="Count rows without a value, but do not fail because of them.")
@click.option(
    "-o",
    "--output",
    type=PLACE,
    help="A page (.html), a table of verdicts (.csv), or the scores (.jsonl, .jsonl.gz): the next --against.",
)
@click.option(
    "--attest",
    type=PLACE,
    help="Write an in-toto statement here (JSON): digests of the inputs, rule, numbers and verdict, to be signed.",
)
@MAP
@REPEATS
@LOADING_OF_RUNS
@THEN
@caching
@SEED
@click.option("--format", "layout", type=click.Choice(_FORMATS), default="text", show_default=True)
def check(
    outputs: Path,
    specs: Sequence[str],
    part: str | None,
    at_least: float | None,
    at_most: float | None,
    threshold: Path | None,
    ratings: Path | None,
    labels: Sequence[str],
    risk: float,
    grounded: bool,
    strict: Literal["fails", "doubtful"] | None,
    at_most_wrong: float | None,
    accepted: Path | None,
    against: Path | None,
    margin: float | None,
    history: Path | None,
    trials: int | None,
    pass_at: float | None,
    cluster: str | None,
    significance: float,
    allow_missing: bool,
    output: Path | None,
    attest: Path | None,
    columns: Sequence[str],
    seed: int,
    layout: str,
    then: str | None,
    unsure: tuple[float, float] | None,
    **how: Any,
) -> None:
    """Fail if a row misses a threshold, or if a system is worse than in an earlier run (docs/check.md).

    Prints rows that do not pass, the worst first, with their unsupported words (hallucinations) marked. --grounded asks
    whether the source supports the answers. One decision is then made for all rows: by --ratings with --at-most-wrong,
    else by --against, else by the number of doubtful rows, compared with the number to expect if all answers are right.
    With --strict, single rows decide. --against without a metric uses Faithfulness for rows with a source, else TokenF1
    for rows with references. --trials asks whether K trials of an item all pass (docs/guides/trials.md). --ratings
    alone certifies a threshold from people's ratings. Exit code 0: passes; 1: fails; 2: wrong use, bad input, or
    nothing was checked; 3: cannot tell, more ratings are needed. A row without a value fails unless --allow-missing is
    given.

    For a gate that runs again and again, --history records every interim analysis against the same baseline. If nothing
    changes, the gate fails in at most 5 % of such series, however long they are.
    """
    from nlgauge import calibrate, evaluate
    from nlgauge.answers.rated_threshold import RatedThreshold
    from nlgauge.cli.check.answer import answer_of
    from nlgauge.contract.base import refuse_without_probability
    from nlgauge.gate import check as run
    from nlgauge.gate.accepted import read as read_accepted
    from nlgauge.gate.baseline import TooFewItemsError
    from nlgauge.gate.thresholds import METRIC
    from nlgauge.registry import metric
    from nlgauge.reports.gate import Earlier, gate_page, write_verdicts

    if trials is None and pass_at is not None:
        raise SpecError("--pass-at says when a trial passes: give --trials K too")
    if trials is not None and ratings is not None:
        raise SpecError("--trials decides by pass^k: leave out --ratings")
    by_set = grounded and at_most_wrong is not None
    if (
        ratings is not None
        and not by_set
        and (grounded or any(option is not None for option in (threshold, at_least, at_most)))
    ):
        remedy = "leave out --grounded, --threshold, --at-least and --at-most, or give --grounded with --at-most-wrong"
        raise SpecError(f"--ratings makes the threshold: {remedy}")
    if output is not None and output.suffix and not output.name.lower().endswith(_WRITTEN):
        raise SpecError(f"-o writes {', '.join(_WRITTEN)}: give {output.name} one of these ends")
    made = None if threshold is None else RatedThreshold.load(threshold)
    for place in (threshold, history):
        if place is not None:
            tell_unsealed(place)
    if made is not None and (specs or part is not None or at_least is not None or at_most is not None):
        raise SpecError("--threshold names metric, part and threshold: leave out -m, --part, --at-least and --at-most")
    if grounded and not specs:
        specs = (METRIC,)
    if made is not None and then is not None:
        raise SpecError("--threshold names the metric with its second model: leave out --then")
    specs = with_then(specs, then, unsure)
    limited = any(option is not None for option in (at_least, at_most, part, ratings, trials))
    guided = against is not None and not specs and made is None and not limited
    spec = "" if guided else one_metric(specs, f'"{METRIC}"') if made is None else made.metric
    if against is None and (margin is not None or history is not None):
        option = "--margin" if margin is not None else "--history"
        raise SpecError(f"{option} is of a comparison: give the scores file of an earlier run too, --against FILE")
    if at_least is None and at_most is None and against is None and made is None and ratings is None and not grounded:
        ways = "--grounded, --at-least, --at-most, --threshold, --ratings or --against"
        raise SpecError(f"there is nothing to check: give {ways}")
    refuse_place(output, history, attest)
    if grounded:
        refuse_without_probability(metric(spec, model=how["model"]))
    corpus = read_outputs(outputs, columns, on_missing="skip")
    spec = spec or usual_metric([corpus])
    tell_hard(corpus, [spec], how["model"])
    with blaming(outputs):
        table = evaluate(corpus, metrics=spec, evidence=True, progress=True, **how)
    if how["precision"] == "auto":
        from nlgauge.run.precision import as_scored

        how = as_scored(table, how)  # an earlier run is scored in the same precision
    baseline, earlier = (None, None) if against is None else scores_of([against], columns, [spec], how)
    if ratings is not None and not by_set:
        rated = calibrate(
            table,
            read_ratings(ratings, (), labels),
            metric=spec if part is None else f"{spec} {part}",
            risk=risk,
            seed=seed,
        )
        remark(*rated.notes)
        made, part = rated.threshold(), None
    limits: dict[str, Any] = {
        "part": part,
        "at_least": at_least,
        "at_most": at_most,
        "threshold": made,
        "outputs": corpus if made is not None else None,
        "grounded": grounded,
        "allow_missing": allow_missing,
        "strict": strict,
        "trials": trials,
        "pass_at": pass_at,
    }
    of_set: dict[str, Any] = {
        "accepted": [] if accepted is None else read_accepted(accepted),
        "at_most_wrong": at_most_wrong,
        "ratings": read_ratings(ratings, (), labels) if ratings is not None and by_set else None,
    }
    rows = clustered(table, corpus, cluster)
    tests: dict[str, Any] = {"significance": significance}
    try:
        verdict = run(rows, **limits, **of_set, against=baseline, margin=margin, history=history, **tests)
    except TooFewItemsError as few:
        if (
            earlier is None
            or margin is not None
            or history is not None
            or (not grounded and made is None and at_least is None and at_most is None)
            or trials is not None
        ):
            raise
        # The thresholds still decide about each row, and the page still shows what changed.
        remark(f"the two runs are not tested against each other: {few}")
        verdict = run(rows, **limits, **of_set, **tests)
    verdict = verdict.with_answers([row.candidate for row in corpus])
    page = output is not None and output.suffix.lower() == ".html"
    if output is not None and page and trials is not None:
        from nlgauge.answers.trials import trials as trials_of
        from nlgauge.reports.trials import trials_page

        results = trials_of(rows, spec, pass_at=pass_at, k=[trials], allow_missing=allow_missing)
        trials_page(results, output, verdict.decision.sentences if verdict.decision is not None else ())
    elif output is not None and page:
        before = None
        if earlier is not None and baseline is not None and (grounded or at_least is not None or at_most is not None):
            before = Earlier(run(baseline, **limits), baseline, earlier)
        gate_page(verdict, table, corpus, output, command=_command(), share=_share(table, corpus, seed), earlier=before)
    elif output is not None and output.suffix.lower() == ".csv":
        write_verdicts(verdict, corpus, output)
    elif output is not None:
        table.save(output)
    if attest is not None:
        from nlgauge.gate.attest import verdict_record, write_statement

        inputs = {"outputs": outputs, "against": against, "threshold": threshold, "ratings": ratings}
        inputs |= {"accepted": accepted, "history": history}
        there = {role: place for role, place in inputs.items() if place is not None}
        write_statement(verdict_record(verdict, table, None if against is None else str(against)), there, attest)
    options = [("--map", pair) for pair in columns] + [("--model", how["model"]), ("--device", how["device"])]
    options += [("--precision", how["precision"] if how["precision"] != "float32" else None)]
    options += [("--backend", how["backend"] if how["backend"] != "auto" else None)]
    scored = "".join(f" {name} {shlex.quote(value)}" for name, value in options if value is not None)
    with beside(output):
        show(answer_of(verdict, table, outputs=outputs, against=against, how=scored), layout)
    remark(*told_spent(table, per_thousand=True))
    sys.exit(2 if verdict.nothing_checked else _EXIT_CODES[verdict.ruling])


def _share(table: ScoreTable, corpus: Corpus, seed: int) -> str:
    """Return sentences that estimate the true share of bad answers from rows that people rated.

    Without ratings, or with ratings other than 0 and 1, the text is empty.
    """
    from nlgauge import estimate

    ratings = {value for row in corpus for value in row.scores.values()}
    if not ratings or not ratings <= {0, 1}:  # of another scale, nobody has said which ratings are bad
        return ""
    try:
        return " ".join(estimate(table, corpus, below=0.5, seed=seed).answers)
    except InputError as why:
        remark(f"the page does not estimate the share of bad answers: {why}")
        return ""


def _command() -> str:
    """Return the command line of this run, with the options that were given."""
    context = click.get_current_context()
    words: list[str] = ["nlgauge", context.command.name or "check"]
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        values = value if isinstance(value, tuple | list) else [value]
        if isinstance(parameter, click.Argument):
            words += [str(argument) for argument in values]
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(max(parameter.opts if value else parameter.secondary_opts, key=len))
        else:
            words += [word for option in values for word in (max(parameter.opts, key=len), str(option))]
    return shlex.join(words)
