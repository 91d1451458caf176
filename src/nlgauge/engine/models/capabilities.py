"""What a model can do: small protocols, of which a backend implements what it can, and the model that holds them.

A new backend writes padded rows in, arrays out. Sorting, batching, windows and keeping are the engine's. A package adds
a capability of its own as those below are made: a protocol, and the key that names it and says what a model lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.card import Card
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]
C = TypeVar("C")


@dataclass(frozen=True)
class Capability(Generic[C]):
    """Something that a model can do: the key under which the model holds what does it, an object of type C.

    name: its own; a package's is `package/name`. lacks: what is said of a model without it, and what to choose instead.
    """

    name: str
    lacks: str


TOKENIZER = Capability[SubwordTokenizer](
    "tokenizer", "splits no text into sub-words, which are needed here; choose a model with a tokenizer of ours"
)


class Encoder(Protocol):
    """Gives every token a vector."""

    @property
    def layers(self) -> int:
        """Hidden layers above the embeddings"""
        ...

    @property
    def width(self) -> int: ...

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> Floats:
        """Hidden states at `layers`, of which 0 is the embeddings: [layers, rows, length, width].

        ids, attend: [rows, length].
        """
        ...

    def static(self, ids: NDArray[np.int32]) -> Floats:
        """Rows of the vocabulary table, as the network's input reads it: ids [tokens] -> [tokens, width]."""
        ...


ENCODER = Capability[Encoder]("encoder", "gives its tokens no vectors; choose an encoder")


class MaskedLM(Protocol):
    """Predicts what a mask stands for."""

    def masked_logits(self, ids: Ints, attend: Ints, at: Ints) -> Floats:
        """Logits at the flat positions `at` of ids [rows, length]: [len(at), vocabulary].

        Every row has the same number of positions, and `at` holds them row after row.
        """
        ...


MASKED_LM = Capability[MaskedLM]("masked_lm", "predicts no masked words; choose a masked language model")


class MaskedPairs(Protocol):
    """Predicts masks and gives states where another text, which is read once for any number of rows, is in sight."""

    @property
    def digest(self) -> str:
        """SHA-256 of the weights for pairs, hexadecimal"""
        ...

    def other_text(self, ids: Ints) -> Any:
        """What rows see of the other text, framed, ids [length]: handed back to the two methods below."""
        ...

    def pair_logits(self, ids: Ints, attend: Ints, at: Ints, other: Any) -> Floats:
        """`MaskedLM.masked_logits` of rows that all see the other text as well."""
        ...

    def pair_states(self, ids: Ints, attend: Ints, other: Any) -> Floats:
        """Last hidden states of such rows: ids, attend [rows, length] -> [rows, length, width]."""
        ...


MASKED_PAIRS = Capability[MaskedPairs]("masked_pairs", "has no weights for pairs: see nlgauge train masked-lm --pairs")


class Aligner(Protocol):
    """Says how far a text is supported by another one that is read with it."""

    @property
    def digest(self) -> str:
        """SHA-256 of the aligner's own weights, hexadecimal"""
        ...

    def align(self, ids: Ints, attend: Ints, side: Ints) -> tuple[Floats, Floats, Floats, Floats]:
        """Log-odds that each token is supported [rows, length], and three numbers of each whole text [rows].

        They are the share of it that is supported, the log-odds that all of it is, and the log-odds that the context
        contradicts it if not all is supported. The last two are NaN of an aligner that was trained without them.
        A row of ids, attend, side [rows, length] is a text and a context, each with the special tokens that belong
        there; side is 1 at the context's own tokens.
        """
        ...


ALIGNER = Capability[Aligner]("aligner", "has no aligner: choose aligner='E', or train one with nlgauge train aligner")


class GapFiller(Protocol):
    """Writes what stood in a gap whose length it is not told (T5)."""

    @property
    def sentinels(self) -> tuple[int, int]:
        """The tokens that stand for a gap and for what follows it"""
        ...

    def fill(
        self, ids: Ints, attend: Ints, truths: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.float64], list[list[int]]]:
        """Log-probability of the true tokens of each row's gap [rows], and what is written there, greedily."""
        ...


