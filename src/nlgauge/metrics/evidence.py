"""Evidence of metrics that score words: the words that two texts share, and the probability of each word by a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, EvidenceText, EvidenceWord, TextPiece
from nlgauge.maths.text import word_spans

if TYPE_CHECKING:
    from nlgauge.engine.features.likelihood import Likelihood
    from nlgauge.engine.features.vectors import TokenVectors

_UNLIKELY = 0.01
_HALF = 0.5


def token_pieces(feature: TokenVectors, tokens: NDArray[np.intp]) -> list[TextPiece]:
    """Return the texts and positions of the tokens with the given indices; a special token has neither."""
    marks = zip(feature.offsets[tokens].tolist(), feature.special[tokens].tolist(), strict=True)
    return [
        TextPiece(None) if special else TextPiece(feature.text[begin:end], begin, end)
        for (begin, end), special in marks
    ]


def likely_words(name: str, against: str, likelihood: Likelihood) -> EvidenceText:
    """Return the tokens of a text with their probabilities. Tokens below 0.01 are shown as unsupported.

    Args:
        name: the name of the text, such as 'candidate'.
        against: the name of what the probabilities depend on, such as 'source'.
        likelihood: the text, with the position and log-probability of each token.

    Returns:
        The text as evidence.
    """
    text, logs = likelihood.text, likelihood.log_probabilities
    places = zip(likelihood.offsets.tolist(), np.exp(logs).tolist(), logs.tolist(), strict=True)
    words = [
        EvidenceWord(text[begin:end], begin, end, share, log_probability=log) for (begin, end), share, log in places
    ]
    return EvidenceText(name=name, against=against, text=text, words=words, weak=_UNLIKELY)


def shared_words(candidate: str, others: Mapping[str, str], reference: int | None = None) -> Evidence:
    """Return the words that a candidate shares with other texts, which are the evidence of all string metrics.

    Case does not count. A word is shared as often as both texts have it. Of several other texts, the one that has the
    word most often counts.

    Args:
        candidate: the candidate.
        others: the other texts by name, such as 'reference'.
        reference: the index of the reference that the score is based on.

    Returns:
        The evidence.
    """
    counts = {name: Counter(_word(other, span) for span in word_spans(other)) for name, other in others.items()}
    most: Counter[str] = Counter()
    for counted in counts.values():
        most |= counted
    own_counts = Counter(_word(candidate, span) for span in word_spans(candidate))
    texts = [
        EvidenceText(
            name="candidate", against=" and ".join(others), text=candidate, words=_shared(candidate, most), weak=_HALF
        )
    ]
    texts += [
        EvidenceText(name=name, against="candidate", text=other, words=_shared(other, own_counts), weak=_HALF)
        for name, other in others.items()
    ]
    return Evidence(reference, texts)


def shared_with_references(row: Row) -> Evidence:
    """Return the words that a row's candidate shares with its references; empty without references."""
    names = [f"reference {number}" for number in range(1, len(row.references) + 1)]
    if len(names) < 2:
        names = ["reference"] * len(names)
    return shared_words(row.candidate, dict(zip(names, row.references, strict=True))) if names else Evidence()


def _shared(text: str, others: Counter[str]) -> list[EvidenceWord]:
    left, words = others.copy(), []
    for begin, end in word_spans(text):
        word = _word(text, (begin, end))
        words.append(EvidenceWord(text[begin:end], begin, end, float(left[word] > 0)))
        left[word] -= 1
    return words


def _word(text: str, span: tuple[int, int]) -> str:
    return text[slice(*span)].casefold()
