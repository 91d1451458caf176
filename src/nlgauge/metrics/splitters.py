"""Word tokenizers by name, for all string metrics."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from nlgauge.errors import MissingExtraError

SPLITTERS = ("13a", "intl", "zh", "char", "unicode", "spaces")
"""Four of sacrebleu; Unicode words without punctuation (rouge-score-rs); str.split"""


def splitter_library(name: str) -> tuple[str, ...]:
    """The distribution that a tokenizer needs, if any, for `Metric.libraries`."""
    return {"spaces": (), "unicode": ("rouge-score-rs",)}.get(name, ("sacrebleu",))


@cache
def splitter(name: str) -> Callable[[str], list[str]]:
    """A function that splits a text into lower-case words. Raises MissingExtraError without its library.

    Metrics share it, because sacrebleu's tokenizer caches the last texts.
    """
    if name == "spaces":
        return lambda text: text.lower().split()
    try:
        if name == "unicode":
            from rouge_score_rs.tokenizers import UnicodeTokenizer

            tokenize: Callable[[str], list[str]] = UnicodeTokenizer().tokenize
            return tokenize
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtraError(f"splitting texts into words by {name!r}", "strings") from None
    tokenizer: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    return lambda text: tokenizer(text.lower().rstrip()).split()
