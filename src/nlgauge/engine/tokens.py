"""Sub-word tokens of a text, with their positions in the text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from nlgauge.engine.tokenizer_check import checked
from nlgauge.errors import InputError, SpecError

_AT_ONCE = 1024


@dataclass(frozen=True)
class Tokens:
    """The sub-words of one text, without special tokens."""

    ids: NDArray[np.int32]
    """[tokens]"""
    offsets: NDArray[np.int32]
    """[tokens, 2]: first character and the one after the last, in the original string"""

    def __len__(self) -> int:
        return len(self.ids)


class SubwordTokenizer:
    """A fast tokenizer, and the special tokens that its model puts around a text.

    A "[MASK]" or "[SEP]" in a user's text is split like any other word and never becomes the special token.
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
        """Read a tokenizer.json whose mask and pad tokens have one of the usual names.

        Raises SpecError for any other file.
        """
        tokenizer = read_tokenizer(path)
        known = tokenizer.token_to_id
        mask = next((name for name in ("[MASK]", "<mask>") if known(name) is not None), None)
        pad = next((name for name in ("[PAD]", "<pad>") if known(name) is not None), None)
        try:
            return cls(tokenizer, mask, pad)
        except SpecError as error:
            raise SpecError(f"{path} is not a tokenizer: {error}") from None

    def fit(self, rows: int) -> SubwordTokenizer:
        """Returns itself. rows: size of the embedding table. Raises SpecError if a token id is outside it."""
        if self.largest_id >= rows:
            raise SpecError(f"the tokenizer has the token {self.largest_id}, and the network {rows} tokens")
        return self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the tokenizer's definition, hexadecimal; the same wherever it was read from."""
        definition = json.loads(self._tokenizer.to_str())
        definition.pop("truncation", None)
        definition.pop("padding", None)
        return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()

    @cached_property
    def unknown_id(self) -> int | None:
        """The id of the unknown token, whichever way the tokenizer names it."""
        model = json.loads(self._tokenizer.to_str())["model"]
        if isinstance(number := model.get("unk_id"), int):
            return number
        name = model.get("unk_token")
        return self._tokenizer.token_to_id(name) if isinstance(name, str) else None

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokens of each text.

        Raises InputError for a text that has no UTF-8 form (a lone surrogate), SpecError for a tokenizer that fails.
        """
        out: list[Tokens] = []
        for at in range(0, len(texts), _AT_ONCE):
            part = list(texts[at : at + _AT_ONCE])
            try:
                encodings = self._tokenizer.encode_batch(part, add_special_tokens=False)
            except Exception as error:  # the library raises no class of its own
                bad = next((text for text in part if not _encodable(text)), None)
                if bad is None:
                    raise SpecError(f"the tokenizer cannot split a text: {' '.join(str(error).split())}") from None
                raise InputError(
                    f"text {bad[:40]!r} holds a lone surrogate", remedy="decode the source as UTF-8"
                ) from None
            for encoding in encodings:
                ids = np.array(encoding.ids, dtype=np.int32)
                offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
                out.append(Tokens(ids, offsets))
        return out

    def ids_of(self, texts: Iterable[str]) -> Iterator[NDArray[np.int32]]:
        """Token ids of each text [tokens], in order; some texts are held at a time. Raises as `encode`."""
        rest = iter(texts)
        while some := list(islice(rest, _AT_ONCE)):
            yield from (tokens.ids for tokens in self.encode(some))

    def piece(self, token: int) -> str:
        """The string of a token in the vocabulary."""
        return str(self._tokenizer.id_to_token(int(token)))

    def token_id(self, token: str) -> int | None:
        """The id of a token, special tokens included; None if it is not in the vocabulary."""
        found = self._tokenizer.token_to_id(token)
        return None if found is None else int(found)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some tokens, special tokens included."""
        return str(self._tokenizer.decode([int(token) for token in ids], skip_special_tokens=False))


def read_tokenizer(path: str | PathLike[str]) -> Tokenizer:
    """Return the tokenizer of a tokenizer.json. Raises SpecError for any other file, and for one that is harmful."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SpecError(f"{path} is not a tokenizer: {' '.join(str(error).split())}") from None
    checked(text, str(path))
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises no class of its own
        raise SpecError(f"{path} is not a tokenizer: {' '.join(str(error).split())}") from None


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeError:
        return False
    return True
