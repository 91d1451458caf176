"""Sub-word tokens of a text, with their positions in the text."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from nlgauge.engine.tokenizer_check import checked
from nlgauge.errors import InputError, SpecError

_AT_ONCE = 1024
_WORDS = re.compile(r"\S+")


@dataclass(frozen=True)
class Tokens:
    """The sub-words of one text, without special tokens."""

    ids: NDArray[np.int32]
    """[tokens]: the id of each token in the vocabulary"""
    offsets: NDArray[np.int32]
    """[tokens, 2]: first character of each token and the one after its last in the original string, without white space
    around the token.

    A token of white space alone is empty. It is at the beginning of the next word, or else at the end of the last."""

    def __len__(self) -> int:
        return len(self.ids)


def unknown_share(text: str, tokens: Tokens, unknown: int) -> float:
    """Return the share of a text's sub-words that are the unknown token, from 0 to 1; punctuation does not count."""
    missed = tokens.ids == unknown
    if not missed.any():
        return 0.0
    counted = np.array([_has_words(text[begin:end]) for begin, end in tokens.offsets.tolist()], np.bool_)
    return float(missed[counted].mean()) if counted.any() else 0.0


def _has_words(piece: str) -> bool:
    """Return whether a piece of a text holds more than punctuation and spaces."""
    return any(unicodedata.category(sign)[0] not in "PZC" for sign in piece)


class SubwordTokenizer:
    """A fast tokenizer, and the special tokens that its model puts around a text.

    A "[MASK]" or "[SEP]" in a user's text is split like any other word and never becomes the special token.

    Args:
        tokenizer: the tokenizer of the library tokenizers.
        mask: the mask token; None without one.
        pad: the padding token; None without one.
    """

    def __init__(self, tokenizer: Tokenizer, mask: str | None, pad: str | None) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        try:
            framed = tokenizer.encode("a")
        except Exception as error:  # a tokenizer without such a token may raise anything
            raise SpecError(f"the tokenizer cannot split a text: {' '.join(str(error).split())}") from None
        special = [bool(flag) for flag in framed.special_tokens_mask]
        if all(special):
            raise SpecError("the tokenizer finds no tokens in the text 'a'")
        first = special.index(False)
        last = len(special) - special[::-1].index(False)
        self.prefix, self.suffix = framed.ids[:first], framed.ids[last:]
        self.frame = len(self.prefix) + len(self.suffix)
        """The number of special tokens around one text"""
        self.second_type = _second_type(tokenizer)
        """The type with which the network reads a pair's second text; 0 if the tokenizer names no type"""
        self.pair_frame = _pair_frame(tokenizer)
        """The special tokens before, between and after the two texts of a pair"""
        tokenizer.encode_special_tokens = True
        self._tokenizer = tokenizer
        self.mask_id = tokenizer.token_to_id(mask) if mask else None
        pad_id = tokenizer.token_to_id(pad) if pad else None
        self.pad_id = 0 if pad_id is None else pad_id
        self.vocabulary = tokenizer.get_vocab_size()
        used = [*tokenizer.get_vocab(with_added_tokens=False).values(), *framed.ids, self.mask_id or 0, self.pad_id]
        self.largest_id = max(used)
        """The largest token id that can occur"""

    @classmethod
    def read(cls, path: str) -> SubwordTokenizer:
        """Return the tokenizer in a tokenizer.json, whose mask and pad tokens must have one of the usual names.

        Args:
            path: the file.

        Returns:
            The tokenizer.

        Raises:
            SpecError: the file is not such a tokenizer.json.
        """
        tokenizer = read_tokenizer(path)
        id_of = tokenizer.token_to_id
        mask = next((name for name in ("[MASK]", "<mask>") if id_of(name) is not None), None)
        pad = next((name for name in ("[PAD]", "<pad>") if id_of(name) is not None), None)
        try:
            return cls(tokenizer, mask, pad)
        except SpecError as error:
            raise SpecError(f"{path} is not a tokenizer: {error}") from None

    @property
    def end_id(self) -> int:
        """The token that ends a text. Raises SpecError for a tokenizer that puts no token there."""
        if not self.suffix:
            raise SpecError("the tokenizer puts no token at the end of a text")
        return int(self.suffix[-1])

    def fit(self, rows: int) -> SubwordTokenizer:
        """Return this tokenizer. Raises SpecError if a token id is not below `rows`, the size of an embedding table."""
        if self.largest_id >= rows:
            raise SpecError(f"the tokenizer has the token {self.largest_id}, and the network {rows} tokens")
        return self

    @property
    def definition(self) -> str:
        """The content of this tokenizer's tokenizer.json."""
        return str(self._tokenizer.to_str())

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the tokenizer's definition, hexadecimal, which is equal wherever the tokenizer was read."""
        definition = json.loads(self.definition)
        definition.pop("truncation", None)
        definition.pop("padding", None)
        return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()

    @cached_property
    def unknown_id(self) -> int | None:
        """The id of the unknown token, in whatever way the tokenizer names it; None without one."""
        model = json.loads(self.definition)["model"]
        if isinstance(number := model.get("unk_id"), int):
            return number
        name = model.get("unk_token")
        return self._tokenizer.token_to_id(name) if isinstance(name, str) else None

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the tokens of each text.

        Args:
            texts: the texts.

        Returns:
            The tokens of each, in order.

        Raises:
            InputError: a text has no UTF-8 form (a lone surrogate).
            SpecError: the tokenizer fails.
        """
        out: list[Tokens] = []
        for text, encoding in zip(texts, self._encodings(texts), strict=True):
            ids = np.array(encoding.ids, dtype=np.int32)
            offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
            out.append(Tokens(ids, _trimmed(text, offsets)))
        return out

    def ids_of(self, texts: Iterable[str]) -> Iterator[NDArray[np.int32]]:
        """Yield the token ids of each text [tokens], in order, with few texts in memory. Raises as `encode`."""
        yield from (np.array(encoding.ids, dtype=np.int32) for encoding in self._encodings(texts))

    def placed(self, texts: Iterable[str]) -> Iterator[tuple[list[int], list[tuple[int, int]]]]:
        """Yield the ids of each text with their places as the tokenizer says them, the spaces before words included.

        Args:
            texts: the texts. Few of them are in memory.

        Yields:
            Of each the ids, and where each begins and ends. Raises as `encode`.
        """
        yield from ((encoding.ids, encoding.offsets) for encoding in self._encodings(texts))

    def _encodings(self, texts: Iterable[str]) -> Iterator[Encoding]:
        """Yield what the tokenizer says of each text, in order, with few texts in memory. Raises as `encode`."""
        rest = iter(texts)
        while part := list(islice(rest, _AT_ONCE)):
            try:
                encodings = self._tokenizer.encode_batch(part, add_special_tokens=False)
            except Exception as error:  # the library raises no class of its own
                bad = next((text for text in part if not _encodable(text)), None)
                if bad is None:
                    raise SpecError(f"the tokenizer cannot split a text: {' '.join(str(error).split())}") from None
                raise InputError(
                    f"text {bad[:40]!r} holds a lone surrogate", remedy="decode the source as UTF-8"
                ) from None
            yield from encodings

    def piece(self, token: int) -> str:
        """Return the string of a token in the vocabulary."""
        return str(self._tokenizer.id_to_token(int(token)))

    def token_id(self, token: str) -> int | None:
        """Return the id of a token, special tokens included; None if it is not in the vocabulary."""
        number = self._tokenizer.token_to_id(token)
        return None if number is None else int(number)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of some tokens, special tokens included."""
        return str(self._tokenizer.decode([int(token) for token in ids], skip_special_tokens=False))


