"""How published detectors read a text with its evidence: one record of data for each family, and the making of rows.

A detector is a classifier that was trained to say whether a source supports a text. Families differ in the order of the
two texts, in the words and tokens around them, in which part of a text is judged at a time, and in how their logits
become the probability of support. A record says all of this. The aligners of nlgauge itself have no such record:
`nlgauge.engine.sentence_search.Pairing` makes their rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import ALIGNER, Model
from nlgauge.engine.models.stored import shown
from nlgauge.engine.sentence_search import OTHER, OWN, Pairing, Search, SearchShape, Span, stretches
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.errors import InputError, SpecError

Unit: TypeAlias = Literal["segment", "sentence", "text"]
Head: TypeAlias = Literal["classes", "first token", "tokens", "answers", "words", "share", "number"]
FAMILY = "nlgauge_detector"
"""The key for the name of the packing, in the configuration of a folder that nlgauge wrote"""
WORD_BIAS, TEXT_FIRST = "nlgauge_word_bias", "nlgauge_text_first"
"""Keys in the configuration of an aligner of CTC. The first is for a graph of D: its bias for support minus that for no
support. The second says whether R reads the judged text before the source"""
SENTENCES = "this detector judges sentences, not words"
"""The reason of a missing score that needs a judgement of each word"""
_SLACK = 8
"""How many more sub-words a text may have when it is split again without the text before it"""
_LEAST_ROOM = 8
_SENTENCE = SearchShape().sentence
_SUPPORT = re.compile(r"(entail|support|consistent|faithful|grounded)\w*", re.IGNORECASE)
_CONTRADICTION = re.compile(r"(contradict|refut)\w*", re.IGNORECASE)


@dataclass(frozen=True)
class Packing:
    """The form in which a family of detectors reads two texts, and the meaning of its logits."""

    name: str
    """The prefix of a model's name, as in `nli:FOLDER`"""
    about: str
    """A description of the family"""
    segments: tuple[str, ...]
    """The parts of a row. {source}, {candidate} and {question} are replaced by the texts, {passages} by the number of
    passages in the source"""
    joined: str
    """What is between two segments: 'pair' (the tokenizer's tokens between two texts) or 'end' (its token for the end
    of a text)"""
    head: Head
    """What the logits are: 'classes' of the whole row; classes of its 'first token'; classes of the 'tokens' of the
    candidate; the logits of two 'answers' at the first step of a decoder; classes of 'words', from the sums of their
    sub-words' states; or one number, which is the supported 'share' of the candidate or the 'number' of its supported
    words"""
    support: int | None
    """The class that means support; None if it is found by the labels of the checkpoint"""
    unit: Unit
    """How much of a candidate is judged at a time"""
    architectures: tuple[str, ...]
    """The ends of the names of network classes that this packing fits"""
    first: str = ""
    """A special token at the beginning of a row"""
    asking: tuple[str, ...] = ()
    """The `segments` of a row with a question; empty for a family that reads no question"""
    answers: tuple[str, str] = ("", "")
    """The tokens for no and yes, for the head 'answers'"""
    longest: int = 512
    """The largest number of sub-words in a row, for a network that is not limited by a table of positions"""
    chunk: int = 0
    """The number of a source's sub-words in a row with reading='windows'; 0 for as many as fit"""
    threshold: float | None = None
    """The probability from which on the published code calls a text supported; None if that code has no threshold"""

    @property
    def words(self) -> bool:
        """Whether each word has a judgement of its own."""
        return self.head in ("tokens", "words")

    @property
    def regression(self) -> bool:
        """Whether the network predicts one number for a text instead of classes."""
        return self.head in ("share", "number")

    @property
    def by_tokens(self) -> bool:
        """Whether a row consists of the tokens of both texts unchanged, and is not split into tokens again."""
        return self.head == "words" or self.regression

    @property
    def text_first(self) -> bool:
        """Whether the judged text is before the source in a row."""
        return self.segments[0] == "{candidate}"


