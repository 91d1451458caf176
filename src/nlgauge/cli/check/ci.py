"""A verdict for CI servers: workflow commands of GitHub Actions, JUnit XML, or Markdown for a comment.

The workflow commands annotate rows that do not pass, at their line of the file of outputs. Their form is that of
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands. JUnit XML has a test case for each
row, and for each system that is compared.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from nlgauge.cli.check import text
from nlgauge.gate import Outcome, Regression, Verdict
from nlgauge.show.tables import Cell, Number, formatted, harmless, in_markdown

_WORDS = {"passes": "passed", "fails": "failed", "cannot tell": "cannot tell"}


def github(verdict: Verdict, outputs: Path, against: Path | None) -> str:
    """Return workflow commands, one on a line: an annotation for each row that does not pass, then the counts."""
    title = text.name(verdict)
    lines: list[str] = []
    if verdict.decision is not None and not verdict.nothing_checked:
        kind = "notice" if verdict.ruling == "passes" else "error"
        lines.append(_command(kind, " ".join(text.decided(verdict)), file=None, line=None, title=title))
    for row in verdict.worst:
        # Only there does the number of a row tell its line.
        line = row.row if outputs.suffix == ".jsonl" else None
        message = "\n".join([f"{text.place(row)}: {row.problem}", *text.quoted(row)])
        kind = "error" if row.failed and (verdict.decision is None or row.state == "missing") else "warning"
        kind = "notice" if row.state == "unread" else kind
        lines.append(_command(kind, message, file=outputs, line=line, title=title))
    for regression in verdict.regressions:
        if regression.worse:
            message = "\n".join(text.compared(regression, against))
            lines.append(_command("error", message, file=outputs, line=None, title=title))
    if verdict.nothing_checked:
        lines.append(_command("error", text.NOTHING_CHECKED, file=outputs, line=None, title=title))
    counts = f"{text.counted(verdict)}; {_WORDS[verdict.ruling]}"
    lines.append(_command("notice", counts, file=None, line=None, title=title))
    return "\n".join(lines)


def _command(kind: str, message: str, **properties: object) -> str:
    named = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{kind} {named}::{_message(message)}"


def _message(text: str) -> str:
    return harmless(text, lines=True).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def junit(verdict: Verdict, outputs: Path, against: Path | None) -> str:
    """Return a verdict as JUnit XML. `outputs` is not used."""
    name = text.name(verdict)
    worse = sum(regression.worse for regression in verdict.regressions)
    by_set = verdict.decision is not None and not verdict.nothing_checked
    failing = (verdict.ruling != "passes") + 0 if by_set else verdict.count("failed") + worse
    counts = {
        "tests": len(verdict.outcomes) + len(verdict.regressions) + verdict.nothing_checked + by_set,
        "failures": failing + verdict.nothing_checked,
        "errors": verdict.count("missing"),
        "skipped": verdict.count("allowed", "unread"),
    }
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", {"name": _legal(name)} | {key: str(n) for key, n in counts.items()})
    if by_set:
        case = SubElement(suite, "testcase", classname=_legal(name), name="the set")
        said = _legal(" ".join(text.decided(verdict)))
        if verdict.ruling != "passes":
            SubElement(case, "failure", message=said)
        else:
            SubElement(case, "system-out").text = said
    for outcome in verdict.outcomes:
        _row(suite, outcome, name, by_set)
    for regression in verdict.regressions:
        _compared(suite, regression, name=name, against=against, by_set=by_set)
    if verdict.nothing_checked:
        case = SubElement(suite, "testcase", classname=_legal(name), name="all rows")
        SubElement(case, "failure", message=text.NOTHING_CHECKED)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}'


_LISTED = 20
"""Number of rows that a comment shows"""


def markdown(verdict: Verdict, outputs: Path, against: Path | None) -> str:
    """Return a verdict as a comment for a pull request: the answer, then the worst rows. `outputs` is not used."""
    sign = {"passes": "✅", "fails": "❌", "cannot tell": "❔"}[verdict.ruling]
    parts = [f"### {sign} {in_markdown(verdict.headline)}"]
    if verdict.decision is not None and verdict.decision.following is not None:
        parts.append(in_markdown(verdict.decision.following))
    if verdict.findings:
        parts.append(", ".join(f"{count} {finding}" for finding, count in verdict.findings.items()))
    parts += [in_markdown(": ".join(text.compared(regression, against))) for regression in verdict.regressions]
    if rows := verdict.worst[:_LISTED]:
        cells: list[list[Cell]] = [["row", "finding", "answer", "why"]]
        for row in rows:
            answer = next(text.quoted(row), "").partition(": ")[2]
            number = "" if row.row is None else Number(row.row, digits=0)
            cells.append([number, row.finding or row.state, answer, row.why])
        parts.append("\n".join(formatted([cells], "markdown")))
    if (more := len(verdict.worst) - len(rows)) > 0:
        parts.append(f"{more} more rows do not pass.")
    return "\n\n".join(parts)


def _row(suite: Element, outcome: Outcome, name: str, by_set: bool) -> None:
    case = SubElement(suite, "testcase", classname=_legal(name), name=_legal(text.place(outcome)))
    failing = "system-out" if by_set else "failure"
    elements = {"doubtful": "system-out", "missing": "error", "allowed": "skipped", "unread": "skipped"}
    element = failing if outcome.state == "failed" else elements.get(outcome.state)
    if element == "system-out":
        SubElement(case, element).text = _legal("\n".join([outcome.problem or "", *text.quoted(outcome)]))
    elif element:
        what = SubElement(case, element, message=_legal(outcome.problem or ""))
        what.text = _legal("\n".join(text.quoted(outcome))) or None


def _compared(suite: Element, regression: Regression, *, name: str, against: Path | None, by_set: bool) -> None:
    title = _legal(f"system {regression.system} against {against}")
    case = SubElement(suite, "testcase", classname=_legal(name), name=title)
    if regression.worse and not by_set:
        SubElement(case, "failure", message=_legal("; ".join(text.compared(regression, against))))


def _legal(text: str) -> str:
    """Return a text without the characters that XML cannot hold or that steer a terminal.

    U+FFFD replaces each of these characters.
    """
    return re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", harmless(text, lines=True))


FORMATS = {"github": github, "junit": junit, "markdown": markdown}
