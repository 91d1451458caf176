"""The verdict of a gate as one HTML file: the verdict on top, then the rows, the worst first."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import ScoreTable
from nlgauge.gate.verdict import SAID, Outcome, Verdict
from nlgauge.show.page import VERDICT, page
from nlgauge.show.words import Piece, pieces

_FOLDER = Path(__file__).parent
MOST_ROWS = 2_000
"""The greatest number of rows of a page; the worst rows are listed"""
_COLUMNS = ("row", "system", "item", "state", "finding", "value", "question", "answer", "unsupported", "why")
_ORDER = {"failed": 0, "missing": 1, "doubtful": 2, "unread": 3, "allowed": 4, "passed": 5}
_WORDS = {
    "failed": "fails",
    "missing": "has no value",
    "doubtful": "doubtful",
    "unread": "in other words",
    "allowed": "allowed",
    "passed": "passes",
}


@dataclass(frozen=True)
class Earlier:
    """An earlier run, with the verdict of the same gate about that run."""

    verdict: Verdict
    table: ScoreTable
    outputs: Corpus


@dataclass(frozen=True)
class _Line:
    """A row of the page."""

    outcome: Outcome
    finding: str
    question: str
    answer: Sequence[Piece]
    passages: Sequence[Sequence[Piece]]
    before: str
    """The answer of the earlier run, if that was another answer; else empty"""
    texts: str
    """The digests of the row's texts, by which a reader can accept the row"""
    change: str
    """'fixed' or 'broken' since the earlier run; else empty"""


def gate_page(
    verdict: Verdict,
    table: ScoreTable,
    outputs: Corpus,
    path: str | os.PathLike[str],
    *,
    command: str = "",
    share: str = "",
    earlier: Earlier | None = None,
    title: str | None = None,
) -> None:
    """Write a page that shows the verdict of a gate on each row, as one file that is written whole or not at all.

    Args:
        verdict: the verdict of the gate.
        table: the scores that were checked, with their evidence.
        outputs: the rows that were scored, in the order of the table.
        path: the path of the page.
        command: the command that was run, to be shown on the page.
        share: a sentence about the true share of bad answers, if people rated rows; else empty.
        earlier: an earlier run. Rows are joined by item, and also by system if there are several systems.
        title: the title of the page; by default the verdict's headline.

    Raises:
        InputError: the page cannot be written.
    """
    lines = _lines(verdict, table, list(outputs), earlier)
    rows = [outcome for outcome in verdict.outcomes if outcome.row is not None]
    failing = [outcome for outcome in rows if outcome.failed]
    # The page lets a reader accept answers by the digests of their texts, where the set decides.
    by_set = verdict.decision is not None
    made = page(
        "gate.html",
        _FOLDER,
        command="check",
        title=title or verdict.headline,
        styles=[VERDICT, _FOLDER / "gate.css"],
        scripts=[_FOLDER / "gate.js"],
        verdict=verdict,
        rows=len(rows),
        failing=len(failing),
        findings=_counted(rows),
        ruling=verdict.ruling,
        by_set=by_set,
        systems=_systems(verdict),
        date=date.today().isoformat(),
        lines=lines[:MOST_ROWS],
        left_out=max(0, len(lines) - MOST_ROWS),
        fixed=sum(line.change == "fixed" for line in lines),
        broken=sum(line.change == "broken" for line in lines),
        earlier=earlier is not None,
        words=_WORDS,
        share=share,
        ran=command,
        signature=str(table.signatures.get(verdict.metric, "")),
    )
    with atomic_write(Path(path)) as file:
        file.write(made)


def write_verdicts(verdict: Verdict, outputs: Corpus, path: str | os.PathLike[str]) -> None:
    """Write CSV with a line for each row: state, finding, value, question, answer, unsupported words, and the reason.

    Args:
        verdict: the verdict of the gate.
        outputs: the rows that were scored, in the order of the table.
        path: the path of the CSV file.
    """
    texts = list(outputs)
    with atomic_write(Path(path)) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(_COLUMNS)
        for outcome in verdict.outcomes:
            if outcome.row is None:
                continue
            row = texts[outcome.row - 1]
            words = " | ".join(word for text in outcome.unsupported for word in text.words)
            why = outcome.why
            value = "" if math.isnan(outcome.value) else outcome.value
            table.writerow(
                [
                    outcome.row,
                    outcome.system,
                    outcome.item,
                    outcome.state,
                    outcome.finding,
                    value,
                    row.question,
                    row.candidate,
                    words,
                    why,
                ]
            )