_NLI = Packing(
    name="nli",
    about="NLI models and cross-encoders with entailment among their labels, or with one logit",
    segments=("{source}", "{candidate}"),
    joined="pair",
    head="classes",
    support=None,
    unit="sentence",
    architectures=("ForSequenceClassification",),
)
_MINICHECK = Packing(
    name="minicheck",
    about="MiniCheck with RoBERTa or DeBERTa",
    segments=("{source}", "{candidate}"),
    joined="end",
    head="classes",
    support=1,
    unit="sentence",
    architectures=("ForSequenceClassification",),
    longest=2048,
    chunk=400,
    threshold=0.5,
)
_MINICHECK_T5 = Packing(
    name="minicheck",
    about="MiniCheck with Flan-T5",
    segments=("predict: {source}", "{candidate}"),
    joined="end",
    head="answers",
    support=1,
    unit="sentence",
    architectures=("ForConditionalGeneration",),
    answers=("▁", "▁1"),
    longest=2048,
    threshold=0.5,
)
_FACTCG = Packing(
    name="factcg",
    about="FactCG with DeBERTa",
    segments=(
        '{source}\n\nChoose your answer: based on the paragraph above can we conclude that "{candidate}"?\n\n'
        "OPTIONS:\n- Yes\n- No\nI think the answer is ",
    ),
    joined="pair",
    head="classes",
    support=1,
    unit="sentence",
    architectures=("ForSequenceClassification",),
    longest=2048,
    threshold=0.5,
)
_LETTUCE = Packing(
    name="lettuce",
    about="LettuceDetect",
    segments=("Summarize the following text:\npassage 1: {source}\noutput:", "{candidate}"),
    joined="pair",
    head="tokens",
    support=0,
    unit="text",
    architectures=("ForTokenClassification",),
    asking=(
        "Briefly answer the following question:\n{question}\nBear in mind that your response should be strictly based "
        "on the following {passages} passages:\npassage 1: {source}\nIn case the passages do not contain the necessary "
        'information to answer the question, please reply with: "Unable to answer based on given passages."\noutput:',
        "{candidate}",
    ),
    longest=4096,
    threshold=0.5,
)
_HHEM = Packing(
    name="hhem",
    about="HHEM-2.1-Open, after nlgauge export",
    segments=(
        "Determine if the hypothesis is true given the premise?\n\nPremise: {source}\n\nHypothesis: {candidate}",
    ),
    joined="pair",
    head="first token",
    support=1,
    unit="text",
    architectures=("T5ForTokenClassification",),
    first="<pad>",
    longest=4096,
    threshold=0.5,
)
_TRUE = Packing(
    name="true",
    about="TRUE with T5",
    segments=("premise: {source} hypothesis: {candidate}",),
    joined="pair",
    head="answers",
    support=1,
    unit="sentence",
    architectures=("ForConditionalGeneration",),
    answers=("▁", "▁1"),
    longest=512,
    threshold=0.5,
)
_CTC = Packing(
    name="ctc",
    about="CTC's aligner D, after nlgauge train aligner or nlgauge export",
    segments=("{candidate}", "{source}"),
    joined="pair",
    head="words",
    support=0,
    unit="text",
    architectures=("ForTokenClassification",),
)
_CTC_R = Packing(
    name="ctc",
    about="CTC's aligner R, after nlgauge train aligner or nlgauge export",
    segments=("{source}", "{candidate}"),
    joined="pair",
    head="share",
    support=0,
    unit="text",
    architectures=("ForSequenceClassification",),
)
PACKINGS = (_NLI, _MINICHECK, _MINICHECK_T5, _FACTCG, _LETTUCE, _HHEM, _TRUE, _CTC, _CTC_R)
PREFIXES = tuple(dict.fromkeys(packing.name for packing in PACKINGS))


def meant(prefix: str, config: Mapping[str, Any], name: str) -> Packing:
    """Return the packing that a prefix means for a checkpoint.

    Args:
        prefix: the prefix of a family, such as 'nli'.
        config: the configuration of the checkpoint.
        name: the name of the model, for the error.

    Returns:
        The packing.

    Raises:
        SpecError: no packing of the family fits the network.
    """
    families = [packing for packing in PACKINGS if packing.name == prefix]
    built = _architecture(config)
    packing = next((of_name for of_name in families if built.endswith(of_name.architectures)), None)
    if packing is None:
        wanted = " or ".join(f"...{end}" for of_name in families for end in of_name.architectures)
        raise SpecError(f"model {name!r} is a {built}, and {prefix}: reads a {wanted}{_instead(config, prefix)}")
    if packing.by_tokens and config.get(FAMILY) != prefix:
        remedy = "write its folder with nlgauge train aligner or nlgauge export"
        raise SpecError(f"model {name!r} does not say that it is an aligner of CTC: {remedy}")
    if packing.regression:
        head: Head = "number" if _labels(config) == ["number"] else "share"
        segments = packing.segments[::-1] if config.get(TEXT_FIRST) else packing.segments
        return replace(packing, head=head, segments=segments)
    return packing


