"""The score of an answer's claims by a trained aligner, together with exact checks and a search for refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Reading, Scored, Value
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Reason, Stretch
from nlgauge.data.table.column import CLAIMS, WORDING
from nlgauge.engine.aligners import Aligned, Direction, StretchVerdicts, TrainedAligner, shown, word_units
from nlgauge.engine.features.alignment import AlignedStretch, Alignment, AlignmentRequest
from nlgauge.engine.features.request import Features
from nlgauge.engine.models.packing import SENTENCES
from nlgauge.engine.words import is_word
from nlgauge.faithfulness.claims import Claims, claim_ends, claims
from nlgauge.faithfulness.exact_checks import CheckedSource, SourceDifference
from nlgauge.faithfulness.forms import Forms, forms_of
from nlgauge.faithfulness.refusals import honesty
from nlgauge.maths.alignment import Array, all_supported, least_mean, logistic, mean_alignment
from nlgauge.maths.text import word_spans
from nlgauge.maths.wording import shared_wording

DOUBT = 2.0
"""Log-odds that a difference (`CheckedSource`) subtracts from the log-odds that a source supports a stretch. This value
fits the labels of five held-out sets best: docs/detection.md"""
GIVEN = 2.0
"""The lowest log-odds of a claim that follows from the source by a calculation or by a key"""
SURE = -1.0
"""The highest log-odds of an answer with a difference that is nearly always an error (`SourceDifference.sure`). For
every model they are below the threshold from which rows pass"""
NO_CLAIM = "claims nothing"
"""The end of the reason why an answer that claims nothing has no probability"""


MOST_CHARACTERS = 1_000_000
"""Characters that the answer, the source and the question of a row have at most together. The rules that need no model
take time that grows as n log n with this length, so that the limit bounds it before a row begins. A million characters
took 21 seconds"""


PARTS = ("probability", "score", "least_stretch", "unsupported", WORDING, CLAIMS)
"""The names of the sub-scores of an answer"""


class Answer:
    """An answer that has been read: its claims, and its source, prepared for comparisons."""

    def __init__(self, whole: Direction, row: Row | None = None, unread: str | None = None) -> None:
        size = len(whole.text) + len(whole.question) + sum(map(len, whole.others))
        if size > MOST_CHARACTERS:
            unread = unread or _too_long(size)
            whole = replace(whole, text="", others=("",) * len(whole.others), question="")
        self.whole = whole
        self._row = row
        self.unread = unread
        """The reason why the answer is not read; None where it is read"""
        self.source = source_of(whole)
        self.said = claims(whole.text, self.source.forms, whole.question)

    @property
    def row(self) -> Row:
        """The row of the answer, for a scorer of rows."""
        assert self._row is not None  # the metric gives it
        return self._row


def _too_long(size: int) -> str:
    """Return the reason for not reading an answer: its texts together have `size` characters, which is too long."""
    remedy = "give the passages that the answer is about, and no others"
    return f"its texts have {size:,} characters, and at most {MOST_CHARACTERS:,} are checked at a time: {remedy}"


@dataclass(frozen=True)
class VerdictAligner:
    """A scorer of an answer's claims, by a trained aligner.

    Args:
        reader: the aligner D that judges the claims.
        asks: whether the aligner reads the question too.
    """

    reader: TrainedAligner
    asks: bool = False

    def read(self, answer: Answer, /) -> AnswerReading:
        """Return the reading of an answer: its requests to the aligner, and its score from the features."""
        question = answer.whole.question if self.asks else ""
        ends = (*claim_ends(answer.said.text), len(answer.said.text))
        claimed = replace(answer.whole, text=answer.said.text, question=question, claims=ends)
        return AnswerReading(self.reader, answer, claimed, self.reader.requests(claimed))


@dataclass(eq=False)
class AnswerReading(Reading):
    """The claims of an answer as requests for an aligner, and the score of the answer."""

    reader: TrainedAligner
    answer: Answer
    claimed: Direction
    """What the answer claims, with the ends of the claims"""
    requests: Sequence[AlignmentRequest]

    def score(self, features: Features) -> Scored:
        aligned = self._align(features)
        if isinstance(aligned, str):
            return Scored(Value((np.nan,) * len(PARTS), aligned))
        others = [other for _, other in self.answer.whole.usable]
        wording = shared_wording(self.answer.said.text, others)
        whole = not self.reader.judges_words
        return Scored(
            _value(aligned, self.reader, wording, len(self.claimed.claims), failed=self.answer.said.failed),
            lambda: Evidence(texts=[shown(self.answer.whole, aligned, self.reader.weak, whole)]),
        )

    def _align(self, features: Features) -> Aligned | str:
        """Return the alignment of each word, with its place in the answer, or the reason why there is none."""
        answer = self.answer.whole
        if (reason := self.answer.unread or self.reader.unread(answer)) is not None:
            return reason
        said = self.answer.said
        if said.failed:
            return _no_answer(answer, said.failed)
        refused = _refused(answer, said) if said.refusals else None
        text = features[self.requests[0]] if self.requests else None
        if text is None:
            nothing = NO_CLAIM if is_word(answer.text) else "has no words"
            return f"the {answer.name} {nothing}" if refused is None else _joined(_NOTHING, refused)
        units = word_units(text.text, text.offsets, self.reader.stopwords)
        if refused is None and not units.counted.any():
            return f"the {answer.name} has {units.reason}"
        checked = self._checked(text, self.reader.aligned(self.claimed, text, units))
        return checked if refused is None else _joined(checked, refused)

    def _checked(self, text: Alignment, aligned: Aligned) -> Aligned:
        """Return the alignment of each claim at its place in the answer.

        A difference that exact checks find in a stretch lowers the probability of this stretch.

        Args:
            text: what the aligner gave for the text of the claims, with the log-odds of each stretch.
            aligned: the alignment that was made from `text`, with places in the text of the claims.
        """
        assert aligned.judged is not None  # by the aligner D
        said = self.answer.said
        differences = _differences(self.answer)
        stretches = []
        for read, judged in zip(text.stretches, aligned.judged.stretches, strict=True):
            begin, end = said.place(read.begin, read.end)
            stretch = replace(judged, begin=begin, end=end, supported=self._probability(read, differences))
            stretches.append(self._with_given_words(stretch) if said.given else stretch)
        places = [said.place(begin, end) for begin, end in aligned.spans.tolist()]
        verdicts = aligned.judged._replace(stretches=tuple(stretches), reasons=_reasons(said, differences))
        return Aligned(np.array(places, np.int32).reshape(-1, 2), aligned.alignment, verdicts)

    def _with_given_words(self, stretch: Stretch) -> Stretch:
        """Return a stretch. If it lies in a part that follows from the source (`Given`), its probability is raised."""
        inside = (
            words for words in self.answer.said.given if words.begin <= stretch.begin and stretch.end <= words.end
        )
        given_words = next(inside, None)
        if given_words is None or stretch.supported is None or not self.reader.english:
            return stretch
        return replace(stretch, supported=max(stretch.supported, float(logistic(GIVEN))), given=given_words.why)

    def _probability(self, stretch: AlignedStretch, differences: Sequence[SourceDifference]) -> float | None:
        if np.isnan(stretch.logit):
            return None
        logit = stretch.logit / self.reader.temperature
        # The checks know English forms alone.
        inside = [
            difference
            for difference in differences
            if self.reader.english and stretch.begin <= difference.begin < stretch.end
        ]
        if inside:
            logit -= DOUBT
        return float(logistic(min(logit, SURE) if any(difference.sure for difference in inside) else logit))


@dataclass(eq=False)
class ReadSource:
    """A source, prepared for the comparison with answers. Each property is computed once."""

    texts: Sequence[str]

    @cached_property
    def forms(self) -> Forms:
        """The quantities of the source, as the source writes them."""
        return forms_of(self.texts)

    @cached_property
    def checked(self) -> CheckedSource:
        """The source, prepared for exact checks."""
        return CheckedSource(self.texts)


_sources: WeakValueDictionary[tuple[str, ...], ReadSource] = WeakValueDictionary()


def source_of(answer: Direction) -> ReadSource:
    """Return the prepared source of an answer. Answers with equal source texts share one object while they are read."""
    texts = tuple(other for _, other in answer.usable)
    if (source := _sources.get(texts)) is None:
        source = _sources[texts] = ReadSource(texts)
    return source


def differences(answer: Direction) -> tuple[Reason, ...]:
    """Return the places where the claims of an answer differ from its source, as exact checks find them."""
    read = Answer(answer)
    return _reasons(read.said, _differences(read))


class _Refused(NamedTuple):
    """The words of an answer that say that something is not in the source."""

    spans: NDArray[np.int32]
    """[words, 2]: begin and end of each word, in characters of the answer"""
    alignment: Array
    """[words]: the probability that the source does not have the thing, as the answer says"""
    stretches: tuple[Stretch, ...]


_NOTHING = Aligned(np.empty((0, 2), np.int32), np.empty(0), StretchVerdicts((), (), np.empty(0, np.int32)))


def _differences(answer: Answer) -> list[SourceDifference]:
    """Return the differences of an answer from its source, with addresses, values and names that the source lacks."""
    said = answer.said
    differences = answer.source.checked.differences(said.text, answer.whole.question)
    differences += (
        SourceDifference(*said.near(begin, end), why, sure) for begin, end, why, sure in (*said.links, *said.doubts)
    )
    differences.sort()
    return [
        difference for at, difference in enumerate(differences) if not at or difference.begin >= differences[at - 1].end
    ]


def _reasons(said: Claims, differences: Sequence[SourceDifference]) -> tuple[Reason, ...]:
    return tuple(
        Reason(*said.place(difference.begin, difference.end), difference.reason, difference.sure)
        for difference in differences
    )


def _no_answer(answer: Direction, why: str) -> Aligned:
    """Return the alignment of a text that is no answer: all its words have the probability 0, for the reason `why`."""
    spans = np.array(word_spans(answer.text), np.int32).reshape(-1, 2)
    end = len(answer.text)
    judged = StretchVerdicts(
        (Stretch(0, end, (), 0.0),), (), np.full(len(spans), -1, np.int32), (Reason(0, end, f"no answer: {why}", True),)
    )
    return Aligned(spans, np.zeros(len(spans)), judged)


def _refused(answer: Direction, said: Claims) -> _Refused | None:
    """Return the words by which an answer says that something is not in the source.

    Args:
        answer: the answer, with the texts of its source.
        said: the claims of the answer, with its refusals.

    Returns:
        The words with their probabilities; None if no refusal says what is missing.
    """
    spans: list[tuple[int, int]] = []
    alignment: list[float] = []
    stretches: list[Stretch] = []
    others = [other for _, other in answer.usable]
    for refusal in said.refusals:
        if not refusal.topic:
            continue  # "I do not know" without a question claims nothing
        honest = float(logistic(honesty(refusal.topic, answer.question, others)))
        inside = [
            (refusal.begin + begin, refusal.begin + end)
            for begin, end in word_spans(answer.text[refusal.begin : refusal.end])
        ]
        spans += inside
        alignment += [honest] * len(inside)
        stretches.append(Stretch(refusal.begin, refusal.end, (), honest, abstains=True))
    if not spans:
        return None
    return _Refused(np.array(spans, np.int32), np.array(alignment), tuple(stretches))


def _joined(aligned: Aligned, refused: _Refused) -> Aligned:
    """Return the alignments of the claims and of the refusals together, in the order of the answer."""
    assert aligned.judged is not None
    spans = np.concatenate([aligned.spans, refused.spans])
    order = np.argsort(spans[:, 0], kind="stable")
    nearest = np.concatenate([aligned.judged.nearest, np.full(len(refused.spans), -1, np.int32)])[order]
    stretches = tuple(sorted((*aligned.judged.stretches, *refused.stretches), key=lambda stretch: stretch.begin))
    alignment = np.concatenate([aligned.alignment, refused.alignment])[order]
    return Aligned(spans[order], alignment, aligned.judged._replace(stretches=stretches, nearest=nearest))


def _value(aligned: Aligned, reader: TrainedAligner, wording: float, claims: int, failed: str) -> Value:
    """Return the sub-scores of an answer in the order of `PARTS`.

    Args:
        aligned: the alignment of the answer's words.
        reader: the aligner.
        wording: the share of the longer words of the claims whose beginning the source has; NaN without claims.
        claims: the number of claims.
        failed: why the text is no answer; empty for an answer.
    """
    assert aligned.judged is not None  # by the aligner D
    stretches = aligned.judged.stretches
    probability = all_supported([np.nan if stretch.supported is None else stretch.supported for stretch in stretches])
    if reader.english and any(reason.sure for reason in aligned.judged.reasons):
        probability = min(probability, float(logistic(SURE)))
    why = None
    if np.isnan(wording):
        why = f"it is no answer: {failed}" if failed else "it says alone that something is not there"
    if not reader.judges_words:
        return Value((probability, np.nan, np.nan, np.nan, wording, claims), SENTENCES)
    parts = (
        probability,
        mean_alignment(aligned.alignment),
        least_mean(aligned.alignment, aligned.spans, [(stretch.begin, stretch.end) for stretch in stretches]),
        mean_alignment((aligned.alignment < reader.weak).astype(np.float64)),
        wording,
        claims,
    )
    untrained = np.isnan(parts[: PARTS.index(WORDING)]).any()
    return Value(parts, "the aligner was not trained to judge whole texts" if untrained else why)
