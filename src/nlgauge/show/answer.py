"""An answer: sentences, tables, notes and a record, from which terminal, notebook, JSON and files are drawn."""

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
    """The command that answers the question"""
    record: Mapping[str, object] = field(default_factory=dict)
    """The answer for programs: the options of the question, and the numbers by their names"""
    sentences: Sequence[str] = ()
    tables: Sequence[Cells] = ()
    keys: int = 1
    """Number of columns at the left of a table that name the row"""
    legend: Sequence[str] = ()
    """Sentences that explain the tables, such as the meaning of marks and columns. `lines` need no legend"""
    notes: Sequence[str] = ()
    """Sentences on what a reader has to know of the numbers"""
    lines: Sequence[Line] = ()
    """Lines that text output shows in place of sentences and tables, where these would say less"""
    ending: Line | None = None
    """The last line of text output, below the notes"""
    documents: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """By format, a function that returns the answer as a text of this format. These formats have no tables, as XML of
    test results has none"""


class Answered:
    """A result that can be shown as an answer, as text and in a notebook."""

    def to_answer(self) -> Answer:
        """Return the result as an answer."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return as_text(self.to_answer())

    def _repr_html_(self) -> str:
        return as_html(self.to_answer())


def as_text(answer: Answer) -> str:
    """Return the answer as text: its lines, or without lines its sentences, tables and legend; then its notes."""
    if answer.lines:
        ending = [answer.ending] if answer.ending is not None else []
        return "\n".join([*drawn(answer.lines), *answer.notes, *drawn(ending)])
    tables = formatted(answer.tables, "text", keys=answer.keys)
    return "\n".join([*answer.sentences, *tables, *answer.legend, *answer.notes])


def as_html(answer: Answer) -> str:
    """Return the answer as HTML for a notebook."""
    return render("answer.html", answer=answer, empty=empty, style=inlined(HERE / "parts.css"))