def by_head(config: Mapping[str, Any]) -> Packing | None:
    """Return the packing for a checkpoint without a prefix, by its architecture and labels; None if none fits."""
    built, labels = _architecture(config), _labels(config)
    if built.endswith("ForSequenceClassification") and _named(labels, _SUPPORT) is not None:
        return _NLI
    generic = labels == ["LABEL_0", "LABEL_1"]
    unsupported = len(labels) == 2 and any(map(_SUPPORT.fullmatch, labels[:1]))
    if built == "ModernBertForTokenClassification" and (generic or unsupported):
        return _LETTUCE
    return None


def unread_head(config: Mapping[str, Any]) -> str | None:
    """Return the error message for a head that only a prefix of the name can explain; None without a head."""
    built, labels = _architecture(config), _labels(config)
    if built.endswith("ForConditionalGeneration"):
        return "has no aligner; if it is a detector, say which: --model minicheck:... or --model true:..."
    if not built.endswith(("ForSequenceClassification", "ForTokenClassification")):
        return None
    what = "classifier of tokens" if built.endswith("ForTokenClassification") else "classifier"
    names = ", ".join(labels[:4]) + (", ..." if len(labels) > 4 else "")
    number = "one class" if len(labels) == 1 else f"{len(labels)} classes"
    return f"is a {what} of {number} ({names}){_instead(config)}"


def is_hhem(config: Mapping[str, Any]) -> bool:
    """Return whether a configuration is that of the published HHEM-2.1-Open, whose network needs its own code."""
    return _architecture(config).lower().startswith("hhem") or str(config.get("model_type")).lower().startswith("hhem")


def refused_head(config: Mapping[str, Any]) -> str | None:
    """Return the error message for an encoder-decoder's encoder with a classifier of tokens; None for other networks.

    Such a checkpoint has no decoder, so it cannot be read as a network that generates text.
    """
    return unread_head(config) if _architecture(config).endswith("ForTokenClassification") else None


def _instead(config: Mapping[str, Any], prefix: str = "") -> str:
    """Return the end of an error message, which names the prefixes of families that can read the network.

    prefix: the prefix that the user chose, which is not named again.
    """
    built = _architecture(config)
    others = dict.fromkeys(
        packing.name for packing in PACKINGS if built.endswith(packing.architectures) and packing.name != prefix
    )
    return f": use --model {', '.join(f'{name}:...' for name in others)}" if others else ", which no detector here has"


def _architecture(config: Mapping[str, Any]) -> str:
    named = config.get("architectures")
    return str(named[0]) if isinstance(named, Sequence) and named else "network without a name"


def _labels(config: Mapping[str, Any]) -> list[str]:
    """Return the names of the classes, in their order."""
    named = config.get("id2label")
    if isinstance(named, Mapping) and named:
        try:
            return [str(named[key]) for key in sorted(named, key=int)]
        except (TypeError, ValueError):
            return []
    number = config.get("num_labels", 2)
    return [f"LABEL_{at}" for at in range(number if isinstance(number, int) else 2)]


def _named(labels: Sequence[str], kind: re.Pattern[str]) -> int | None:
    """Return the index of the single class whose name matches a pattern; None if none or several match."""
    of_kind = [at for at, label in enumerate(labels) if kind.match(label)]
    return of_kind[0] if len(of_kind) == 1 else None


