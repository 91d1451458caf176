"""Settings that metrics take from a model and its card: the layers that are read, and inverse document frequencies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Metric, Setup
from nlgauge.data.corpus.place import shown
from nlgauge.engine.features.masked import TokenWeights
from nlgauge.engine.models.capabilities import ENCODER, TOKENIZER, Model
from nlgauge.engine.models.general import general_frequencies
from nlgauge.errors import SpecError


def document_frequencies(documents: Iterable[NDArray[np.integer]], vocabulary: int) -> tuple[NDArray[np.int64], int]:
    """Return the number of documents in which each token occurs.

    Args:
        documents: the token ids of each document, of any length.
        vocabulary: the number of tokens in the vocabulary.

    Returns:
        The counts: [vocabulary]; and the number of documents.
    """
    counts = np.zeros(vocabulary, dtype=np.int64)
    number = 0
    for ids in documents:
        counts[np.unique(ids)] += 1
        number += 1
    return counts, number


def inverse_document_frequencies(counts: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """Return ln((N + 1) / (df + 1)), as in InfoLM, BERTScore and MoverScore.

    A token of every document has weight 0, and a token of no document ln(N + 1). With one document all its tokens have
    weight 0, so callers need a rule for texts whose weights are all 0.

    Args:
        counts: the number of documents in which each token occurs, df: [vocabulary].
        documents: the number of documents, N.

    Returns:
        The frequencies: [vocabulary], >= 0.
    """
    return np.log((documents + 1) / (counts + 1.0))


OF_THE_CORPUS = ("references", "candidates", "union", "separate")
"""Names of tables that are counted on the run's rows"""
UNWEIGHTED = "all idf weights of a text are 0: its tokens have equal weights"


def check_layers(metric: Metric) -> None:
    """Raise SpecError if `layers` is neither a positive number nor a tuple of layers."""
    layers: int | tuple[int, ...] = getattr(metric, "layers")  # noqa: B009
    if (layers if isinstance(layers, int) else min(layers, default=-1) + 1) < 1:
        raise SpecError(f"{metric.name}: layers={shown(layers)} is neither a number of layers nor a tuple of them")


def layer_read(layer: int | None, families: Sequence[str], model: Model, rule: int) -> tuple[int, dict[str, object]]:
    """Return the layer that a metric reads, and the facts that name it for the signature.

    Args:
        layer: the layer that the user chose; None for the layer that the model's card or published code names.
        families: the names under which the card may have the metric's layer. The first name that the card has counts.
        model: the model.
        rule: the layer if neither names one: -1 is the last layer, -2 the one before.

    Returns:
        The number of the layer, and the facts.
    """
    origin = None
    if layer is None:
        layer, origin = model.card.layer(*families) or (model[ENCODER].layers + 1 + rule, None)
    return layer, {"layer": layer, **layer_origin(origin)}


def layer_origin(origin: str | None) -> dict[str, object]:
    """Return the fact which names the checkpoint for which a layer is published; empty if `origin` is None."""
    return {} if origin is None else {"layer_from": origin}


def layers_read(layers: int | tuple[int, ...], family: str, model: Model) -> tuple[tuple[int, ...], dict[str, object]]:
    """Return the layers that a metric reads, and the facts that name them for the signature.

    Args:
        layers: a tuple of layers, or how many layers are read. In the second case the last of them is the layer that
            the model's card names for the family, or else the model's last layer. If there are fewer layers up to this
            one, all are read.
        family: the name of the metric in the card.
        model: the model.

    Returns:
        The numbers of the layers, and the facts for a signature.
    """
    most = model[ENCODER].layers
    origin = None
    if isinstance(layers, int):
        top, origin = model.card.layer(family) or (most, None)
        layers = tuple(range(max(0, top + 1 - layers), top + 1))
    return layers, {"layers": ",".join(map(str, layers)), **layer_origin(origin)}


def idf_table(idf: str, setup: Setup) -> TokenWeights | None:
    """Return the idf weights of the vocabulary by their name.

    Args:
        idf: 'general' for weights from a large general text. 'references', 'candidates' and 'union' for weights that
            are counted on the corpus, where a text in several rows counts once. 'none' for no weights.
        setup: the corpus and the model.

    Returns:
        The weights; None for 'none'.
    """
    if idf == "none":
        return None
    if idf == "general":
        table = general_frequencies(setup.model)
        return _weights(table.counts, table.documents)
    texts, tokenizer = dict.fromkeys(_documents(idf, setup)), setup.model[TOKENIZER]
    return _weights(*document_frequencies(tokenizer.ids_of(texts), tokenizer.vocabulary))


def idf_tables(idf: str, setup: Setup) -> tuple[TokenWeights | None, TokenWeights | None]:
    """Return the idf weights for candidates and for references: two tables with 'separate', else one for both."""
    if idf == "separate":
        return idf_table("candidates", setup), idf_table("references", setup)
    table = idf_table(idf, setup)
    return table, table


def idf_fact(idf: str, setup: Setup, *tables: TokenWeights | None) -> str:
    """Return the text for idf weights in a signature: their name, and the digest of each table.

    Args:
        idf: the name. 'general' becomes 'general-words' if the model has no table, so that words are counted.
        setup: the corpus and the model.
        tables: the weights; None for equal weights.

    Returns:
        The text.
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
