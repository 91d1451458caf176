"""What a trained aligner says of the claims of an answer; exact checks and a search for refusals decide with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.evidence import Reason, Stretch
from nlgauge.engine.aligners import Aligned, Direction, StretchVerdicts, TrainedAligner, word_units
from nlgauge.engine.features.alignment import AlignedStretch, Alignment, AlignmentRequest
from nlgauge.engine.features.request import Features
from nlgauge.engine.words import is_word
from nlgauge.faithfulness.claims import Claims, claims
from nlgauge.faithfulness.exact_checks import CheckedSource, SourceDifference
from nlgauge.faithfulness.refusals import honesty
from nlgauge.maths.alignment import Array, logistic
from nlgauge.maths.text import word_spans

DOUBT = 2.0
"""What a sure difference (`CheckedSource`) takes from the log-odds that a source supports a stretch. It fits the labels
of five held-out sets best: docs/detection.md"""
SURE = -1.0
"""The highest log-odds of a stretch with a difference that is nearly always an error. They are below every threshold
from which a model's rows pass"""
NO_CLAIM = "claims nothing"
"""In the reason why an answer has no probability"""


@dataclass(frozen=True)
class VerdictAligner:
    """Aligns what an answer claims with its source.

    reader: the aligner D that reads the claims. asks: whether it reads the question too.
    """

    reader: TrainedAligner
    asks: bool = False

    @property
    def weak(self) -> float:
        """A word with an alignment below this is shown as unsupported"""
        return self.reader.weak

    @property
    def shows_words(self) -> bool:
        """Whether each word has an alignment to show"""
        return self.reader.shows_words

    def requests(self, answer: Direction) -> list[AlignmentRequest]:
        """The features that `align` needs."""
        return self.reader.requests(self._claimed(answer, _claims(answer)))

    def align(self, answer: Direction, features: Features) -> Aligned | str:
        """The words and alignments, with places in the answer, or the reason why there are none."""
        if (reason := self.reader.unread(answer)) is not None:
            return reason
        said = _claims(answer)
        if said.failed:
            return _no_answer(answer, said.failed)
        claimed, refused = self._claimed(answer, said), _refused(answer, said)
        text = self.reader.read(claimed, features)
        if text is None and not refused:
            return f"the {answer.name} {NO_CLAIM if is_word(answer.text) else 'has no words'}"
        if text is None:
            return _joined(_NOTHING, refused)
        units = word_units(text.text, text.offsets, self.reader.stopwords)
        if not units.counted.any() and not refused:
            return f"the {answer.name} has {units.reason}"
        aligned = self.reader.aligned(claimed, text, units)
        return _joined(self._checked(answer, said, text, aligned), refused)

    def _claimed(self, answer: Direction, said: Claims) -> Direction:
        """The claims of an answer, as the aligner reads them."""
        return answer._replace(text=said.text, question=answer.question if self.asks else "")

    def _checked(self, answer: Direction, said: Claims, text: Alignment, aligned: Aligned) -> Aligned:
        """The alignments of claims at their places in the answer; what exact checks find in a stretch lowers it."""
        assert aligned.judged is not None  # by the aligner D
        found = _differences(answer, said)
        stretches = (
            replace(stretch, begin=begin, end=end, supported=self._probability(one, found))
            for one, stretch in zip(text.stretches, aligned.judged.stretches, strict=True)
            for begin, end in [said.place(one.begin, one.end)]
        )
        judged = aligned.judged._replace(stretches=tuple(stretches), reasons=_reasons(said, found))
        return Aligned(_placed(said, aligned.spans), aligned.alignment, judged)

    def _probability(self, stretch: AlignedStretch, found: Sequence[SourceDifference]) -> float | None:
        if np.isnan(stretch.logit):
            return None
        logit = stretch.logit / self.reader.temperature
        # The checks know English forms alone.
        inside = [one for one in found if self.reader.english and stretch.begin <= one.begin < stretch.end]
        if inside:
            logit -= DOUBT
        return float(logistic(min(logit, SURE) if any(one.sure for one in inside) else logit))


