"""Three published detectors of unsupported text: SummaC-ZS, MiniCheck and LettuceDetect.

They split texts and aggregate as their authors do. `Faithfulness` can read rows with the same models, and in the same
form. But it first chooses evidence from the source. The authors choose no evidence, and each aggregates in a different
way. Where the authors cut the end of a row that is too long, the score here is NaN with a reason.

Laban et al. 2022, TACL, arXiv:2111.09525; Tang et al. 2024, EMNLP, arXiv:2404.10774; Kovacs and Recski 2025,
arXiv:2502.17125.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import COSINE, QUESTION, SHARE, Cost, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.engine.batching import padded
from nlgauge.engine.features.request import Features, Reader, Request, tokens_about
from nlgauge.engine.models.capabilities import ALIGNER, TOKENIZER, Model
from nlgauge.engine.models.packing import Packer, packer_of
from nlgauge.engine.sentence_search import sentences as split
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.tokens import Tokens
from nlgauge.errors import SpecError
from nlgauge.maths.alignment import logistic

_LONG = "a row is longer than the model reads, where the published code cuts its end"
_SHORTEST = 10
"""SummaC leaves out sentences of at most this many characters"""
_MOST_SENTENCES = 100
"""SummaC reads at most this many sentences of a source"""
_WORDS_OF_T5 = 500
"""MiniCheck with Flan-T5 reads this many words of a document at a time"""


class Judgement(NamedTuple):
    """The output of a detector for a row."""

    support: float
    """Log-odds that the whole candidate is supported; NaN for a detector that labels words"""
    against: float
    """Log-odds that the source contradicts a candidate that it does not support; NaN if the detector has no such label
    """
    words: NDArray[np.float32]
    """Log-odds that each token of the candidate is supported: [tokens]"""


def read_rows(requests: Sequence[DetectorRow], block: TextBlock) -> dict[DetectorRow, Judgement | None]:
    """Return the detector's judgement of each row, which is read without cuts; None for a row that is too long."""
    packer, model = _packer(block.model), block.model[ALIGNER]
    rows = [packer.row(one.source, one.candidate, one.question, one.passages) for one in requests]
    found: dict[DetectorRow, Judgement | None] = dict.fromkeys(requests)
    fit = [at for at, row in enumerate(rows) if len(row.ids) <= packer.longest]
    pad, after = block.model[TOKENIZER].pad_id, len(packer.tokenizer.suffix)
    for index in block.batches([len(rows[at].ids) for at in fit]):
        some = [fit[n] for n in index]
        ids, attend = padded([rows[at].ids.tolist() for at in some], pad)
        side = np.zeros_like(ids)
        for n, at in enumerate(some):
            side[n, : len(rows[at].side)] = rows[at].side
        logits, _, whole, against = model.align(ids, attend, side)
        for n, at in enumerate(some):
            end = len(rows[at].ids) - after
            words = logits[n, end - len(rows[at].candidate) : end]
            found[requests[at]] = Judgement(float(whole[n]), float(against[n]), words)
    return found


@dataclass(frozen=True)
class DetectorRow(Request[Judgement]):
    """A row for a published detector. The feature is None if the row is longer than the model reads."""

    capability = ALIGNER
    reader: ClassVar[Reader] = staticmethod(read_rows)

    source: str
    candidate: str
    question: str | None = None
    passages: int = 1

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.candidate, self.source, *([self.question] if self.question else []))

    def size(self, model: Model) -> int:
        return 8 * tokens_about(self.candidate)

    def check(self, block: TextBlock) -> None:
        return None


def _packer(model: Model) -> Packer:
    packer = packer_of(model)
    if packer is None:
        raise SpecError(f"model {model.name!r} is no published detector: name one, as in model='nli:FOLDER'")
    return packer


@dataclass(frozen=True, kw_only=True)
class _Packed(Prepared):
    packer: Packer