def read_tokenizer(path: str | PathLike[str]) -> Tokenizer:
    """Return the tokenizer in a tokenizer.json. Raises SpecError for any other file, and for a harmful one."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SpecError(f"{path} is not a tokenizer: {' '.join(str(error).split())}") from None
    checked(text, str(path))
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises no class of its own
        raise SpecError(f"{path} is not a tokenizer: {' '.join(str(error).split())}") from None


def _trimmed(text: str, offsets: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the offsets of `Tokens` from those of a tokenizer.

    Many vocabularies write the space before a word into the word's first token ("Ġword", "▁word"), and the tokenizer
    says that the token begins at the space.
    """
    words = np.array([word.span() for word in _WORDS.finditer(text)], np.int32).reshape(-1, 2)
    if not len(words):
        return np.zeros_like(offsets)
    nearest = np.searchsorted(
        words[:, 1], offsets[:, 0], side="right"
    )  # the word that is not over, or is still to come
    last = len(words) - 1
    begins = np.where(nearest > last, words[last, 1], np.maximum(offsets[:, 0], words[np.minimum(nearest, last), 0]))
    before = np.searchsorted(words[:, 0], offsets[:, 1], side="left") - 1
    ends = np.minimum(offsets[:, 1], words[np.maximum(before, 0), 1])
    return np.stack([begins, np.maximum(begins, ends)], axis=1)


def _pair_frame(tokenizer: Tokenizer) -> tuple[list[int], list[int], list[int]]:
    try:
        framed = tokenizer.encode("a", "a")
    except Exception:  # a tokenizer for single texts may raise anything
        return [], [], []
    places = [[at for at, of in enumerate(framed.sequence_ids) if of == text] for text in (0, 1)]
    if not all(places):
        return [], [], []
    ids, (first, second) = framed.ids, places
    return ids[: first[0]], ids[first[-1] + 1 : second[0]], ids[second[-1] + 1 :]


def _second_type(tokenizer: Tokenizer) -> int:
    if tokenizer.post_processor is None:
        return 0
    try:
        return int(max(tokenizer.encode("a", "a").type_ids))
    except Exception:  # a tokenizer for single texts may raise anything
        return 0


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeError:
        return False
    return True