def differences(answer: Direction) -> tuple[Reason, ...]:
    """Return the places where an answer differs from its source, as exact checks find them in its claims."""
    said = _claims(answer)
    return _reasons(said, _differences(answer, said))


class _Refused(NamedTuple):
    """The words of an answer that say that something is not in the source."""

    spans: NDArray[np.int32]
    """[words, 2]"""
    alignment: Array
    """[words]: the probability that it is not"""
    stretches: tuple[Stretch, ...]

    def __bool__(self) -> bool:
        return bool(len(self.spans))


_NO_WORDS = (np.empty((0, 2), np.int32), np.empty(0))
_NOTHING = Aligned(*_NO_WORDS, StretchVerdicts((), (), np.empty(0, np.int32)))


@lru_cache(maxsize=8)  # for the score, for the evidence, and for the next answer from the same source
def _checked_source(others: tuple[str, ...]) -> CheckedSource:
    return CheckedSource(others)


def _claims(answer: Direction) -> Claims:
    return claims(answer.text, tuple(other for _, other in answer.usable), answer.question)


def _differences(answer: Direction, said: Claims) -> list[SourceDifference]:
    checked = _checked_source(tuple(other for _, other in answer.usable))
    found = checked.differences(said.text, answer.question)
    found += (SourceDifference(*said.near(begin, end), why, sure) for begin, end, why, sure in said.links)
    return sorted(found)


def _reasons(said: Claims, found: Sequence[SourceDifference]) -> tuple[Reason, ...]:
    return tuple(Reason(*said.place(one.begin, one.end), one.reason, one.sure) for one in found)


def _no_answer(answer: Direction, why: str) -> Aligned:
    """The alignment of what is no answer: nothing supports it."""
    spans = np.array(word_spans(answer.text), np.int32).reshape(-1, 2)
    end = len(answer.text)
    judged = StretchVerdicts(
        (Stretch(0, end, (), 0.0),), (), np.full(len(spans), -1, np.int32), (Reason(0, end, f"no answer: {why}", True),)
    )
    return Aligned(spans, np.zeros(len(spans)), judged)


def _refused(answer: Direction, said: Claims) -> _Refused:
    spans: list[tuple[int, int]] = []
    alignment: list[float] = []
    stretches: list[Stretch] = []
    others = [other for _, other in answer.usable]
    for one in said.refusals:
        if not one.topic:
            continue  # "I do not know" without a question claims nothing
        honest = float(logistic(honesty(one.topic, answer.question, others)))
        inside = [(one.begin + begin, one.begin + end) for begin, end in word_spans(answer.text[one.begin : one.end])]
        spans += inside
        alignment += [honest] * len(inside)
        stretches.append(Stretch(one.begin, one.end, (), honest, abstains=True))
    if not spans:
        return _Refused(*_NO_WORDS, ())
    return _Refused(np.array(spans, np.int32), np.array(alignment), tuple(stretches))


def _joined(aligned: Aligned, refused: _Refused) -> Aligned:
    """The words of claims and of refusals, in the order of the answer."""
    assert aligned.judged is not None
    spans = np.concatenate([aligned.spans, refused.spans])
    order = np.argsort(spans[:, 0], kind="stable")
    nearest = np.concatenate([aligned.judged.nearest, np.full(len(refused.spans), -1, np.int32)])[order]
    stretches = tuple(sorted((*aligned.judged.stretches, *refused.stretches), key=lambda one: one.begin))
    alignment = np.concatenate([aligned.alignment, refused.alignment])[order]
    return Aligned(spans[order], alignment, aligned.judged._replace(stretches=stretches, nearest=nearest))


def _placed(said: Claims, spans: NDArray[np.int32]) -> NDArray[np.int32]:
    """Words of the claims at their places in the answer."""
    return np.array([said.place(begin, end) for begin, end in spans.tolist()], np.int32).reshape(-1, 2)
