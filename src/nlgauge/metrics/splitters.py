"""Word tokenizers by name, for all string metrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

SPLITTERS = ("13a", "intl", "zh", "char", "unicode", "spaces")
"""Four of sacrebleu; Unicode words without punctuation (rouge-score-rs); str.split"""


def splitter_library(name: str) -> tuple[str, ...]:
    """The distribution that a tokenizer needs, if any, for `Metric.libraries`."""
    return {"spaces": (), "unicode": ("rouge-score-rs",)}.get(name, ("sacrebleu",))


@cache
def splitter(name: str) -> Callable[[str], list[str]]:
    """Return a function that splits a text into lower-case words.

    Metrics share it, because sacrebleu's tokenizer caches the last texts.
    """
    if name == "spaces":
        return lambda text: text.lower().split()
    if name == "unicode":
        from rouge_score_rs.tokenizers import UnicodeTokenizer

        tokenize: Callable[[str], list[str]] = UnicodeTokenizer().tokenize
        return tokenize
    from sacrebleu.metrics.bleu import BLEU

    tokenizer: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    return lambda text: tokenizer(text.lower().rstrip()).split()
