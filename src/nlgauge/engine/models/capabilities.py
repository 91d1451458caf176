"""The capabilities of a model, as small protocols that a backend implements, and the model that holds them.

A backend takes padded rows and returns arrays. The engine does sorting, batching, windows and caching. A package can
add a capability of its own in the same way: a protocol and a key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]
C = TypeVar("C")


@dataclass(frozen=True)
class Capability(Generic[C]):
    """A key under which a model holds an object of type C, which can do one kind of work.

    name: in a package, `package/name`. lacks: the error message for a model without it, with what to choose instead.
    """

    name: str
    lacks: str


TOKENIZER = Capability[SubwordTokenizer](
    "tokenizer", "has no tokenizer for sub-words, which is needed here; choose another model"
)


class Encoder(Protocol):
    """The capability to compute a vector for every token."""

    @property
    def layers(self) -> int:
        """The number of hidden layers above the embeddings."""

    @property
    def width(self) -> int: ...

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int], types: Ints = ...) -> Floats:
        """Return hidden states at `layers`.

        Args:
            ids: the tokens: [rows, length].
            attend: 1 at tokens, 0 at padding: [rows, length].
            layers: the numbers of the layers; 0 is the embeddings.
            types: the types of the tokens: [rows, length], all 0 by default. They are given only if the model has a
                `second_type`, so that an encoder with a single type can do without this argument.

        Returns:
            [layers, rows, length, width].
        """

    def static(self, ids: NDArray[np.int32]) -> Floats:
        """Return rows of the input embedding table [tokens, width] for ids [tokens]."""


ENCODER = Capability[Encoder]("encoder", "computes no token vectors; choose an encoder")


class MaskedLM(Protocol):
    """The capability to predict masked tokens."""

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints, types: Ints = ...) -> Floats:
        """Return logits at flat positions.

        Args:
            ids: the tokens: [rows, length].
            attend: 1 at tokens, 0 at padding: [rows, length].
            at: positions in the flattened ids. Every row has the same number of them, row after row.
            types: as in `Encoder.hidden`.

        Returns:
            [len(at), vocabulary].
        """


MASKED_LM = Capability[MaskedLM]("masked_lm", "predicts no masked words; choose a masked language model")


class MaskedPairs(Protocol):
    """The capability to predict masks and compute states in rows that also see another text, which is read once."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the weights for pairs, hexadecimal."""

    def other_text(self, ids: Ints) -> Any:
        """Return the other text in the form that the methods below take.

        Args:
            ids: the tokens of the other text, with special tokens: [length].

        Returns:
            An object of the model's own kind.
        """

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: Any) -> Floats:
        """Return logits as `MaskedLM.masked_logits` does, for rows that also see the other text."""

    def pair_states(self, ids: Ints, attend: Ints, other: Any) -> Floats:
        """Return the last hidden states of rows that see the other text.

        Args:
            ids: the tokens: [rows, length].
            attend: 1 at tokens, 0 at padding: [rows, length].
            other: the result of `other_text`.

        Returns:
            [rows, length, width].
        """


MASKED_PAIRS = Capability[MaskedPairs]("masked_pairs", "has no weights for pairs: see nlgauge train masked-lm --pairs")


class Aligner(Protocol):
    """The capability to predict how far a text is supported by another text, which is read together with it."""

    @property
    def digest(self) -> str:
        """The SHA-256 of the aligner's own weights, hexadecimal."""

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the log-odds that each token is supported, and three numbers for each text as a whole.

        An aligner may have a `packer` (`nlgauge.engine.models.packing.Packer`), which then makes its rows. In that case
        `side` is 1 before the text that is judged, and the numbers for the whole text are NaN if the words have
        log-odds of their own.

        Args:
            ids: a text and a context with their special tokens in each row: [rows, length].
            attend: 1 at tokens, 0 at padding: [rows, length].
            side: 1 at the tokens of the context: [rows, length].

        Returns:
            The log-odds: [rows, length]. And three numbers for each text, [rows]: the share of the text that is
            supported, the log-odds that the whole text is supported, and the log-odds that the context contradicts it
            if it is not fully supported. The last two are NaN for an aligner that was trained without them.
        """


ALIGNER = Capability[Aligner]("aligner", "has no aligner: choose aligner='E', or train one with nlgauge train aligner")


class GapFiller(Protocol):
    """The capability to fill a gap of unknown length (T5)."""

    @property
    def sentinels(self) -> tuple[int, int]:
        """The token that marks a gap, and the token that ends its content."""

    def fill(
        self, ids: Ints, attend: Ints, truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        """Return the log-probability of each gap's true tokens [rows], and the tokens that are generated greedily."""


GAP_FILLER = Capability[GapFiller]("gap_filler", "fills no gaps: it has no sentinels")


