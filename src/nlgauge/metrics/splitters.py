"""How strings become words, by a name that all metrics of strings share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from nlgauge.errors import MissingExtraError

SPLITTERS = ("13a", "intl", "zh", "char", "unicode", "spaces")
"""The first four are sacrebleu's; rouge-score-rs's words by Unicode's rules, punctuation left out; str.split"""


def splitter_library(name: str) -> tuple[str, ...]:
    """The distribution that does it, if any, for `Metric.libraries`."""
    return {"spaces": (), "unicode": ("rouge-score-rs",)}.get(name, ("sacrebleu",))


@cache
def splitter(name: str) -> Callable[[str], list[str]]:
    """The words of a text in lower case, by a name of `SPLITTERS`. Raises MissingExtraError without its library.

    One for all metrics: sacrebleu's remembers the texts that it split last.
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