class Reading(NamedTuple):
    """The rule by which the logits of a checkpoint become log-odds."""

    packing: Packing
    support: int
    """The index of the class that means support"""
    contradiction: int | None
    """The index of the class that means contradiction; None without one"""
    apart: bool
    """Whether each logit is an independent yes or no"""
    labels: tuple[str, ...]

    @classmethod
    def of(cls, packing: Packing, config: Mapping[str, Any], name: str) -> Reading:
        """Return the rule for a checkpoint. Raises SpecError for labels that do not say which class means support."""
        labels = _labels(config)
        apart = len(labels) == 1 or config.get("problem_type") == "multi_label_classification"
        if packing.head == "answers":
            return cls(packing=packing, support=1, contradiction=None, apart=False, labels=("no", "yes"))
        if packing.regression:
            return cls(packing=packing, support=0, contradiction=None, apart=True, labels=tuple(labels))
        if packing.support is None:
            support = 0 if len(labels) == 1 else _named(labels, _SUPPORT)
            if support is None:
                problem = f"none of its labels ({', '.join(labels)}) is the one of entailment"
                raise SpecError(f"model {name!r}: {problem}; name it in id2label of its config.json")
            return cls(
                packing=packing,
                support=support,
                contradiction=_named(labels, _CONTRADICTION),
                apart=apart,
                labels=tuple(labels),
            )
        if len(labels) != 2:
            problem = f"{packing.name}: reads two classes, and it has {len(labels)} ({', '.join(labels)})"
            raise SpecError(f"model {name!r}: {problem}{_instead(config, packing.name)}")
        return cls(packing=packing, support=packing.support, contradiction=None, apart=False, labels=tuple(labels))

    def log_odds(self, logits: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the log-odds of support, and the log-odds of contradiction if there is no support.

        The log-odds of contradiction are NaN without a label for contradiction.

        Args:
            logits: [..., classes].

        Returns:
            Two arrays [...], in natural logarithms.
        """
        if not np.isfinite(logits).all():
            raise SpecError("the detector gives numbers that are not finite: its weights are damaged")
        values = logits.astype(np.float64)
        support = values[..., self.support]
        if self.apart:
            return support.astype(np.float32), np.full(support.shape, np.nan, np.float32)
        others = np.delete(values, self.support, -1)
        against = np.full(support.shape, np.nan)
        if self.contradiction is not None and others.shape[-1] > 1:
            neither = np.delete(values, [self.support, self.contradiction], -1)
            against = values[..., self.contradiction] - np.logaddexp.reduce(neither, -1)
        return (support - np.logaddexp.reduce(others, -1)).astype(np.float32), against.astype(np.float32)


class PackedRow(NamedTuple):
    """A row as a network reads it, from the segments of a packing."""

    ids: NDArray[np.int32]
    side: NDArray[np.int8]
    """[length], as `ids`: OTHER before the candidate's segment, OWN from its beginning on; a row of one segment is all
    OWN"""
    candidate: Tokens
    """The tokens of the candidate if it is a segment of its own, else those of the last segment"""


@dataclass(frozen=True, eq=False)
class Packer:
    """A maker of rows, by a packing and a tokenizer."""

    packing: Packing
    tokenizer: SubwordTokenizer
    longest: int
    """The largest number of sub-words in a row"""
    bias: float = 0.0
    """For the head 'words': a number that is added once to the sum over a word's sub-words"""

    def __post_init__(self) -> None:
        """Raise SpecError for a tokenizer without the tokens that the packing needs."""
        if self.paired and not self.tokenizer.pair_frame[1]:
            raise SpecError(f"the tokenizer puts nothing between two texts, which {self.packing.name}: reads as a pair")
        self.row("a", "a", None)

    def row(self, source: str, candidate: str, question: str | None, passages: int = 1) -> PackedRow:
        """Return a row. Each segment is split as one text, and special tokens are put only between segments.

        Args:
            source: the source, or the parts of it that are read.
            candidate: the judged text.
            question: the question that the candidate answers; None without one.
            passages: the number of passages in the source, for families whose segments name it.

        Returns:
            The row.
        """
        packing, tokenizer = self.packing, self.tokenizer
        asked = packing.asking if question and packing.asking else packing.segments
        slots = {"source": source, "candidate": candidate, "question": question or "", "passages": str(passages)}
        texts = [_filled(segment, slots) for segment in asked]
        prefix, between, suffix = tokenizer.pair_frame if self.paired else self._single
        pieces = tokenizer.encode(texts)
        first = [self._token(packing.first)] if packing.first else []
        begin = np.concatenate([[*first, *prefix], pieces[0].ids]).astype(np.int32)
        rest = [np.concatenate([between, piece.ids]) for piece in pieces[1:]]
        ids = np.concatenate([begin, *rest, suffix]).astype(np.int32)
        side = np.full(len(ids), OWN, np.int8)
        side[: len(begin) + len(between) if rest else 0] = OTHER
        return PackedRow(ids, side, pieces[-1])

    def tokens_row(
        self, judged: NDArray[np.int32], other: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return a row with a judged text and a source, made from the tokens of both.

        Args:
            judged: the tokens of the judged text: [tokens].
            other: the tokens of the source: [tokens].

        Returns:
            The ids of the row, and for each the text that it belongs to (OWN or OTHER): both [length].
        """
        before, between, after = self.tokenizer.pair_frame
        first = self.packing.text_first
        left, right = (judged, other) if first else (other, judged)
        ids = np.concatenate([before, left, between, right, after]).astype(np.int32)
        side = np.full(len(ids), OTHER if first else OWN, np.int8)
        side[: len(before) + len(left) + len(between)] = OWN if first else OTHER
        return ids, side

    @property
    def name(self) -> str:
        """The packing, the unit that it judges and the length of its rows, for the signature."""
        return f"{self.packing.name} {self.packing.unit}@{self.longest}"

    @property
    def paired(self) -> bool:
        """Whether the network reads two texts as a pair, in the tokenizer's own form for pairs."""
        return self.packing.joined == "pair" and len(self.packing.segments) > 1

    def room(self, question: str | None) -> int:
        """Return the largest number of sub-words that source and candidate together may have in a row.

        Args:
            question: the question that the candidate answers, which is in the row too; None without a question.

        Returns:
            The number of sub-words.

        Raises:
            SpecError: a row is too short for two texts.
            InputError: the question is too long.
        """
        room = self.longest - len(self.row("", "", question).ids) - (0 if self.packing.by_tokens else _SLACK)
        if room < _LEAST_ROOM and question and question.strip():
            problem = f"the question leaves {max(0, room)} of {self.longest} sub-words for the text and its source"
            raise InputError(problem, remedy="shorten the question")
        if room < _LEAST_ROOM:
            raise SpecError(
                f"a row of {self.longest} sub-words has no room for two texts in the form of {self.packing.name}:"
            )
        return room

    @property
    def _single(self) -> tuple[list[int], list[int], list[int]]:
        """The special tokens before, between and after the segments of a row that is one text."""
        tokenizer = self.tokenizer
        return tokenizer.prefix, [tokenizer.end_id] if self.packing.joined == "end" else [], tokenizer.suffix

    def _token(self, token: str) -> int:
        number = self.tokenizer.token_id(token)
        if number is None:
            raise SpecError(f"the tokenizer has no token {shown(token)}, which {self.packing.name}: begins a row with")
        return number


def packer_of(model: Model) -> Packer | None:
    """Return the packer of a model's aligner; None if the aligner reads rows in nlgauge's form."""
    packer = getattr(model.get(ALIGNER), "packer", None)
    return packer if isinstance(packer, Packer) else None


class PackedPairing(Pairing):
    """A `Pairing` for a detector: the packing of the detector decides how both texts are cut.

    The judged text is cut into stretches by the packing's unit, and the source into runs of neighbouring sentences.

    Args:
        packer: makes the rows.
        rarity: the weight of each token that two texts share, larger for rarer tokens: [vocabulary].
    """

    def __init__(self, packer: Packer, rarity: NDArray[np.float64]) -> None:
        self._packer, self._rarity = packer, rarity
        self._frame: dict[bool, int] = {}
        self._sentence = max(1, min(_SENTENCE, self._left(False) // 2))
        self.stretch = max(1, self._left(bool(packer.packing.asking)) // 2)
        self.room = self._left(False)

    def row(
        self,
        judged: NDArray[np.int32],
        search: Search,
        spans: Sequence[Span],
        question: NDArray[np.int32] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return a row as `Pairing.row` does, for a packing whose rows are made of tokens. No question is read."""
        read = [search.tokens.ids[begin:end] for begin, end in spans]
        return self._packer.tokens_row(judged, np.concatenate([judged[:0], *read])[: self.room_beside(judged)])

    def _left(self, question: bool) -> int:
        """Return how many sub-words source and candidate may have in a row. question: whether a question is in it."""
        if question not in self._frame:
            self._frame[question] = self._packer.room("" if not question else " ")
        return self._frame[question]

    def asking(self, tokens: Tokens) -> NDArray[np.int32]:
        return super().asking(tokens) if self._packer.packing.asking else tokens.ids[:0]

    def stretches(self, spans: Sequence[Span]) -> list[list[Span]]:
        unit = self._packer.packing.unit
        if unit == "sentence":
            return [[span] for span in spans]
        return stretches(spans, self.stretch if unit == "text" else min(self.stretch, SearchShape().stretch))

    def room_beside(self, judged: NDArray[np.int32], question: NDArray[np.int32] | None = None) -> int:
        asked = question is not None and bool(self._packer.packing.asking)
        return max(1, self._left(asked) - len(judged) - (len(question) if asked and question is not None else 0))

    def parts(self, search: Search, room: int) -> list[list[Span]]:
        """Return all sentences of a source in parts, each with as many neighbouring sentences as it can hold."""
        most = min(room, self._packer.packing.chunk or room)
        parts: list[list[Span]] = []
        for begin, end in search.spans:
            if parts and end - parts[-1][0][0] <= most:
                parts[-1] = [(parts[-1][0][0], end)]
            else:
                parts.append([(begin, end)])
        return parts


_SLOT = re.compile(r"\{(source|candidate|question|passages)\}")


def _filled(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with texts in its slots. Braces inside the texts are not slots."""
    return _SLOT.sub(lambda slot: texts[slot[1]], template)
