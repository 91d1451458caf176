"""Masked words: each word of a text is predicted from the words around it and another text (MaskEval, section 3.2).

There are three ways to ask a model. The first that the model offers is used:

    pairs       weights for pairs: the other text is read once by itself, and every masked row sees it
    sentinels   a gap of unknown length, filled by generation (T5)
    masks       an ordinary masked LM: both texts in one row, [first] text [between] other [last]

A row holds the words around the mask (`engine.masking`) and the beginning of the other text: as much as still fits the
row or, with weights for pairs, the model's window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import padded, spread
from nlgauge.engine.features.pair_states import other_text
from nlgauge.engine.features.request import ModelPasses, PairRequest, Reader, tokens_about
from nlgauge.engine.masking import MaskingLimits, Pass, PassRow, WordScores, gap_row, masked_rows, passes
from nlgauge.engine.models.capabilities import GAP_FILLER, MASKED_LM, MASKED_PAIRS, TOKENIZER, Ints, Model
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.windows import pair_room, pair_types, paired_row
from nlgauge.errors import SpecError

_PAIR_BATCH_TOKENS = 2048  # with more, attention to a long text no longer fits the processor's caches


@dataclass(frozen=True, eq=False)
class MaskedWords:
    """The predictions at the words that were requested. They are compared by identity."""

    text: str
    words: NDArray[np.intp]
    """[words]: their indexes in the text"""
    spans: NDArray[np.int64]
    """[words, 2]: first character of each word and the one after its last"""
    hits: NDArray[np.bool_]
    """[words]: whether the word itself was predicted, ignoring case"""
    log_probabilities: NDArray[np.float64]
    """[words]: log-probability of the true word, summed over its sub-words"""
    predicted: tuple[str, ...]
    per_piece: NDArray[np.float64]
    """[words, 2]: mean log-probability of the sub-words of the true word, and of the predicted word. For a gap, the
    token that ends it counts too. NaN for a predicted word whose probability was not requested"""
    cut: bool = False
    """Whether only the beginning of the other text was read, because it is longer than the window"""


def way_of(model: Model) -> str:
    """Return the way in which a model predicts words: 'pairs', 'sentinels' or 'masks'.

    Raises SpecError for a model that cannot predict words.
    """
    if MASKED_PAIRS in model:
        return "pairs"
    if GAP_FILLER in model:
        return "sentinels"
    model[MASKED_LM]
    return "masks"


@dataclass
class _WordsRow:
    """A row for the model, and the scores of the words in it."""

    scores: WordScores
    part: PassRow
    ids: list[int]
    """The tokens, with special tokens, and with those of the other text if both are in one row"""
    shift: int
    """The index in `ids` at which the masked text begins"""
    second: int = 0
    """The index in `ids` at which the second text begins, if both are in one row"""
    likeliest: bool = False
    """Whether the probability of the predicted word is requested"""


def read_masked_words(
    requests: Sequence[MaskedWordsRequest], block: TextBlock
) -> dict[MaskedWordsRequest, MaskedWords | None]:
    """Return the predictions of each request; None for a text without tokens.

    Weights for pairs read texts with the same other text together.
    """
    way = way_of(block.model)
    asked = [request for request in requests if len(block.tokens(request.text))]
    scores = {request: _scores(request, way, block) for request in asked}
    by_other: dict[str, list[MaskedWordsRequest]] = {}
    for request in asked:
        by_other.setdefault(request.against if way == "pairs" else "", []).append(request)
    whole, finished = block.done, 0
    for other, together in by_other.items():
        rows = [row for request in together for row in _rows(scores[request], request, way, block)]
        block.done = _within(whole, finished / len(asked), len(together) / len(asked))
        if way == "sentinels":
            _fill(rows, block)
        elif rows:
            _ask(rows, other_text(other, block) if way == "pairs" else None, block)
        finished += len(together)
    block.done = whole
    return {
        request: _answer(request, scores[request], way, block) if request in scores else None for request in requests
    }


def _within(done: Callable[[float], object], begin: float, share: float) -> Callable[[float], object]:
    """Return the progress function of a part, which begins at `begin` and makes up `share` of the whole."""
    return lambda part: done(begin + share * part)


def _answer(request: MaskedWordsRequest, scores: WordScores, way: str, block: TextBlock) -> MaskedWords:
    hits, logs, predicted = scores.answers(block.model[TOKENIZER])
    numbers = np.array(scores.words, np.intp)
    return MaskedWords(
        text=request.text,
        words=numbers,
        spans=scores.spans[numbers],
        hits=np.array(hits, np.bool_),
        log_probabilities=np.array(logs, np.float64),
        predicted=tuple(predicted),
        per_piece=np.array(scores.per_piece(int(way == "sentinels")), np.float64).reshape(-1, 2),
        cut=block.longer(request.against),
    )


def _scores(request: MaskedWordsRequest, way: str, block: TextBlock) -> WordScores:
    starts, places = block.words(request.text, request.segmentation)
    words = range(len(starts) - 1) if request.words is None else request.words
    if not len(block.tokens(request.against)):
        words = ()
    decoding = "joint" if way == "sentinels" else request.decoding
    longest = _limits(request, block).longest
    return WordScores(
        text=request.text,
        ids=block.tokens(request.text).ids,
        starts=starts,
        spans=places,
        words=words,
        decoding=decoding,
        longest=longest,
    )


def _limits(request: MaskedWordsRequest, block: TextBlock) -> MaskingLimits:
    return MaskingLimits.of(pair_room(block.model.window, block.model[TOKENIZER]), request.stride)


def _rows(scores: WordScores, request: MaskedWordsRequest, way: str, block: TextBlock) -> Iterator[_WordsRow]:
    model, limits = block.model, _limits(request, block)
    if way == "sentinels" and request.stride > 1:
        raise SpecError(f"model {model.name!r} fills one gap per pass: leave stride at 1")
    prefix, suffix = model[TOKENIZER].prefix, model[TOKENIZER].suffix
    other = block.tokens(request.against).ids.tolist()
    for reading_pass in passes(scores.starts, scores.words, request.stride, limits):
        for part in (
            _gap(scores, reading_pass, model) if way == "sentinels" else _masks(scores, reading_pass, limits, model)
        ):
            if way == "pairs":
                yield _WordsRow(scores, part, [*prefix, *part.ids, *suffix], len(prefix))
            else:
                room = pair_room(model.window, model[TOKENIZER])
                both = paired_row(part.ids, other, first=request.first, room=room, tokenizer=model[TOKENIZER])
                yield _WordsRow(scores, part, *both, request.likeliest)


def _masks(scores: WordScores, reading_pass: Pass, limits: MaskingLimits, model: Model) -> Iterator[PassRow]:
    yield from masked_rows(
        scores.ids,
        scores.starts,
        reading_pass=reading_pass,
        decoding=scores.decoding,
        limits=limits,
        mask=model.mask_id,
    )


def _gap(scores: WordScores, reading_pass: Pass, model: Model) -> Iterator[PassRow]:
    yield gap_row(scores.ids, scores.starts, reading_pass, model[GAP_FILLER].sentinels[0])


def _ask(rows: Sequence[_WordsRow], seen: Any, block: TextBlock) -> None:
    """Predict the masked words of rows, and add the predictions to the `scores` of the rows.

    Args:
        rows: the rows.
        seen: the other text in the form that weights for pairs read; None for a model without such weights.
        block: the block with the texts.
    """
    for batch, ids, attend in _batches(rows, None if seen is None else _PAIR_BATCH_TOKENS, block):
        table, used = spread([[place + row.shift for _, _, place in row.part.asked] for row in batch])
        at = (table + np.arange(len(batch))[:, None] * ids.shape[1]).ravel()
        if seen is None:
            types = pair_types([row.second for row in batch], ids.shape[1], block.model)
            logits = block.model[MASKED_LM].masked_logits(ids, attend, at, **types)
        else:
            pairs = block.model[MASKED_PAIRS]
            logits = pairs.pair_logits(ids, attend, at, seen)
        asked = [(row.scores, word, piece) for row in batch for word, piece, _ in row.part.asked]
        truths = np.array([scores.truth(word)[piece] for scores, word, piece in asked])
        read_off = (part.tolist() for part in _read_off(logits[np.concatenate(used)], truths))
        for (scores, word, piece), log, token, likeliest in zip(asked, *read_off, strict=True):
            scores.add(word, piece, log_probability=log, predicted=token, likeliest=likeliest)


def _fill(rows: Sequence[_WordsRow], block: TextBlock) -> None:
    """Predict the words of rows that have one gap each, and add the predictions to the `scores` of the rows."""
    filler = block.model[GAP_FILLER]
    for batch, ids, attend in _batches(rows, None, block):
        words = [row.part.asked[0][0] for row in batch]
        truths = [row.scores.truth(word) for row, word in zip(batch, words, strict=True)]
        logs, written = filler.fill(ids, attend, truths)
        asked = np.array([row.likeliest for row in batch])
        said = np.where(asked, filler.fill(ids, attend, written)[0] if asked.any() else np.nan, np.nan)
        for row, word, log, pieces, likeliest in zip(batch, words, logs, written, said, strict=True):
            row.scores.put(word, float(log), pieces, float(likeliest))


def _batches(
    rows: Sequence[_WordsRow], most_tokens: int | None, block: TextBlock
) -> Iterator[tuple[list[_WordsRow], Ints, Ints]]:
    for index in block.batches([len(row.ids) for row in rows], most_tokens):
        batch = [rows[i] for i in index]
        yield batch, *padded([row.ids for row in batch], block.model[TOKENIZER].pad_id)


def _read_off(
    logits: NDArray[np.float32], truths: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]:
    """Return the log-probability of the true token, the likeliest token, and the log-probability of the latter.

    Args:
        logits: [positions, vocabulary].
        truths: the true tokens, [positions].

    Returns:
        Three arrays [positions].
    """
    top = logits.max(axis=1, keepdims=True)
    mass = np.log(np.exp(logits - top).sum(axis=1, dtype=np.float64))
    true = np.take_along_axis(logits, truths[:, None], axis=1)[:, 0]
    return true.astype(np.float64) - top[:, 0] - mass, logits.argmax(axis=1), -mass


@dataclass(frozen=True)
class MaskedWordsRequest(PairRequest[MaskedWords]):
    """A request for predictions of a text's words, from the rest of the text and another text.

    The feature is None if the text has no tokens. If the other text has none, there are no words.
    """

    capability = TOKENIZER  # `way_of` chooses the capability
    reader: ClassVar[Reader] = staticmethod(read_masked_words)

    decoding: str = "joint"
    """How a word of several sub-words is predicted: see engine.masking"""
    stride: int = 1
    """How many words, far from each other, are masked in one pass; 1 is exact"""
    words: tuple[int, ...] | None = None
    """The numbers of the words, counted from 0, in order; None for all words"""
    likeliest: bool = False
    """Whether T5 computes the predicted word's probability too, in one more pass. Other models always compute it"""

    @property
    def passes(self) -> ModelPasses:
        words = len(self.text) // 6 + 1 if self.words is None else len(self.words)
        return ModelPasses(self, words * len(self.against) // self.stride)

    def size(self, model: Model) -> int:
        return 64 * tokens_about(self.text)