GAP_FILLER = Capability[GapFiller]("gap_filler", "fills no gaps: it has no sentinels")


class CausalLM(Protocol):
    """Reads a text from left to right."""

    def causal_logs(self, ids: Ints) -> NDArray[np.float64]:
        """Log-probability of each token, those before it being seen: [rows, length].

        Padding stands at the end of a row, and what is said of it is not read.
        """
        ...


CAUSAL_LM = Capability[CausalLM]("causal_lm", "does not read from left to right; choose a causal checkpoint")


class Seq2SeqLM(Protocol):
    """Writes one text from another."""

    def seq2seq_logs(self, ids: Ints, given: Ints, attend: Ints) -> NDArray[np.float64]:
        """Log-probability of each token of ids [rows, length], those before it and a given text being seen.

        given, attend [rows, any length]: the text that each row is written from. Padding of ids stands at the end of a
        row, and what is said of it is not read.
        """
        ...


SEQ2SEQ_LM = Capability[Seq2SeqLM](
    "seq2seq_lm",
    "writes no text from another: choose a checkpoint with encoder and decoder, such as "
    "model='facebook/bart-large-cnn'",
)


@dataclass(frozen=True, eq=False)
class Model:
    """A model as the engine reads it: who it is, what it can do, and what is known about it.

    `model[ENCODER]` is what it does so, `ENCODER in model` whether it can.
    """

    name: str
    """As the user named it"""
    digest: str
    """SHA-256 of the weights, hexadecimal: the same from a folder and from a hub"""
    backend: str
    """Runtime, its version, and the device where it is no CPU"""
    precision: str
    """In which the products are computed"""
    abilities: Mapping[Capability[Any], object]
    """By capability, what does it; None for what it cannot do"""
    window: int = 0
    """Most sub-words in a row, special tokens counted; read only of a model with a tokenizer of ours"""
    files: str = ""
    """SHA-256 of all other files that numbers depend on, hexadecimal; empty for a model that has none"""
    card: Card = field(default_factory=Card)
    folder: Path | None = None
    """Where its files lie; None for a model that is no folder"""
    batch_tokens: int | None = None
    """How many tokens a batch holds where the backend knows better than the engine's default"""
    apart: bool = False
    """Whether it computes on a device of its own, so that the processor is free meanwhile"""

    def __post_init__(self) -> None:
        """Raises SpecError for a window without room, and for a card that is another model's."""
        if (tokenizer := self.get(TOKENIZER)) is not None:
            if self.room < 1:
                problem = f"its window of {self.window} sub-words has no room beside {tokenizer.frame}"
                raise SpecError(f"model {self.name!r}: {problem}")
            table = self.card.document_frequencies
            if table is not None and len(table.counts) <= tokenizer.largest_id:
                raise SpecError(f"model {self.name!r}: its card counts {len(table.counts)} tokens, fewer than it has")
        if (encoder := self.get(ENCODER)) is not None:
            for metric, layer in self.card.layers.items():
                if layer > encoder.layers:
                    problem = f"its card names layer {layer} for {metric}, and it has {encoder.layers}"
                    raise SpecError(f"model {self.name!r}: {problem}")

    def __getitem__(self, capability: Capability[C]) -> C:
        """What does it. Raises SpecError for what the model cannot do."""
        if (part := self.get(capability)) is None:
            in_8_bits = " in int8" if self.precision == "int8" else ""
            raise SpecError(f"model {self.name!r}{in_8_bits} {capability.lacks}")
        return part

    def __contains__(self, capability: Capability[Any]) -> bool:
        return self.get(capability) is not None

    def get(self, capability: Capability[C]) -> C | None:
        """What does it, or None."""
        return cast("C | None", self.abilities.get(capability))

    @property
    def mask_id(self) -> int:
        """The mask token. Raises SpecError for a model that has none."""
        if (mask := self[TOKENIZER].mask_id) is None:
            raise SpecError(f"model {self.name!r} {MASKED_LM.lacks}")
        return mask

    @property
    def room(self) -> int:
        """Sub-words of one text that fit a row."""
        return self.window - self[TOKENIZER].frame