@dataclass(frozen=True)
class PublishedDetector(RowMetric):
    """Base of the three detectors: it makes rows for the detector, and one score from the judgements of these rows."""

    families: ClassVar[tuple[str, ...]] = ()
    """Names of the kinds of detector models (packings) that the metric accepts"""
    limits: ClassVar[Mapping[str, Limits]] = {"score": SHARE}

    model: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return ("candidate", "source")

    @property
    def cost(self) -> Cost:
        return "pairs"

    def prepare(self, setup: Setup) -> _Packed:
        packer = _packer(setup.model)
        if packer.packing.name not in self.families:
            known = ", ".join(f"{name}:" for name in self.families)
            raise SpecError(
                f"{self.name} is for models of {known} and {setup.model.name!r} is of {packer.packing.name}:"
            )
        more = {QUESTION: "apart"} if packer.packing.asking else {}
        return _Packed(packer=packer, facts={"aligner": setup.model[ALIGNER].digest[:8], "rows": packer.name, **more})

    @abstractmethod
    def rows(self, row: Row, packer: Packer) -> list[DetectorRow]:
        """Return the rows that the detector reads for one row of the corpus."""

    @abstractmethod
    def total(self, rows: Sequence[DetectorRow], judged: Sequence[Judgement]) -> tuple[float, ...]:
        """Return the sub-scores of a row of the corpus, from the judgements of its detector rows."""

    def requests(self, row: Row, prepared: _Packed) -> list[DetectorRow]:
        return self.rows(row, prepared.packer) if row.source else []

    def score_rows(self, rows: Sequence[Row], prepared: _Packed, features: Features) -> list[Value]:
        return [self._value(row, prepared, features) for row in rows]

    def _value(self, row: Row, prepared: _Packed, features: Features) -> Value:
        missing = (float("nan"),) * len(self.parts)
        if not row.source:
            return Value(missing, "no source")
        asked = self.rows(row, prepared.packer)
        judged = [features[one] for one in asked]
        known = [one for one in judged if one is not None]
        if len(known) < len(asked):
            return Value(missing, _LONG)
        values = self.total(asked, known)
        return Value(values, "nothing to read" if np.isnan(values).any() else None)


@dataclass(frozen=True)
class BySentences(PublishedDetector):
    """A detector whose authors split texts into sentences with nltk."""

    splitter: str = param(
        "nltk", choices=("nltk", "nlgauge"), help="'nltk' as published, or 'nlgauge', which needs no rules of nltk"
    )

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("nltk",) if self.splitter == "nltk" else ()

    def sentences(self, text: str, packer: Packer) -> list[str]:
        """Return the sentences of a text, without white space around them."""
        if self.splitter == "nlgauge":
            tokens = packer.tokenizer.encode([text])[0]
            places = tokens.offsets
            spans = split(text, tokens, max(1, len(tokens)))
            return [text[places[begin, 0] : places[end - 1, 1]] for begin, end in spans]
        from nltk.tokenize import sent_tokenize

        try:
            return [str(one) for one in sent_tokenize(text)]
        except LookupError:
            raise SpecError(
                f"{self.name}: nltk has no rules for sentences here: python -m nltk.downloader punkt_tab, or choose "
                "splitter='nlgauge'"
            ) from None


@dataclass(frozen=True)
class SummaCZS(BySentences):
    """SummaC-ZS: the mean over sentences of the largest entailment less the largest contradiction."""

    citation: ClassVar[str] = "Laban et al. 2022, TACL, arXiv:2111.09525"
    families: ClassVar[tuple[str, ...]] = ("nli",)
    limits: ClassVar[Mapping[str, Limits]] = {"score": COSINE}

    def rows(self, row: Row, packer: Packer) -> list[DetectorRow]:
        sources, claims = (
            [one for one in self.sentences(text, packer) if len(one) > _SHORTEST]
            for text in (row.source or "", row.candidate)
        )
        return [DetectorRow(one, claim) for claim in claims for one in sources[:_MOST_SENTENCES]]

    def total(self, rows: Sequence[DetectorRow], judged: Sequence[Judgement]) -> tuple[float, ...]:
        if not rows:
            return (0.0,)  # as published
        entailed = logistic(np.array([one.support for one in judged], np.float64))
        against = (1 - entailed) * logistic(np.array([one.against for one in judged], np.float64))
        claims = [one.candidate for one in rows]
        groups = [[at for at, one in enumerate(claims) if one == claim] for claim in claims]
        # A claim that stands twice counts twice: every pair has its group, of equal sizes.
        return (float(np.mean([entailed[group].max() - against[group].max() for group in groups])),)


