"""What `nlgauge.trust` returns: a record for each scorer and aspect, the disputed rows, and sentences."""

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
    """The score by each scorer"""
    metric: str
    """The name of the scorer that differs most"""
    apart: float
    """The row's rank by this scorer minus its rank by people, as shares of the rated rows. Above 0, the scorer judges
    the row better than people do"""


@dataclass(frozen=True, repr=False)
class Trusts(Answered, Records[Trust]):
    """The result of `trust`: for each aspect a record for each scorer, and one for all scorers together."""

    kind = Trust
    records: list[Trust]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each scorer"""
    disputes: list[Dispute] = field(default_factory=list)
    """The rows on which scorers and people differ most"""
    agreement: tuple[RaterAgreement, ...] = ()
    """The agreement of the raters with each other, for each aspect that several people rated"""

    risk: float = 0.1
    """The promised largest share of bad rows among those that pass a certified threshold; `confidence` is that of the
    promise"""
    confidence: float = 0.9
    below: float | None = None
    """The rating below which a row is bad; None where none was named"""
    margin: float | None = None
    """Half of the wanted length of the intervals of TPR and TNR; None where none was given"""
    lines: Lines | None = field(default=None, repr=False, compare=False)
    """The scorers joined with the ratings, from which `panel` is fitted"""

    @property
    def aspects(self) -> list[str]:
        """The aspects, in the order of the records."""
        return list(dict.fromkeys(record.aspect for record in self))

    def panel(self, aspect: str | None = None) -> FittedPanel:
        """Return a panel: the scorers combined into one, with weights that are fitted to the ratings of an aspect.

        Args:
            aspect: the aspect of the ratings; it may be left out where there is only one.

        Returns:
            The panel. Its `save` writes the file that the metric `Panel` reads.

        Raises:
            InputError: no panel can be fitted, or several aspects are rated and none is named.
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
        """Yield tables with a line for each scorer. Columns without any number are left out.

        Args:
            aspect: the aspect of the ratings.
            wide: whether there is room for more columns than a terminal has.

        Returns:
            The lines of each table, of which the first holds the heads.
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
        """The notes on the numbers of each scorer."""
        several = len(self.aspects) > 1
        return [
            f"{record.metric}{f', {record.aspect}' if several else ''}: {said}"
            for record in self
            for said in clauses(record, "noted")
        ]

    def to_answer(self) -> Answer:
        """Return the answer: the sentences, and the tables of each aspect."""
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
