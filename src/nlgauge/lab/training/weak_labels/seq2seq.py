"""Paraphrasing and infilling by sequence-to-sequence checkpoints, as published: run by torch and transformers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge.engine.words import is_word
from nlgauge.errors import InputError, MissingExtraError
from nlgauge.lab.training.weak_labels.reading import Template
from nlgauge.lab.training.weak_labels.syntax import Sentence

_MOST = 256


class Seq2SeqParaphraser:
    """Paraphrases with a checkpoint: of several drawn, the one farthest from the sentence in characters.

    checkpoint: a folder or a Hugging Face name. prompt: what the checkpoint was trained to see, the sentence in {}.
    number, top_p, top_k: how many are drawn, among which sub-words; as published.
    """

    def __init__(
        self, checkpoint: str, prompt: str = "paraphrase: {} </s>", number: int = 10, top_p: float = 0.95,
        top_k: int = 120,
    ) -> None:  # fmt: skip
        self.name = f"{checkpoint}, farthest of {number}, top_p={top_p}, top_k={top_k}"
        self._prompt, self._number = prompt, number
        self._writer = _Writer(checkpoint, top_p, top_k)

    def paraphrase(self, sentences: Sequence[Sentence], rngs: Sequence[np.random.Generator]) -> list[str]:
        drawn = [
            self._writer.write(self._prompt.format(sentence.text), rng, self._number)
            for sentence, rng in zip(sentences, rngs, strict=True)
        ]
        return [
            max([text.strip() for text in texts if text.strip()] or [one.text], key=lambda text: edits(text, one.text))
            for texts, one in zip(drawn, sentences, strict=True)
        ]


class Seq2SeqInfiller:
    """Fills holes with a checkpoint trained on denoising: one with a mask token (BART), or with T5's sentinels.

    BART writes the whole sentence anew, and the fillings are found where its text fits the template; T5 writes the
    fillings between sentinels. What does not fit is given back as None.
    """

    def __init__(self, checkpoint: str, top_p: float = 0.95) -> None:
        self.name = f"{checkpoint}, top_p={top_p}"
        self._writer = _Writer(checkpoint, top_p, 0)
        tokenizer = self._writer.tokenizer
        self._mask: str | None = tokenizer.mask_token
        if self._mask is None and "<extra_id_0>" not in tokenizer.get_vocab():
            remedy = "name a BART-like or T5-like checkpoint"
            raise InputError("the tokenizer has neither a mask nor sentinels", file=checkpoint, remedy=remedy)

    def fill(self, templates: Sequence[Template], rngs: Sequence[np.random.Generator]) -> list[tuple[str, ...] | None]:
        return [self._filled(template, rng) for template, rng in zip(templates, rngs, strict=True)]

    def _filled(self, template: Template, rng: np.random.Generator) -> tuple[str, ...] | None:
        marks = [self._mask or f"<extra_id_{hole}>" for hole in range(len(template.originals))]
        text = template.pieces[0] + "".join(
            mark + piece for mark, piece in zip(marks, template.pieces[1:], strict=True)
        )
        written = self._writer.write(text, rng, 1, keep_special=self._mask is None)[0]
        return fitted(template, written) if self._mask else between_sentinels(written, len(marks))


class _Writer:
    """A checkpoint and how it draws."""

    def __init__(self, checkpoint: str, top_p: float, top_k: int) -> None:
        try:
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
        except ImportError:
            raise MissingExtraError("a sequence-to-sequence checkpoint", "train") from None
        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(checkpoint, trust_remote_code=False)
            net: Any = AutoModelForSeq2SeqLM.from_pretrained(checkpoint, use_safetensors=True, trust_remote_code=False)
        except Exception as error:  # reading files of others, transformers raises anything
            why = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InputError(f"cannot be loaded: {why}", file=checkpoint, remedy="name a checkpoint's folder") from None
        self._net, self._draw = net.eval(), {"top_p": top_p, "top_k": top_k, "do_sample": True, "num_beams": 1}

    def write(self, text: str, rng: np.random.Generator, number: int, keep_special: bool = False) -> list[str]:
        """`number` texts drawn for one, the same whatever was drawn before."""
        import torch

        inputs = self.tokenizer([text], return_tensors="pt", truncation=True, max_length=2 * _MOST)
        inputs.pop("token_type_ids", None)
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            torch.manual_seed(int(rng.integers(2**31)))
            out = self._net.generate(**inputs, **self._draw, max_length=_MOST, num_return_sequences=number)
        return [str(one) for one in self.tokenizer.batch_decode(out, skip_special_tokens=not keep_special)]


def fitted(template: Template, text: str) -> tuple[str, ...] | None:
    """What a text has in the template's holes; None where it does not fit, or a hole is left without a word."""
    pattern = r"\s*(.+?)\s*".join(re.escape(piece.strip()) for piece in template.pieces)
    found = re.fullmatch(rf"\s*{pattern}\s*", text, re.IGNORECASE | re.DOTALL)
    return found.groups() if found is not None and all(map(is_word, found.groups())) else None


def between_sentinels(text: str, holes: int) -> tuple[str, ...] | None:
    """What a text has after each of T5's first sentinels; None where one is missing, or has no word after it."""
    parts = re.split(r"<extra_id_(\d+)>", re.sub(r"</?s>|<pad>", "", text))
    found = dict(zip(parts[1::2], parts[2::2], strict=False))
    fillings = tuple(found.get(str(hole), "").strip() for hole in range(holes))
    return fillings if all(map(is_word, fillings)) else None


def edits(a: str, b: str) -> int:
    """The least number of characters to put in, take out or replace that makes one text of the other."""
    before = np.arange(len(b) + 1)
    right = np.array([ord(character) for character in b], np.int64)
    steps = np.arange(len(b) + 1)
    for row, character in enumerate(a, 1):
        best = np.empty_like(before)
        best[0] = row
        best[1:] = np.minimum(before[1:] + 1, before[:-1] + (right != ord(character)))
        # What is put in adds one a step: a running minimum of the distance to the diagonal.
        before = np.minimum.accumulate(best - steps) + steps
    return int(before[-1])