@dataclass(frozen=True)
class MiniCheck(BySentences):
    """MiniCheck: the largest probability that one chunk of the source supports the candidate, which is not split."""

    citation: ClassVar[str] = "Tang et al. 2024, EMNLP, arXiv:2404.10774"
    families: ClassVar[tuple[str, ...]] = ("minicheck",)

    def rows(self, row: Row, packer: Packer) -> list[DetectorRow]:
        pieces: list[str] = []
        for line in (row.source or "").split("\n"):
            pieces += [*self.sentences(line, packer), "\n"]
        chunks: list[list[str]] = [[]]
        total, most = 0, packer.packing.chunk or _WORDS_OF_T5
        for piece, size in zip(pieces[:-1], self._sizes(pieces[:-1], packer), strict=True):
            if total + size > most:
                chunks.append([])
                total = 0
            chunks[-1].append(piece)
            total += size
        texts = [" ".join(chunk).replace(" \n ", "\n").strip() for chunk in chunks]
        return [DetectorRow(text, row.candidate) for text in texts if text]

    def _sizes(self, pieces: Sequence[str], packer: Packer) -> list[int]:
        if not packer.packing.chunk:
            return [len(piece.split()) for piece in pieces]
        return [min(len(tokens), packer.longest) for tokens in packer.tokenizer.encode(pieces)]

    def total(self, rows: Sequence[DetectorRow], judged: Sequence[Judgement]) -> tuple[float, ...]:
        return (max((float(logistic(one.support)) for one in judged), default=float("nan")),)


@dataclass(frozen=True)
class LettuceDetect(PublishedDetector):
    """LettuceDetect: 1 less the largest probability that a token of the candidate is unsupported.

    If the passages are read in several groups, the probability of a token is the largest one over the groups. There is
    one more sub-score: `unsupported`, the share of the candidate's tokens that are labelled so.
    """

    citation: ClassVar[str] = "Kovacs and Recski 2025, arXiv:2502.17125"
    families: ClassVar[tuple[str, ...]] = ("lettuce",)
    parts: ClassVar[tuple[str, ...]] = ("score", "unsupported")
    details: ClassVar[tuple[str, ...]] = ("unsupported",)
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, SHARE)
    passages: str = param(
        "one", choices=("one", "lines"), help="'one' reads the source as one passage, 'lines' each of its lines as one"
    )

    def rows(self, row: Row, packer: Packer) -> list[DetectorRow]:
        source, question = row.source or "", row.question or None
        passages = [source] if self.passages == "one" else [line for line in source.split("\n") if line]
        groups = self._groups(passages, row.candidate, question, packer)
        return [DetectorRow(_numbered(group), row.candidate, question, len(group)) for group in groups]

    def _groups(self, passages: Sequence[str], candidate: str, question: str | None, packer: Packer) -> list[list[str]]:
        """Return the passages in groups that are read together.

        There is one group if all passages fit into a row. Otherwise each group has as many as fit.
        """
        if len(packer.row(_numbered(passages), candidate, question, len(passages)).ids) <= packer.longest:
            return [list(passages)]
        room = packer.longest - len(packer.row("", candidate, question).ids) + len(self._line(packer, 0, ""))
        groups: list[list[str]] = [[]]
        total = 0
        for at, passage in enumerate(passages):
            size = len(self._line(packer, at, passage))
            if groups[-1] and total + size + 1 > room:
                groups.append([])
                total = 0
            total += size + bool(groups[-1])
            groups[-1].append(passage)
        return groups

    def _line(self, packer: Packer, at: int, passage: str) -> Tokens:
        return packer.tokenizer.encode([f"passage {at + 1}: {passage}"])[0]

    def total(self, rows: Sequence[DetectorRow], judged: Sequence[Judgement]) -> tuple[float, ...]:
        if not judged or not len(judged[0].words):
            return (float("nan"), float("nan"))
        least = np.min([one.words for one in judged], axis=0)
        return float(logistic(least.min())), float((least <= 0).mean()) if len(judged) > 1 else float(
            (least < 0).mean()
        )


def _numbered(passages: Sequence[str]) -> str:
    """Return numbered passages as they stand in the prompt. The template has the first passage's number already."""
    return "\n".join([*passages[:1], *(f"passage {at}: {text}" for at, text in enumerate(passages[1:], 2))])
