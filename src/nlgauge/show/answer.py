"""An answer: sentences, tables, notes and a record. Terminal, notebook, JSON and files are drawn from the same one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from nlgauge.show.environment import HERE, inlined, render
from nlgauge.show.lines import Line, drawn
from nlgauge.show.tables import Cells, empty, formatted


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to a question, before it is drawn on a terminal or a page."""

    command: str
    """The command that asks the question"""
    record: Mapping[str, object] = field(default_factory=dict)
    """What a program reads: what was asked, and the numbers by their names"""
    sentences: Sequence[str] = ()
    tables: Sequence[Cells] = ()
    keys: int = 1
    """How many columns of a table say what a row is"""
    legend: Sequence[str] = ()
    """What stands beside the tables, such as what their marks and columns mean, a sentence each; a record and lines say
    it themselves"""
    notes: Sequence[str] = ()
    """What a reader has to know of the numbers, a sentence each"""
    lines: Sequence[Line] = ()
    """What text output shows in place of sentences and tables, where these would say less"""
    ending: Line | None = None
    """What text output shows last, below the notes"""
    documents: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """By format, what makes the answer as a text of a format that has no tables, such as the XML of test results"""


class Answered:
    """A result that is an answer: drawn as a text, and in a notebook."""

    def to_answer(self) -> Answer:
        """Return the answer."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return as_text(self.to_answer())

    def _repr_html_(self) -> str:
        return as_html(self.to_answer())


def as_text(answer: Answer) -> str:
    """Return the answer as text: sentences and tables, or its own lines; then what has to be known of them."""
    if answer.lines:
        ending = [answer.ending] if answer.ending is not None else []
        return "\n".join([*drawn(answer.lines), *answer.notes, *drawn(ending)])
    tables = formatted(answer.tables, "text", keys=answer.keys)
    return "\n".join([*answer.sentences, *tables, *answer.legend, *answer.notes])


def as_html(answer: Answer) -> str:
    """Return the answer for a notebook."""
    return render("answer.html", answer=answer, empty=empty, style=inlined(HERE / "parts.css"))
