"""Plain text as passages of sub-words that start where a sentence starts."""

from __future__ import annotations

import fnmatch
import gzip
import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from tokenizers import Tokenizer

from nlgauge.engine.models.folder import TOKENIZER_FILE
from nlgauge.engine.tokens import read_tokenizer
from nlgauge.errors import InputError
from nlgauge_lab.training.recipe import MaskedLMConfig

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]”’]*\s+(?=[\"'(\[“‘]?[A-Z0-9])")


def opened(path: Path) -> TextIO:
    """Open a text file (plain, .gz or .xz) for reading, and return it."""
    opener: Any = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    return opener(path, "rt", encoding="utf-8")  # type: ignore[no-any-return]


def read_lines(path: Path) -> Iterator[str]:
    """Yield the non-empty lines of a text file, without white space around them."""
    with opened(path) as lines:
        for line in lines:
            if line := line.strip():
                yield line


@dataclass(frozen=True)
class Frame:
    """Ids of the special tokens of a row."""

    cls: int
    sep: int
    pad: int
    mask: int


def open_tokenizer(folder: Path) -> tuple[Tokenizer, Frame]:
    """Return the tokenizer of a model's folder, without padding and truncation, and the ids of its special tokens."""
    tokenizer = read_tokenizer(folder / TOKENIZER_FILE)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    known = tokenizer.get_vocab()
    return tokenizer, Frame(*(known[token] for token in ("[CLS]", "[SEP]", "[PAD]", "[MASK]")))


@dataclass
class Passages:
    """Token ids of many passages, one after another. Each passage begins where a sentence begins.

    ids: uint16 [tokens]; starts: int64 [passages + 1].
    """

    ids: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def rows(self, index: np.ndarray, length: int, frame: Frame) -> np.ndarray:
        """Return passages as rows [CLS] passage [SEP] with padding: int64 [len(index), length]."""
        out = np.full((len(index), length), frame.pad, dtype=np.int64)
        out[:, 0] = frame.cls
        for row, passage in enumerate(index):
            ids = self.ids[self.starts[passage] : self.starts[passage + 1]][: length - 2]
            out[row, 1 : 1 + len(ids)] = ids
            out[row, 1 + len(ids)] = frame.sep
        return out


def pack(lines: list[str], tokenizer: Tokenizer, length: int) -> Passages:
    """Return lines of text as passages of at most ``length - 2`` tokens that start where a sentence starts.

    Whole sentences are put together as long as they fit. A passage that would be less than three quarters full also
    gets the beginning of the next sentence, so that a batch has little padding.
    """
    room = length - 2
    ids: list[np.ndarray] = []
    sizes: list[int] = []
    for at in range(0, len(lines), 2000):
        sentences: list[str] = []
        first: list[bool] = []
        for line in lines[at : at + 2000]:
            parts = _SENTENCE_END.split(line)
            sentences += parts
            first += [True] + [False] * (len(parts) - 1)
        current = np.empty(0, np.uint16)
        for encoding, begins in zip(
            tokenizer.encode_batch_fast(sentences, add_special_tokens=False), first, strict=True
        ):
            sentence = np.array(encoding.ids, dtype=np.uint16)
            if len(current) and ((begins and len(current) > room // 3) or len(current) + len(sentence) > room):
                if not begins and len(current) < room * 3 // 4:
                    current = np.concatenate([current, sentence])[:room]
                    sentence = sentence[:0]
                ids.append(current)
                sizes.append(len(current))
                current = current[:0]
            current = np.concatenate([current, sentence])[:room]
        if len(current):
            ids.append(current)
            sizes.append(len(current))
    return Passages(np.concatenate(ids), np.concatenate([[0], np.cumsum(sizes)]))


def load_texts(
    folder: Path, config: MaskedLMConfig, tokenizer: Tokenizer
) -> tuple[dict[int, Passages], dict[str, Passages]]:
    """Return training passages by length, and held-out passages by kind of text.

    Raises:
        InputError: no file of the folder matches a group.
    """
    train: list[str] = []
    held: dict[str, list[str]] = {}
    for path in sorted(p for p in folder.iterdir() if re.search(r"\.txt(\.xz|\.gz)?$", p.name)):
        shares = [share for pattern, share in config.groups.items() if fnmatch.fnmatch(path.name, pattern)]
        if not shares:
            continue
        kind = re.split(r"[_.]", path.name)[0]
        for number, line in enumerate(read_lines(path)):
            if zlib.crc32(line.encode()) % config.held_out_every == 0:
                held.setdefault(kind, []).append(line)
            elif number * shares[0] % 1 < shares[0]:
                train.append(line)
    if not train:
        raise InputError(
            f"{folder}: no text to train on", remedy="put .txt, .txt.gz or .txt.xz files of the recipe's groups there"
        )
    length, long = config.short[0], config.long[0]
    packed = {size: pack(train, tokenizer, size) for size in (length, long)}
    return packed, {kind: pack(lines, tokenizer, length) for kind, lines in held.items()}
