"""A verdict for CI servers: workflow commands of GitHub Actions, JUnit XML, or Markdown for a comment.

GitHub's are annotations for whatever fails, at its line of the outputs, in the form of
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands. JUnit XML has a test case for each
row, and for each system compared.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import click

from nlgauge.cli.check import text
from nlgauge.data.table import ScoreTable
from nlgauge.gate import Outcome, Regression, Verdict
from nlgauge.render.tables import harmless

_WORDS = {"passes": "passed", "fails": "failed", "cannot tell": "cannot tell"}


def show_github(verdict: Verdict, table: ScoreTable, outputs: Path, against: Path | None, how: str) -> None:
    """Print annotations and the counts on stdout, the rest on stderr as `text` has it."""
    title = text.name(verdict)
    if verdict.decision is not None and not verdict.nothing_checked:
        kind = "notice" if verdict.ruling == "passes" else "error"
        click.echo(_command(kind, " ".join(text.decided(verdict)), file=None, line=None, title=title))
    for one in verdict.worst:
        # Only there does the number of a row tell its line.
        line = one.row if outputs.suffix == ".jsonl" else None
        message = "\n".join([f"{text.place(one)}: {one.problem}", *text.quoted(one)])
        kind = "error" if one.failed and (verdict.decision is None or one.state == "missing") else "warning"
        kind = "notice" if one.state == "unread" else kind
        click.echo(_command(kind, message, file=outputs, line=line, title=title))
    for regression in verdict.regressions:
        if regression.worse:
            message = "\n".join(text.compared(regression, against))
            click.echo(_command("error", message, file=outputs, line=None, title=title))
    if verdict.nothing_checked:
        click.echo(_command("error", text.NOTHING_CHECKED, file=outputs, line=None, title=title))
    end = f"{text.counted(verdict)}; {_WORDS[verdict.ruling]}"
    click.echo(_command("notice", end, file=None, line=None, title=title))
    text.tell(verdict, table, outputs, how)


def _command(kind: str, message: str, **properties: object) -> str:
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{kind} {given}::{_message(message)}"


def _message(text: str) -> str:
    return harmless(text, lines=True).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def show_junit(verdict: Verdict, table: ScoreTable, outputs: Path, against: Path | None, how: str) -> None:
    """Print the XML on stdout, the rest on stderr as `text` has it."""
    name = text.name(verdict)
    worse = sum(one.worse for one in verdict.regressions)
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
    for one in verdict.outcomes:
        _row(suite, one, name, by_set)
    for regression in verdict.regressions:
        _compared(suite, regression, name=name, against=against, by_set=by_set)
    if verdict.nothing_checked:
        case = SubElement(suite, "testcase", classname=_legal(name), name="all rows")
        SubElement(case, "failure", message=text.NOTHING_CHECKED)
    indent(suites)
    click.echo('<?xml version="1.0" encoding="UTF-8"?>')
    click.echo(tostring(suites, encoding="unicode"))
    text.tell(verdict, table, outputs, how)


_LISTED = 20


def show_markdown(verdict: Verdict, table: ScoreTable, outputs: Path, against: Path | None, how: str) -> None:
    """Print a comment for a pull request on stdout: the answer, then the rows that fail. The rest goes to stderr."""
    failing = verdict.worst
    sign = {"passes": "✅", "fails": "❌", "cannot tell": "❔"}[verdict.ruling]
    click.echo(f"### {sign} {verdict.headline}\n")
    if verdict.decision is not None and verdict.decision.following is not None:
        click.echo(f"{_cell(verdict.decision.following)}\n")
    if verdict.findings:
        click.echo(", ".join(f"{count} {finding}" for finding, count in verdict.findings.items()) + "\n")
    for regression in verdict.regressions:
        click.echo(_cell(": ".join(text.compared(regression, against))) + "\n")
    if failing:
        click.echo("| row | finding | answer | why |\n|---:|---|---|---|")
        for one in failing[:_LISTED]:
            answer = next(text.quoted(one), "").partition(": ")[2]
            click.echo(f"| {one.row or ''} | {one.finding or one.state} | {_cell(answer)} | {_cell(one.why)} |")
    if len(failing) > _LISTED:
        click.echo(f"\n{len(failing) - _LISTED} more rows do not pass.")
    text.tell(verdict, table, outputs, how)


def _cell(said: str) -> str:
    """Return a text that neither ends its cell nor is read as Markdown or HTML."""
    plain = harmless(said, lines=True).replace("\n", " ")
    return re.sub(r"([\\`*_\[\]<>|#@])", r"\\\1", plain)


def _row(suite: Element, one: Outcome, name: str, by_set: bool) -> None:
    case = SubElement(suite, "testcase", classname=_legal(name), name=_legal(text.place(one)))
    failing = "system-out" if by_set else "failure"
    elements = {"doubtful": "system-out", "missing": "error", "allowed": "skipped", "unread": "skipped"}
    element = failing if one.state == "failed" else elements.get(one.state)
    if element == "system-out":
        SubElement(case, element).text = _legal("\n".join([one.problem or "", *text.quoted(one)]))
    elif element:
        what = SubElement(case, element, message=_legal(one.problem or ""))
        what.text = _legal("\n".join(text.quoted(one))) or None


def _compared(suite: Element, one: Regression, *, name: str, against: Path | None, by_set: bool) -> None:
    case = SubElement(suite, "testcase", classname=_legal(name), name=_legal(f"system {one.system} against {against}"))
    if one.worse and not by_set:
        SubElement(case, "failure", message=_legal("; ".join(text.compared(one, against))))


def _legal(text: str) -> str:
    """Return a text without the characters that XML cannot hold or that steer a terminal.

    A sign stands for each of them.
    """
    return re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", harmless(text, lines=True))