class CausalLM(Protocol):
    """The capability to read a text from left to right."""

    def causal_logs(self, ids: Ints) -> NDArray[np.float64]:
        """Return the log-probability of each token given the tokens before it.

        Args:
            ids: the tokens: [rows, length]. Padding is at the end of a row, and results there are not used.

        Returns:
            [rows, length], in natural logarithms. The first token has a number too: it is read after a token that
            begins a text.
        """


CAUSAL_LM = Capability[CausalLM]("causal_lm", "is not a causal language model; choose a causal checkpoint")


class Seq2SeqLM(Protocol):
    """The capability to generate one text from another."""

    def seq2seq_logs(self, ids: Ints, given: Ints, attend: Ints) -> NDArray[np.float64]:
        """Return the log-probability of each token, given another text and the tokens before it.

        Args:
            ids: the tokens: [rows, length]. Padding is at the end of a row, and results there are not used.
            given: the other text of each row: [rows, any length].
            attend: 1 at the tokens of the other text, 0 at padding, with the shape of `given`.

        Returns:
            [rows, length], in natural logarithms.
        """


SEQ2SEQ_LM = Capability[Seq2SeqLM](
    "seq2seq_lm",
    "is not an encoder-decoder model: choose one, such as model='facebook/bart-large-cnn'",
)


@dataclass(frozen=True, eq=False)
class Model:
    """A model: its identity, its capabilities, and known facts about it.

    `model[ENCODER]` is its encoder. `ENCODER in model` says whether it has one.
    """

    name: str
    """The name by which the user chose the model"""
    digest: str
    """SHA-256 of the weights, hexadecimal: the same from a folder and from a hub"""
    backend: str
    """Runtime, its version, and the device if it is not the CPU"""
    precision: str
    """The precision of matrix products"""
    abilities: Mapping[Capability[Any], object]
    """The object for each capability; None for a capability that it lacks"""
    window: int = 0
    """The largest number of sub-words in a row, with special tokens; used only for a model with a TOKENIZER"""
    files: str = ""
    """SHA-256 of all other files that scores depend on, hexadecimal; empty if there are none"""
    second_type: int = 0
    """The type of the tokens of a pair's second text; 0 for a network whose tokens have one type, or that was trained
    with one"""
    card: ModelCard = field(default_factory=ModelCard)
    folder: Path | None = None
    """The folder with its files; None for a model without one"""
    batch_tokens: int | None = None
    """The number of tokens per batch; None for the engine's default"""
    lacks: Mapping[Capability[Any], str] = field(default_factory=dict)
    """Error messages for missing capabilities that say more than the message of the capability itself"""
    apart: bool = False
    """Whether the model computes on a device other than the CPU, so that the CPU is free at that time"""

    def __post_init__(self) -> None:
        """Raise SpecError for a window that is too small, and for a card of another model."""
        if (tokenizer := self.get(TOKENIZER)) is not None:
            if self.room < 1:
                room = f"its window of {self.window} sub-words has no room for text"
                problem = f"{room} besides {tokenizer.frame} special tokens"
                raise SpecError(f"model {self.name!r}: {problem}")
            table = self.card.document_frequencies
            if table is not None and len(table.counts) <= tokenizer.largest_id:
                problem = f"its card has {len(table.counts)} tokens, fewer than its tokenizer"
                raise SpecError(f"model {self.name!r}: {problem}")
        if (encoder := self.get(ENCODER)) is not None:
            for metric, layer in self.card.layers.items():
                if layer > encoder.layers:
                    problem = f"its card names layer {layer} for {metric}, but it has {encoder.layers} layers"
                    raise SpecError(f"model {self.name!r}: {problem}")

    def __getitem__(self, capability: Capability[C]) -> C:
        """Return the object for a capability. Raises SpecError if the model lacks it."""
        if (part := self.get(capability)) is None:
            in_8_bits = " in int8" if self.precision == "int8" else ""
            raise SpecError(f"model {self.name!r}{in_8_bits} {self.lacks.get(capability, capability.lacks)}")
        return part

    def __contains__(self, capability: Capability[Any]) -> bool:
        return self.get(capability) is not None

    def get(self, capability: Capability[C]) -> C | None:
        """Return the object for a capability, or None."""
        return cast("C | None", self.abilities.get(capability))

    @property
    def mask_id(self) -> int:
        """The id of the mask token. Raises SpecError for a model that has none."""
        if (mask := self[TOKENIZER].mask_id) is None:
            raise SpecError(f"model {self.name!r} {MASKED_LM.lacks}")
        return mask

    @property
    def room(self) -> int:
        """The largest number of sub-words of one text in a row, without special tokens."""
        return self.window - self[TOKENIZER].frame
