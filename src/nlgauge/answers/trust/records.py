"""What `nlgauge.trust` returns: a record of each scorer and aspect, the rows that are disputed, and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nlgauge.answers.trust.declared import clauses, columns_of
from nlgauge.answers.trust.numbers import TABLES, Trust
from nlgauge.data.table.frame import Records
from nlgauge.errors import InputError
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import Cell, empty
from nlgauge.stats.interrater import RaterAgreement

if TYPE_CHECKING:
    from nlgauge.answers.fitted_panel import FittedPanel
    from nlgauge.answers.trust.lines import Lines


@dataclass(frozen=True)
class Dispute:
    """A rated row on which a scorer and people differ much."""

    system: str
    item: str
    aspect: str
    rating: float
    scores: Mapping[str, float]
    """By scorer"""
    metric: str
    """The scorer that differs most"""
    apart: float
    """Its rank of the row less people's, in shares of the rated rows: above 0 where the scorer finds it better"""


@dataclass(frozen=True, repr=False)
class Trusts(Answered, Records[Trust]):
    """What `trust` found: by aspect, a record for each scorer, and one for all of them together."""

    kind = Trust
    records: list[Trust]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each scorer"""
    disputes: list[Dispute] = field(default_factory=list)
    """The rows on which scorers and people differ most"""
    agreement: tuple[RaterAgreement, ...] = ()
    """Of the raters of each aspect that several people rated"""

    risk: float = 0.1
    """Of the certified thresholds, as is the confidence"""
    confidence: float = 0.9
    below: float | None = None
    """The rating below which a row is bad, where one was named"""
    margin: float | None = None
    """Half the length that the intervals of TPR and TNR are to have, where a plan was asked for"""
    lines: Lines | None = field(default=None, repr=False, compare=False)
    """The scorers beside the ratings, of which `panel` is made"""

    @property
    def aspects(self) -> list[str]:
        """The aspects, in the order of the records."""
        return list(dict.fromkeys(record.aspect for record in self))

    def panel(self, aspect: str | None = None) -> FittedPanel:
        """Return the scorers as one, by the weights that the ratings of an aspect give them.

        Args:
            aspect: that of the ratings; may be left out where there is one.

        Returns:
            The panel. Its `save` writes the file that the metric `Panel` reads.

        Raises:
            InputError: the ratings or the scorers make none, or several aspects are rated and none is named.
        """
        from nlgauge.answers.trust.panel import fitted_panel  # where a panel is asked for

        assert self.lines is not None
        if aspect is None and len(self.aspects) > 1:
            remedy = f"name one of {', '.join(self.aspects)} (--aspect in the command)"
            raise InputError("several aspects are rated, and a panel answers one question", remedy=remedy)
        aspect = self.aspects[0] if aspect is None else aspect
        names = [record.metric for record in self if record.aspect == aspect and not record.reason]
        return fitted_panel(self.lines, aspect, [name for name in names if name in self.lines.table.columns])

    def tables(self, aspect: str, wide: bool = False) -> Iterator[list[list[Cell]]]:
        """Yield tables with a line for each scorer. Columns in which no scorer has anything are left out.

        Args:
            aspect: that of the ratings.
            wide: whether there is room for more columns than a terminal has.

        Returns:
            The rows of each table, of which the first holds the heads.
        """
        lines = [record for record in self if record.aspect == aspect and not record.reason]
        for table, belongs in TABLES.items():
            records = [record for record in lines if belongs(record)]
            shown = [of for of in columns_of(Trust, table, wide) if any(not empty(of[1](record)) for record in records)]
            if shown:
                heads: list[Cell] = [aspect, *(column.title(lines, self.risk) for column, _ in shown)]
                yield [heads, *([record.metric, *(cell(record) for _, cell in shown)] for record in records)]

    @property
    def legend(self) -> list[str]:
        """Sentences that say what the numbers of each scorer mean, and what they cannot say."""
        several = len(self.aspects) > 1
        return [
            f"{record.metric}{f', {record.aspect}' if several else ''}: {said}"
            for record in self
            for said in clauses(record, "noted")
        ]

    def to_answer(self) -> Answer:
        """Return the sentences, and the tables of each aspect."""
        return Answer(
            command="trust",
            record={
                "risk": self.risk,
                "confidence": self.confidence,
                "below": self.below,
                "margin": self.margin,
                "answers": self.answers,
                "scorers": self.records,
                "disputes": self.disputes,
                "agreement": self.agreement,
            },
            sentences=self.answers,
            tables=[cells for aspect in self.aspects for cells in self.tables(aspect)],
            legend=self.legend,
            notes=self.notes,
        )
