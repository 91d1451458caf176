"""Inverse document frequencies as weights of tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.general import general_frequencies
from nlgauge.maths.weighting import document_frequencies, inverse_document_frequencies
from nlgauge.metrics.base import Setup

OF_THE_CORPUS = ("references", "candidates", "union", "separate")
"""Names of tables that are counted on the run's rows"""
UNWEIGHTED = "all idf weights of a text are 0: its tokens have equal weights"


def idf_table(idf: str, setup: Setup) -> TokenWeights | None:
    """Weights of the vocabulary by name; None for 'none'.

    'general' comes from a large general text. 'references', 'candidates' and 'union' are counted on the corpus, where a
    text in several rows counts once.
    """
    if idf == "none":
        return None
    if idf == "general":
        table = general_frequencies(setup.model)
        return _weights(table.counts, table.documents)
    texts, tokenizer = dict.fromkeys(_documents(idf, setup)), setup.model[TOKENIZER]
    return _weights(*document_frequencies(tokenizer.ids_of(texts), tokenizer.vocabulary))


def idf_tables(idf: str, setup: Setup) -> tuple[TokenWeights | None, TokenWeights | None]:
    """The weights for candidates and for references: a table for each with 'separate', else one for both."""
    if idf == "separate":
        return idf_table("candidates", setup), idf_table("references", setup)
    table = idf_table(idf, setup)
    return table, table


def idf_fact(idf: str, setup: Setup, *tables: TokenWeights | None) -> str:
    """The weights in a signature: the name, and the digest of each table.

    'general' becomes 'general-words' if the model has no table of its own, so that counts come from words.
    """
    of_words = idf == "general" and setup.model.card.document_frequencies is None
    digests = (f"@{table.digest[:8]}" for table in dict.fromkeys(tables) if table)
    return "".join(["general-words" if of_words else idf, *digests])


def _documents(idf: str, setup: Setup) -> Iterator[str]:
    if idf in ("references", "union"):
        yield from (text for row in setup.corpus for text in row.references)
    if idf in ("candidates", "union"):
        yield from (row.candidate for row in setup.corpus)


def _weights(counts: NDArray[np.int64], documents: int) -> TokenWeights:
    values = inverse_document_frequencies(counts, documents)
    return TokenWeights(hashlib.sha256(values.tobytes()).hexdigest(), values)
