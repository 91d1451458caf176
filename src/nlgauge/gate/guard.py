"""The gate for an answer that is still being written. Each sentence is checked as soon as it has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from nlgauge import registry
from nlgauge.contract.base import Metric, RowMetric, refuse_without_probability
from nlgauge.contract.together import OfMembers
from nlgauge.data.corpus import Corpus
from nlgauge.engine.aligners import Direction
from nlgauge.engine.models import loading
from nlgauge.errors import InputError, SpecError
from nlgauge.evaluation import evaluate
from nlgauge.faithfulness.aligner import source_of
from nlgauge.faithfulness.claims import claim_ends
from nlgauge.gate import Outcome, check
from nlgauge.gate.thresholds import METRIC


class Guard:
    """A checker of single sentences against a source. Each is sorted as a row is by `nlgauge.check(grounded=True)`.

    Source and model are prepared once, so a sentence takes little more time than the model needs to read it.

    Args:
        source: a text, or a list of passages or documents (with `page_content`, `text` or `content`).
        question: the question that is answered. It never counts as a support.
        model: as `nlgauge.evaluate` takes it. Its card must have thresholds.
        metric: a metric that gives the probability of support, as `check --grounded -m` takes it; by default
            `Faithfulness`. With a `Judge`, each sentence costs two requests, of which the first finds out how the
            server answers. The cache is not used.

    Raises:
        InputError: the source has no texts.
        SpecError: the model cannot be loaded, or the metric gives no probability or reads a column.

    >>> guard = Guard("The ferry leaves at nine.")
    >>> guard.add("The ferry leaves at ten.").finding
    'contradicted'
    """

    def __init__(
        self,
        source: Any,
        question: str | None = None,
        model: str | None = None,
        metric: str | Metric = METRIC,
    ) -> None:
        refuse_no_source(source)
        self._metric = registry.metric(metric, model=model)
        refuse_without_probability(self._metric)
        _refuse_columns(self._metric, self._metric)
        (self._row,) = Corpus.from_records([{"candidate": "", "source": source, "question": question}])
        self._source = source_of(Direction("candidate", "", "source", (self._row.source or "",)))
        """The source is kept, so that it is prepared once for all sentences"""
        names = (self._metric.reads, *self._metric.other_models)
        self._models = [loading.hold(name) for name in names if name is not None]
        self.outcomes: list[Outcome] = []
        """The outcomes of the sentences so far. The `row` of an outcome is the number of the sentence, from 1"""

    @property
    def passed(self) -> bool:
        """Whether no sentence has failed so far."""
        return not any(outcome.failed for outcome in self.outcomes)

    def add(self, text: str) -> Outcome:
        """Return the outcome of the check of a sentence, or of a whole answer.

        Args:
            text: the sentence, or the answer.

        Returns:
            The outcome, which is also added to `outcomes`.

        Raises:
            InputError: the text is not a string, or the model has no thresholds.
        """
        if not isinstance(text, str):
            raise InputError(f"the answer is {text!r:.60}, not a text", remedy="give the text that was generated")
        row = replace(self._row, candidate=text)
        table = evaluate(Corpus((row,)), metrics=self._metric, evidence=True, cache=False)
        (outcome,) = check(table, grounded=True).outcomes
        self.outcomes.append(replace(outcome, row=len(self.outcomes) + 1, answer=text))
        return self.outcomes[-1]

    def read(self, pieces: Iterable[str]) -> Iterator[Outcome]:
        """Yield the outcome of each sentence of a text that arrives in pieces, as soon as the sentence has ended.

        Args:
            pieces: the pieces, in order.

        Returns:
            The outcomes, as `add` returns them.

        Raises:
            InputError: as `add`.
        """
        held = ""
        for piece in pieces:
            ended, held = cut(held + piece)
            yield from map(self.add, ended)
        if held.strip():
            yield self.add(held.strip())


def cut(text: str) -> tuple[list[str], str]:
    """Return the finished sentences of a text that is still being written, and the unfinished rest.

    A sentence counts as finished only when some text follows it, because "3." may continue as "3.50". A colon does not
    end a sentence.

    Args:
        text: the text so far.

    Returns:
        The sentences, without spaces around them, and the rest unchanged.
    """
    places = [0, *claim_ends(text)]
    ended = [text[begin:end].strip() for begin, end in pairwise(places)]
    return [sentence for sentence in ended if sentence], text[places[-1] :]


def refuse_no_source(source: object) -> None:
    """Raise InputError for a source without texts, because such a source supports no answer."""
    if source is None or (hasattr(source, "__len__") and not len(source)):
        what = "None" if source is None else f"an empty {type(source).__name__}"
        remedy = "give the text, the passages or the documents that the answer should be supported by"
        raise InputError(f"source is {what}, and an answer is grounded in nothing", remedy=remedy)


def _refuse_columns(metric: Metric, whole: Metric) -> None:
    """Raise SpecError for a metric that reads a column of the rows, which a new sentence does not have.

    Args:
        metric: the metric to check. If it is made of several metrics, each of these is checked.
        whole: the metric that the error names.
    """
    if isinstance(metric, OfMembers):
        for member in metric.members.values():
            _refuse_columns(member, whole)
    elif isinstance(metric, RowMetric) and metric.subject == "column":
        problem = f"{whole} reads a column of the rows, and a sentence that is being written has none"
        remedy = "take Faithfulness or a Judge, or give finished rows to nlgauge.check(grounded=True)"
        raise SpecError(f"{problem}: {remedy}")
