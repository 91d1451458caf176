"""A verdict in words: what fails, then the counts, then the ruling; and the words that all formats share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from nlgauge.answers.compare import SIGNIFICANCE
from nlgauge.data.table import ScoreTable
from nlgauge.gate import Outcome, Regression, Unsupported, Verdict
from nlgauge.gate.verdict import SAID
from nlgauge.show.lines import Line, TextLine
from nlgauge.show.numbers import fixed
from nlgauge.show.tables import harmless

NOTHING_CHECKED = "nothing was checked: the gate can decide about no row"
_AROUND, _LONG = 40, 200
_LISTED = 40
"""Number of rows that the terminal shows; a page shows all of them"""
_INDENT, _FURTHER = "      ", "        "
"""Blanks before a line on a row, and before each further line of it"""


def name(verdict: Verdict) -> str:
    """Return the name of the checked metric, with the sub-score where that has a name."""
    return verdict.metric if verdict.part == "score" else f"{verdict.metric} {verdict.part}"


def place(outcome: Outcome) -> str:
    """Return a text that names the row, or the system, of an outcome."""
    row = "" if outcome.row is None else f"row {outcome.row}, "
    item = "" if outcome.item is None else f", item {outcome.item}"
    return harmless(f"{row}system {outcome.system}{item}", lines=True).replace("\n", " ")


def quoted(outcome: Outcome) -> Iterator[str]:
    """Yield lines that show why a row does not pass.

    Args:
        outcome: the outcome of the row.

    Returns:
        Lines: each judged text with its unsupported words in [brackets]; the answer, where none of its words is marked;
        each difference from the source; and the finding.
    """
    for text in outcome.unsupported:
        yield f"{text.name}, against the {text.against}: {_marked(text)}"
    if outcome.answer is not None and not any(text.name == "candidate" for text in outcome.unsupported):
        yield f"candidate: {' '.join(harmless(_shortened(outcome.answer, _LONG), lines=True).split())}"
    yield from (f"difference: {harmless(reason)}" for reason in outcome.reasons)
    said = outcome.claimed
    if not said and outcome.finding not in (None, "cannot say", "doubtful", "other words"):
        said = f"{outcome.finding}: {SAID[outcome.finding]}"
    if said:
        yield " ".join(harmless(said, lines=True).split())


def _marked(text: Unsupported) -> str:
    pieces, at = [], 0
    for begin, end in text.spans:
        pieces += [_shortened(text.text[at:begin], first=at == 0), f"[{_shortened(text.text[begin:end], _LONG)}]"]
        at = end
    pieces.append(_shortened(text.text[at:], last=True))
    return " ".join(harmless("".join(pieces), lines=True).split())


def _shortened(text: str, around: int = _AROUND, first: bool = False, last: bool = False) -> str:
    """Return a text without its middle where it is long.

    Args:
        text: the text.
        around: the number of characters that stay at each end. A text of twice as many is not shortened.
        first: whether the beginning is dropped too, as of a text before all marks.
        last: whether the end is dropped too, as of a text behind all marks.

    Returns:
        The text, with "…" for what was dropped.
    """
    if len(text) <= 2 * around:
        return text
    return ("" if first else text[:around]) + " … " + ("" if last else text[-around:])


def counted(verdict: Verdict) -> str:
    """Return a line with the number of rows that pass, and the numbers of the other rows by reason."""
    rows = [outcome for outcome in verdict.outcomes if outcome.row is not None or outcome.item is None]
    what = "systems" if rows and rows[0].item is None else "rows"
    gone = sum(outcome.row is None and outcome.item is not None for outcome in verdict.outcomes)
    states = Counter(outcome.state for outcome in verdict.outcomes)
    second = "" if verdict.second_at_least is None else f" (second model: {verdict.second_at_least:g})"
    beyond = [] if verdict.at_least is None else [f"below {verdict.at_least:g}{second}"]
    beyond += [] if verdict.at_most is None else [f"above {verdict.at_most:g}"]
    counts = [
        (states["failed"], " or ".join(beyond)),
        (states["doubtful"], "doubtful"),
        (states["unread"], "in other words than the source"),
        (states["missing"] + states["allowed"] - gone, "without a value"),
        (gone, "of the baseline and not in the outputs"),
    ]
    rest = "".join(f", {count} {why}" for count, why in counts if count)
    allowed = " (allowed)" if states["allowed"] else ""
    return f"{name(verdict)}: {states['passed']} of {len(rows)} {what} pass{rest}{allowed}"


def compared(regression: Regression, against: object) -> tuple[str, str]:
    """Return the comparison of a system with the baseline as two texts.

    Args:
        regression: the comparison.
        against: the file of the baseline.

    Returns:
        The finding with the names of system and baseline; and its numbers.
    """
    was = "" if regression.baseline == regression.system else f" (there {regression.baseline})"
    head = f"system {regression.system}, against {against}{was}: {_said(regression)}"
    change = _with_interval(regression.difference, regression.low, regression.high)
    p = "no p" if math.isnan(regression.adjusted) else f"p {regression.adjusted:.4f}"
    if regression.no_worse is not None:
        p += (
            ", no p of the margin"
            if math.isnan(regression.no_worse)
            else f", p of a loss beyond the margin {regression.no_worse:.4f}"
        )
    if regression.look is not None:
        p += f" at interim analysis {regression.look}, which holds at all of them"
    reason = f" ({regression.reason})" if regression.reason else ""
    means = f"{_with_interval(regression.now)}, was {_with_interval(regression.before)}, on {regression.n} items"
    least = regression.detectable or 0.0
    shown = f"; a difference of {fixed(least)} would show in 80 % of runs" if least > 0 else ""
    return harmless(head), f"{means}; difference {change}, {p}{reason}{shown}"


def _said(regression: Regression) -> str:
    """Return the finding of a comparison. "No worse" needs a margin, and a test that rules a larger loss out."""
    if regression.no_worse is not None:
        return "not shown to be within the margin" if regression.worse else "no worse, up to the margin"
    if regression.worse:
        return "worse"
    if regression.difference == 0:
        return "the same mean"
    return "better" if regression.adjusted < SIGNIFICANCE else "no significant difference"


def lines(verdict: Verdict, against: Path | None) -> Iterator[Line]:
    """Yield the lines of text output: the decision, the rows that do not pass, the worst first, and the counts.

    Args:
        verdict: the verdict of the gate.
        against: the file of the earlier run; None without one.

    Returns:
        The lines, without the ruling, which is printed last.
    """
    for sentence in decided(verdict):
        yield TextLine(sentence, wrapped=True)
    worst, findings = verdict.worst, verdict.findings
    for outcome in worst[:_LISTED]:
        mark = ("UNREAD" if outcome.state == "unread" else "DOUBT", "doubtful")
        mark = ("FAIL", "fails") if outcome.failed else mark
        yield TextLine((mark, (f"  {place(outcome)}: {harmless(outcome.problem or '')}", "")))
        yield from (TextLine(said, _INDENT, _FURTHER, wrapped=True) for said in quoted(outcome))
    if (more := len(worst) - _LISTED) > 0:
        yield f"{more:,} more rows do not pass: -o gate.html shows all of them"
    if verdict.at_least is not None or verdict.at_most is not None or worst:
        yield counted(verdict)
    if findings:
        yield "; ".join(f"{count} {finding}" for finding, count in findings.items())
    for regression in verdict.regressions:
        head, numbers = compared(regression, against)
        yield head
        yield TextLine(numbers, _INDENT, _FURTHER, wrapped=True)
    if verdict.nothing_checked:
        yield NOTHING_CHECKED


def decided(verdict: Verdict) -> list[str]:
    """Return sentences on the decision about the set of all rows.

    Args:
        verdict: the verdict of the gate.

    Returns:
        The sentences. Without such a decision, they are the headline if there are rows that were not judged ('unread')
        and rows cannot be doubtful; else there are none.
    """
    if verdict.decision is None or verdict.nothing_checked:
        apart = verdict.sure is None and verdict.count("unread") and not verdict.nothing_checked
        return [f"{verdict.headline}."] if apart else []
    following = verdict.decision.following
    return [*verdict.decision.sentences, *([following] if following is not None else [])]


def notes(verdict: Verdict, table: ScoreTable, outputs: Path, how: str) -> Iterator[str]:
    """Yield notes that a reader of the verdict needs, one line each.

    Args:
        verdict: the verdict of the gate.
        table: the scores that were checked.
        outputs: the file of the outputs.
        how: the options by which outputs were read and scored.

    Returns:
        The lines.
    """
    for why, count in verdict.left_out.items():
        yield f"{count} rows {why}, left out of the comparison"
    yield from verdict.notes
    rows = [row.row for row in verdict.worst if row.row is not None and row.state in ("failed", "doubtful")]
    if rows:
        spec = verdict.metric.replace('"', '\\"')
        yield f'what a score is based on: nlgauge explain {quote(str(outputs))} -m "{spec}" --row {rows[0]}{how}'
    yield str(table.signatures[verdict.metric])


def _with_interval(value: float, low: float = math.nan, high: float = math.nan) -> str:
    return "-" if math.isnan(value) else fixed(value) + ("" if math.isnan(low) else f" [{fixed(low)}, {fixed(high)}]")
