"""What a model has to offer to the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.folder import DocumentFrequencies
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError


class LanguageModel(Protocol):
    """The only thing that a new backend writes: padded rows in, arrays out. No sorting, batching or caching here."""

    @property
    def name(self) -> str:
        """As the user named it"""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the weights, hexadecimal"""
        ...

    @property
    def backend(self) -> str:
        """Runtime and version"""
        ...

    @property
    def precision(self) -> str:
        """'float32' or 'bfloat16': in which the products are computed"""
        ...

    @property
    def tokenizer(self) -> SubwordTokenizer: ...

    @property
    def window(self) -> int:
        """Most sub-words in a row, special tokens counted"""
        ...

    @property
    def layers(self) -> int:
        """Hidden layers above the embeddings"""
        ...

    @property
    def width(self) -> int: ...

    @property
    def temperature(self) -> float:
        """At which its masked distributions agree best with people; 1 where nobody measured"""
        ...

    @property
    def document_frequencies(self) -> DocumentFrequencies | None:
        """Of its own tokens in a large general text; None where nobody counted"""
        ...

    @property
    def bertscore_baseline(self) -> Mapping[int, tuple[float, float, float]] | None:
        """Precision, recall and F1 of unrelated sentences by layer; None where nobody measured"""
        ...

    @property
    def aligner_digest(self) -> str | None:
        """SHA-256 of the aligner's own weights, hexadecimal; None for a model without an aligner"""
        ...

    @property
    def aligner_threshold(self) -> float:
        """Alignment under which the aligner takes a word to be unsupported, as held-out examples say"""
        ...

    def hidden(self, ids: NDArray[np.int64], attend: NDArray[np.int64], layers: Sequence[int]) -> NDArray[np.float32]:
        """Hidden states at `layers`: ids, attend [rows, length] -> [layers, rows, length, width]."""
        ...

    def static(self, ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Rows of the vocabulary table, as the network's input reads it: ids [tokens] -> [tokens, width]."""
        ...

    def masked_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Logits at the flat positions `at` of ids [rows, length]: [len(at), vocabulary].

        Every row has the same number of positions, and `at` holds them row after row.
        """
        ...

    @property
    def folder(self) -> Path | None:
        """Where its files lie; None for a model that is no folder"""
        ...

    @property
    def pairs_digest(self) -> str | None:
        """SHA-256 of the weights for pairs, hexadecimal; None for a model that has none"""
        ...

    def other_text(self, ids: NDArray[np.int64]) -> Any:
        """The other text of pairs, framed, ids [length]: read once, for any number of calls that see it."""
        ...

    def pair_logits(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], at: NDArray[np.int64], other: Any
    ) -> NDArray[np.float32]:
        """`masked_logits` by the weights for pairs, of rows that all see the other text as well."""
        ...

    def pair_states(self, ids: NDArray[np.int64], attend: NDArray[np.int64], other: Any) -> NDArray[np.float32]:
        """Last hidden states by the weights for pairs: ids, attend [rows, length] -> [rows, length, width]."""
        ...

    @property
    def sentinels(self) -> tuple[int, int] | None:
        """The tokens that stand for a gap and for what follows it, of a model that fills gaps (T5); else None"""
        ...

    def fill(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        """Log-probability of the true tokens of each row's gap [rows], and what is written there, greedily."""
        ...

    @property
    def writes(self) -> str | None:
        """How it writes from left to right: 'alone' (causal), 'from another text' (an encoder and a decoder), None"""
        ...

    def written_logs(
        self, ids: NDArray[np.int64], given: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    ) -> NDArray[np.float64]:
        """Log-probability of each token of ids [rows, length], those before it and the given texts being seen.

        Padding stands at the end of a row, and what is said of it is not read. given: ids and attend [rows, any
        length] of the texts that a model which writes from another text is given, a row each; None for the others.
        """
        ...

    def align(
        self, ids: NDArray[np.int64], attend: NDArray[np.int64], side: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How far text is supported by context: log-odds of each token [rows, length], share of the whole [rows].

        A row of ids, attend, side [rows, length] is a text and a context, each with the special tokens that belong
        there; side is 1 at the context's own tokens. Raises SpecError for a model without an aligner.
        """
        ...


def no_gaps(name: str) -> SpecError:
    """What a model answers that was not made to fill gaps."""
    return SpecError(f"model {name!r} fills no gaps: it has no sentinels")


def no_pairs(name: str) -> SpecError:
    """What a model answers that has no weights for pairs."""
    return SpecError(f"model {name!r} has no weights for pairs: see nlgauge train masked-lm --pairs")


def no_head(name: str) -> SpecError:
    """What a model answers that predicts no masked words."""
    return SpecError(f"model {name!r} has no masked-LM head; choose a masked language model")


def no_aligner(name: str) -> SpecError:
    """What a model answers that has no aligner."""
    return SpecError(f"model {name!r} has no aligner: train one with nlgauge train aligner")


def no_writing(name: str) -> SpecError:
    """What a model answers that writes nothing from left to right, or not in the way that is asked of it."""
    return SpecError(f"model {name!r} does not write that way: Perplexity takes a causal checkpoint, BARTScore BART's")
