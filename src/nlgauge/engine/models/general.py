"""Document frequencies in general text for the tokens of any tokenizer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nlgauge.engine.models.capabilities import TOKENIZER, Model
from nlgauge.engine.models.card import DocumentFrequencies, read_card
from nlgauge.engine.models.folder import TOKENIZER_FILE
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.tokens import SubwordTokenizer

_LETTER = "a"
_COUNTED: dict[str, DocumentFrequencies] = {}


def general_frequencies(model: Model) -> DocumentFrequencies:
    """Return the model's table of document frequencies; without one, a table derived from the embedded model's.

    The embedded model's table says in how many documents the words and punctuation marks of its vocabulary occur, in
    upper or lower case. A token of another tokenizer counts as occurring in a document if a word that contains the
    token occurs there, alone or inside a text, in lower case or capitalised. This rests on four assumptions. Words
    occur independently, so that a token occurs in a share 1 - prod(1 - p) of the documents, where p are the shares of
    its words. Every spelling of a word is as frequent as the word. A token of several marks, such as `."`, is as
    frequent as the rarest of them. All other tokens and special tokens never occur.

    Args:
        model: the model whose tokens are counted.

    Returns:
        The document frequency of each token.
    """
    if model.card.document_frequencies is not None:
        return model.card.document_frequencies
    digest = model[TOKENIZER].digest
    if digest not in _COUNTED:
        _COUNTED[digest] = _counted(model[TOKENIZER])
    return _COUNTED[digest]


def _counted(tokenizer: SubwordTokenizer) -> DocumentFrequencies:
    folder = pocket_folder()
    pocket, table = SubwordTokenizer.read(str(folder / TOKENIZER_FILE)), read_card(folder).document_frequencies
    assert table is not None
    counted = [token for token in np.flatnonzero(table.counts).tolist() if token != pocket.unknown_id]
    shares = {pocket.piece(token): table.counts[token] / table.documents for token in counted}
    whole = {word: share for word, share in shares.items() if not word.startswith("##")}
    absent = np.zeros(tokenizer.vocabulary)
    """The logarithm of the share of documents in which each token does not occur"""
    for tokens, share in zip(_tokens_of(tokenizer, list(whole)), whole.values(), strict=True):
        absent[list(tokens)] += np.log1p(-min(share, 1 - 0.5 / table.documents))
    counts = np.rint(-np.expm1(absent) * table.documents).astype(np.int64)
    signs = _signs(tokenizer, np.flatnonzero(absent == 0).tolist())
    for token, pieces in zip(signs, pocket.encode(list(signs.values())), strict=True):
        counts[token] = table.counts[pieces.ids].min() if len(pieces) else 0
    if tokenizer.unknown_id is not None:
        counts[tokenizer.unknown_id] = 0
    return DocumentFrequencies(counts, table.documents)


def _tokens_of(tokenizer: SubwordTokenizer, words: Sequence[str]) -> list[set[int]]:
    """Return the tokens of each word's spellings: alone, after a space, and for punctuation also after a letter."""
    written = [
        (number, before, before + form)
        for number, word in enumerate(words)
        for form in dict.fromkeys([word, word.capitalize()])
        for before in (["", _LETTER + " "] if word.isalnum() else ["", _LETTER + " ", _LETTER])
    ]
    parts: list[set[int]] = [set() for _ in words]
    for (number, before, _), placed in zip(written, tokenizer.placed(text for *_, text in written), strict=True):
        # A token of the space alone is the word's.
        first = len(_LETTER) if before.endswith(" ") else math.inf
        for token, (begin, end) in zip(*placed, strict=True):
            if end > len(before) or begin >= first:
                parts[number].add(token)
    return parts


def _signs(tokenizer: SubwordTokenizer, tokens: Sequence[int]) -> dict[int, str]:
    """Return the texts of the tokens that are made of punctuation, by id. Special tokens are left out."""
    texts = {token: text for token in tokens if (text := tokenizer.decode([token]).strip()) and not text.isalnum()}
    split = tokenizer.encode([_LETTER + tokenizer.decode([token]) for token in texts])
    return {token: texts[token] for token, inside in zip(texts, split, strict=True) if token in inside.ids}
