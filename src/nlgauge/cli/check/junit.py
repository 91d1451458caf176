"""A verdict as JUnit XML, which most CI servers show: a test case for each row, and for each system compared."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import click

from nlgauge.cli.check import text
from nlgauge.data.table import ScoreTable
from nlgauge.meta.gate import Outcome, Regression, Verdict


def show(verdict: Verdict, table: ScoreTable, outputs: Path, against: Path | None, how: str) -> None:
    """The XML on stdout, the rest on stderr as `text` has it."""
    name = text.name(verdict)
    worse = sum(one.worse for one in verdict.regressions)
    counts = {
        "tests": len(verdict.outcomes) + len(verdict.regressions),
        "failures": verdict.count("bar") + worse,
        "errors": verdict.count("missing"),
        "skipped": verdict.count("allowed"),
    }
    suites = Element("testsuites")
    suite = SubElement(suites, "testsuite", {"name": _legal(name)} | {key: str(n) for key, n in counts.items()})
    for one in verdict.outcomes:
        _row(suite, one, name)
    for regression in verdict.regressions:
        _compared(suite, regression, name, against)
    indent(suites)
    click.echo('<?xml version="1.0" encoding="UTF-8"?>')
    click.echo(tostring(suites, encoding="unicode"))
    text.tell(verdict, table, outputs, how)


def _row(suite: Element, one: Outcome, name: str) -> None:
    case = SubElement(suite, "testcase", classname=_legal(name), name=_legal(text.place(one)))
    element = {"bar": "failure", "missing": "error", "allowed": "skipped"}.get(one.state)
    if element:
        what = SubElement(case, element, message=_legal(one.problem or ""))
        what.text = _legal("\n".join(text.quoted(one))) or None


def _compared(suite: Element, one: Regression, name: str, against: Path | None) -> None:
    case = SubElement(suite, "testcase", classname=_legal(name), name=_legal(f"system {one.system} against {against}"))
    if one.worse:
        SubElement(case, "failure", message=_legal("; ".join(text.compared(one, against))))


def _legal(text: str) -> str:
    """Without the characters that XML cannot hold, each of which a sign stands for."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
