"""What the results page measures: the metrics of ours for each rated data set, and the columns that are reported.

This is the one place that names them; `page.py` makes the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nlgauge.reproduce.published import Source

_STRINGS = (
    "TokenF1", "BLEU", "ChrF", "TER", "EED", "CIDEr", "METEOR", "ROUGE(variant='1', stemmer=True)",
    "ROUGE(variant='2', stemmer=True)", "ROUGE(variant='L', stemmer=True)",
    "ROUGE(variant='Lsum', stemmer=True, sentences='split')",
)  # fmt: skip
_VECTORS = (
    "BERTScore", "MoverScore", "MoverScore(ngram=2)", "SentenceMovers", "BaryScore", "BaryScore(idf='none')",
    "DepthScore", "WordMovers", "RougeWE", "EmbeddingAverage", "GreedyMatching", "VectorExtrema",
)  # fmt: skip
_MASKED = (
    "InfoLM", "InfoLM(idf='references')", "InfoLM(measure='kl')", "InfoLM(measure='ab', alpha=0.5, beta=0.25)",
    "InfoLM(measure='ab', alpha=3, beta=0.25)", "InfoLM(measure='l1')",
)  # fmt: skip
_SETS = (
    "MarkEvaluate", "MarkEvaluate(estimator='schnabel')", "MarkEvaluate(estimator='capture')", "PRD",
    "ImprovedPrecisionRecall", "FrechetDistance",
)  # fmt: skip
# A mask on every eighth token at a time: exact masking of whole articles would take days.
_TEXT = ("Length", "Perplexity(stride=8)")
_SOURCE = ("CopyRate", "MaskEval(weights='candidate', stride=8)", "MaskEval(stride=8)")

_REFERENCES = (*_STRINGS, *_VECTORS, *_MASKED)
ALIGNERS = ("E", "D", "R")


def _aligned(*names: str) -> tuple[str, ...]:
    return tuple(name if aligner == "E" else f"{name}(aligner='{aligner}')" for name in names for aligner in ALIGNERS)


class Group(NamedTuple):
    """Metrics that see the same rows."""

    metrics: tuple[str, ...]
    without: tuple[str, ...] = ()
    """Systems that are left out"""


@dataclass(frozen=True)
class Suite:
    """A part of the results page: a rated data set."""

    name: str
    title: str
    sources: tuple[Source, ...]
    aspects: tuple[str, ...]
    measured: tuple[tuple[str, str], ...]
    """(level, coefficient) of each table"""
    groups: tuple[Group, ...]
    view: str = "as given"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of every metric that has them"""
    resample: str = "both"
    """What the intervals speak about: other 'items' or items and systems, 'both'"""
    notes: tuple[str, ...] = ()


_SUMMARIES = (Group((*_TEXT, *_SOURCE, *_REFERENCES, *_aligned("Consistency", "Relevance"), *_SETS)),)
_REPLIES = (
    Group((*_TEXT, *_aligned("Engagingness", "Groundedness", "MeanAlignment"))),
    Group(_REFERENCES, ("Original Ground Truth",)),
)
_REPLY_ASPECTS = ("engaging", "uses_knowledge", "understandable", "natural", "maintains_context", "overall")
_REPLY_NOTES = (
    "The ground truth is a system and the reference: metrics with a reference leave it out.",
    "Five or six systems say little at system level, whatever the number of replies.",
)

SUITES: tuple[Suite, ...] = (
    Suite(
        "summeval",
        "SummEval",
        (Source("summeval"),),
        ("consistency", "coherence", "fluency", "relevance"),
        (("pooled", "pearson"), ("system", "pearson")),
        _SUMMARIES,
        notes=("Eleven references, of which metrics take the best unless their spec says otherwise.",),
    ),
    *(
        Suite(
            f"realsumm_{kind}",
            f"REALSumm, {title} systems",
            (Source(f"realsumm_{kind}"),),
            ("litepyramid_recall",),
            (("item", "pearson"), ("item", "kendall"), ("system", "pearson"), ("system", "kendall")),
            _SUMMARIES,
            notes=notes,
        )
        for kind, title, notes in (
            ("abs", "abstractive", ("The published numbers are of the release, which gives the abstractive BART the "
                                    "texts and ratings of the extractive one; ours are of its own.",)),
            ("ext", "extractive", ()),
        )
    ),
    Suite(
        "webnlg2020",
        "WebNLG 2020",
        (Source("webnlg2020"),),
        ("correctness", "data_coverage", "fluency", "relevance", "text_structure"),
        (("system", "pearson"), ("system", "kendall")),
        (Group((*_TEXT, *_REFERENCES, *_SETS)),),
        defaults={"references": "mean"},
        notes=("Values are averaged over the references, as in the paper, where a metric can.",),
    ),
    Suite(
        "usr_personachat",
        "PersonaChat",
        (Source("usr_personachat"),),
        _REPLY_ASPECTS,
        (("pooled", "pearson"), ("system", "pearson")),
        _REPLIES,
        notes=_REPLY_NOTES,
    ),
    Suite(
        "usr_topicalchat",
        "TopicalChat",
        (Source("usr_topicalchat"),),
        _REPLY_ASPECTS,
        (("pooled", "pearson"), ("system", "pearson")),
        _REPLIES,
        notes=_REPLY_NOTES,
    ),
    Suite(
        "yelp_style",
        "Yelp style transfer",
        (Source("yelp_style"),),
        ("preservation", "style_transfer_intensity", "naturalness"),
        (("pooled", "pearson"), ("system", "pearson")),
        (Group((*_TEXT, *_SOURCE, *_REFERENCES, *_aligned("Preservation", "Consistency"))),),
        view="source as reference",
        notes=("The input stands as the reference.",),
    ),
    Suite(
        "asset",
        "ASSET simplification",
        (Source("asset"),),
        ("fluency", "simplicity", "meaning"),
        (("pooled", "pearson"),),
        (Group((*_TEXT, *_SOURCE, "SARI", *_REFERENCES, *_aligned("Preservation", "Consistency", "Relevance"))),),
        resample="items",
        notes=(
            "The published numbers are of 162 rated rows that were not released, ours of the 100 that were: the two "
            "cannot be compared closely.",
        ),
    ),
)  # fmt: skip