def _systems(verdict: Verdict) -> list[tuple[str, int, int, int, int]]:
    """Return counts by system (name, answers read, doubtful, failing, unread); an empty list for a single system."""
    decided = () if verdict.decision is None else verdict.decision.systems
    counts = [
        (system.system, system.n, system.doubted - system.failing, system.failing, system.unread) for system in decided
    ]
    return counts if len(counts) > 1 else []


def _counted(rows: Sequence[Outcome]) -> list[tuple[str, int, str]]:
    """Return (finding, number of rows, meaning of the finding) of each finding, the most frequent first."""
    counts: dict[str, int] = {}
    for outcome in rows:
        name = outcome.finding or _WORDS[outcome.state]
        counts[name] = counts.get(name, 0) + 1
    said: Mapping[str, str] = SAID  # type: ignore[assignment]
    return [(name, n, said.get(name, "")) for name, n in sorted(counts.items(), key=lambda counted: -counted[1])]


def _lines(verdict: Verdict, table: ScoreTable, texts: Sequence[Row], earlier: Earlier | None) -> list[_Line]:
    column = table.columns[verdict.metric]
    old = {} if earlier is None else _by_row(earlier, several=len(table.systems) > 1)
    lines: list[_Line] = []
    for outcome in verdict.outcomes:
        if outcome.row is None:
            continue
        row = texts[outcome.row - 1]
        evidence = column.evidence.get(outcome.row - 1)
        name = outcome.finding or _WORDS[outcome.state]
        was = old.get((outcome.system if len(table.systems) > 1 else "", outcome.item))
        change = ""
        if was is not None and (was[0].state == "passed") != (outcome.state == "passed"):
            change = "fixed" if outcome.state == "passed" else "broken"
        before = was[1] if was is not None and was[1] != row.candidate else ""
        lines.append(
            _Line(
                outcome=outcome,
                finding=name,
                question=row.question or "",
                answer=_answer(outcome, row.candidate, evidence),
                passages=_passages(row.source or row.context or "", evidence),
                before=before,
                texts=row.fingerprint,
                change=change,
            )
        )
    value = {id(line): math.inf if math.isnan(line.outcome.value) else line.outcome.value for line in lines}
    better = verdict.at_most is None
    return sorted(lines, key=lambda line: (_ORDER[line.outcome.state], value[id(line)] if better else -value[id(line)]))


def _by_row(earlier: Earlier, several: bool) -> dict[tuple[str, str | None], tuple[Outcome, str]]:
    texts = list(earlier.outputs)
    rows = [outcome for outcome in earlier.verdict.outcomes if outcome.row is not None]
    return {
        (outcome.system if several else "", outcome.item): (outcome, texts[(outcome.row or 1) - 1].candidate)
        for outcome in rows
    }


def _texts(evidence: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    return [text for text in (evidence or {}).get("texts", []) if text["name"] == "candidate"]


def _answer(outcome: Outcome, answer: str, evidence: Mapping[str, Any] | None) -> list[Piece]:
    """Return the answer in pieces, with marks on parts that differ from the source and on unsupported words."""
    marks: list[tuple[int, int, Mapping[str, Any]]] = []
    for text in _texts(evidence):
        differences = [(reason["begin"], reason["end"]) for reason in text.get("reasons", [])]
        marks += [
            (reason["begin"], reason["end"], {"kind": "differs", "note": reason["said"]})
            for reason in text.get("reasons", [])
        ]
        words = next(
            (marked.spans for marked in outcome.unsupported if marked.name == text["name"]), text.get("unsupported", [])
        )
        for begin, end in words:
            at = begin
            for first, last in [*sorted(differences), (end, end)]:
                if at < first and at < end:
                    marks.append((at, min(first, end), {"kind": "unsupported", "note": "not supported"}))
                at = max(at, last)
    return list(pieces(answer, marks))


def _passages(source: str, evidence: Mapping[str, Any] | None) -> list[list[Piece]]:
    """Return each passage of the source in pieces, with marks on the sentences that the answer was compared with."""
    quotes = {
        (quote["begin"], quote["end"]): {"kind": "quote", "note": "compared with the answer"}
        for text in _texts(evidence)
        for quote in text.get("quotes", [])
        if quote["name"] in ("source", "context")
    }
    passages: list[list[Piece]] = []
    at, between = 0, "\n\n" if "\n\n" in source else "\n"  # several passages are joined by ends of lines
    for passage in source.split(between):
        inside = [
            (begin - at, end - at, mark)
            for (begin, end), mark in quotes.items()
            if at <= begin and end <= at + len(passage)
        ]
        if passage.strip():
            passages.append(list(pieces(passage, inside)))
        at += len(passage) + len(between)
    return passages
