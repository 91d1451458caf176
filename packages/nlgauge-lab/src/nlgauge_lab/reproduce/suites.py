"""The content of the results page: our metrics for each rated data set, and the columns that are reported.

This is the one place that names them. `page.py` makes the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nlgauge_lab.reproduce.published import Source

_STRINGS = (
    "TokenF1",
    "BLEU",
    "ChrF",
    "TER",
    "EED",
    "CIDEr",
    "METEOR",
    "ROUGE(variant='1', stemmer=True)",
    "ROUGE(variant='2', stemmer=True)",
    "ROUGE(variant='L', stemmer=True)",
    "ROUGE(variant='Lsum', stemmer=True, sentences='split')",
)
_VECTORS = (
    "BERTScore",
    "MoverScore",
    "SentenceMovers",
    "BaryScore",
    "DepthScore",
    "WordMovers",
    "RougeWE",
    "EmbeddingAverage",
    "GreedyMatching",
    "VectorExtrema",
)
_IDF = ("BaryScore(idf='none')", "BaryScore(idf='references')")
"""Settings that are shown besides the default, which was chosen among the three"""
_SETS = (
    "MarkEvaluate",
    "MarkEvaluate(estimator='schnabel')",
    "MarkEvaluate(estimator='capture')",
    "PRD",
    "ImprovedPrecisionRecall",
    "FrechetDistance",
)
# One word masked at a time where texts are a sentence; every eighth at a time where they are long or many.
_MASKED = ("InfoLM", "InfoLM(measure='kl')", "InfoLM(measure='ab', alpha=3, beta=0.25)")
_MASKED_BY_EIGHT = (
    "InfoLM(stride=8)",
    "InfoLM(measure='kl', stride=8)",
    "InfoLM(measure='ab', alpha=3, beta=0.25, stride=8)",
)
# The rows of InfoLM's table 3, with its parameters and weights.
_MEASURES = tuple(
    f"InfoLM({measure}idf='references')"
    for measure in (
        "",
        "measure='kl', ",
        "measure='ab', alpha=3, beta=0.25, ",
        "measure='alpha', alpha=0.75, ",
        "measure='gamma', beta=3, ",
        "measure='l1', ",
        "measure='l2', ",
        "measure='linf', ",
    )
)
_BY_EIGHT = "InfoLM, Perplexity and MaskEval mask every eighth word at a time here (`stride=8`), which costs less."
_CANDIDATE = (
    "MaskEval masks the candidate alone (`weights='candidate'`): to mask every word of a long source takes too long."
)


def _aligned(*names: str) -> tuple[str, ...]:
    """Return the specs of each aspect with the embedding aligner and with both trained aligners."""
    return tuple(spec for name in names for spec in (name, f"{name}(aligner='D')", f"{name}(aligner='R')"))


class Group(NamedTuple):
    """Metrics that are compared on the same rows."""

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
    parts: tuple[str, ...] = ()
    """Parts that are reported in addition to the first one, for metrics that have them"""
    resample: str = "both"
    """What the intervals resample: 'items', or items and systems ('both')"""
    notes: tuple[str, ...] = ()
    printed: bool = True
    """Whether a paper prints the published numbers. Numbers from released score files are counted separately"""

    @property
    def specs(self) -> list[str]:
        """The metrics of all groups."""
        return [spec for group in self.groups for spec in group.metrics]

    def spec_of(self, name: str) -> str:
        """Return the spec in the name of a row, which is a spec, or a spec with one of `parts` after a space."""
        return next((name.removesuffix(f" {part}") for part in self.parts if name.endswith(f" {part}")), name)


_BASE_OF_CLAIMS = (
    "The trained aligners D and R of `base` were measured on what the texts claim, without questions and repeated "
    "sentences, those of `pocket` on whole texts. `base` takes some ten times as long, and is not measured again yet."
)
_SUMMARIES = ("Length", "Perplexity(stride=8)", "CopyRate", *_STRINGS, *_VECTORS, *_IDF, *_MASKED_BY_EIGHT)
_REPLIES = (
    Group(("Length", "Perplexity", "ReplyFit", *_aligned("Engagingness", "Groundedness", "MeanAlignment"))),
    Group((*_STRINGS[:-1], *_VECTORS, *_IDF, *_MASKED), ("Original Ground Truth",)),
)
_REPLY_ASPECTS = ("engaging", "uses_knowledge", "understandable", "natural", "maintains_context", "overall")
_REPLY_NOTES = (
    "The ground truth is a system and the reference: metrics with a reference leave it out.",
    "Five or six systems are too few to say anything at system level, which is left out; the paper's tables have it "
    "and can be rebuilt.",
)

SUITES: tuple[Suite, ...] = (
    Suite(
        name="summeval",
        title="SummEval",
        sources=(Source("summeval"),),
        aspects=("consistency", "coherence", "fluency", "relevance"),
        measured=(("pooled", "pearson"), ("system", "pearson")),
        groups=(
            Group(
                (
                    "Faithfulness",
                    *_aligned("Consistency"),
                    *_aligned("Relevance"),
                    "MaskEval(weights='candidate', stride=8)",
                    *_SUMMARIES,
                    *_SETS,
                )
            ),
        ),
        parts=("score", "least_stretch"),
        notes=(
            "Eleven references, of which metrics take the best unless their spec says otherwise.",
            _BY_EIGHT,
            _BASE_OF_CLAIMS,
            _CANDIDATE,
        ),
    ),
    *(
        Suite(
            name=f"realsumm_{kind}",
            title=f"REALSumm, {title} systems",
            sources=(Source(f"realsumm_{kind}"),),
            aspects=("litepyramid_recall",),
            measured=(("item", "pearson"), ("item", "kendall"), ("system", "pearson"), ("system", "kendall")),
            groups=(Group(("Relevance", "Consistency", *_SUMMARIES, *_SETS)),),
            parts=("recall",),
            notes=(
                "The figures of the paper print no numbers: the published ones are of the scores released with "
                "REALSumm, by the figures' protocol.",
                *notes,
                _BY_EIGHT,
                "What is rated is how much of the reference a summary holds, for which MaskEval and the trained "
                "aligners are not made; on articles they cost much, and are left out.",
            ),
            printed=False,
        )
        for kind, title, notes in (
            (
                "abs",
                "abstractive",
                (
                    "The published numbers are of the release, which gives the abstractive BART the "
                    "texts and ratings of the extractive one; ours are of its own.",
                ),
            ),
            ("ext", "extractive", ()),
        )
    ),
    *(
        Suite(
            name=f"qags_{name}",
            title=f"QAGS, {title}",
            sources=(Source(f"qags_{name}"),),
            aspects=("consistency",),
            measured=(("pooled", "pearson"), ("pooled", "spearman"), ("pooled", "kendall")),
            groups=(
                Group(("Faithfulness", *_aligned("Consistency"), "Length", "CopyRate", *_STRINGS[:-1], *_VECTORS)),
            ),
            parts=("score", "least_stretch"),
            resample="items",
            notes=(
                "For tests alone: no default, weight or threshold was chosen by these ratings.",
                "One output for each article. String metrics compare it with the reference.",
            ),
        )
        for name, title in (("cnn", "CNN/DM"), ("xsum", "XSUM"))
    ),
    Suite(
        name="webnlg2020",
        title="WebNLG 2020",
        sources=(Source("webnlg2020"),),
        aspects=("correctness", "data_coverage", "fluency", "relevance", "text_structure"),
        measured=(("system", "pearson"), ("system", "kendall")),
        groups=(Group(("Length", "Perplexity", *_MASKED, *_MEASURES, *_IDF, *_VECTORS, *_STRINGS, *_SETS)),),
        defaults={"references": "mean"},
        notes=("Values are averaged over the references, as in the paper, where a metric can.",),
    ),
    *(
        Suite(
            name=f"usr_{title.lower()}",
            title=title,
            sources=(Source(f"usr_{title.lower()}"),),
            aspects=_REPLY_ASPECTS,
            measured=(("pooled", "pearson"),),
            groups=_REPLIES,
            notes=_REPLY_NOTES,
        )
        for title in ("PersonaChat", "TopicalChat")
    ),
    Suite(
        name="yelp_style",
        title="Yelp style transfer",
        sources=(Source("yelp_style"),),
        aspects=("preservation", "style_transfer_intensity", "naturalness"),
        measured=(("pooled", "pearson"), ("system", "pearson")),
        groups=(
            Group(
                (
                    *_aligned("Preservation", "Consistency"),
                    "MaskEval(stride=8)",
                    "MaskEval(weights='candidate', stride=8)",
                    "Length",
                    "Perplexity",
                    "CopyRate",
                    *_STRINGS[:-1],
                    *_VECTORS,
                    *_IDF,
                    *_MASKED,
                )
            ),
        ),
        view="source as reference",
        notes=(
            "The input stands as the reference.",
            "MaskEval masks every eighth word at a time (`stride=8`).",
            _BASE_OF_CLAIMS,
        ),
    ),
    Suite(
        name="asset",
        title="ASSET simplification",
        sources=(Source("asset"),),
        aspects=("fluency", "simplicity", "meaning"),
        measured=(("pooled", "pearson"),),
        groups=(
            Group(
                (
                    *_aligned("Preservation", "Consistency", "Relevance"),
                    "MaskEval(stride=8)",
                    "MaskEval(weights='candidate', stride=8)",
                    "Length",
                    "Perplexity(stride=8)",
                    "CopyRate",
                    "SARI",
                    *_STRINGS[:-1],
                    *_VECTORS,
                    *_IDF,
                    *_MASKED_BY_EIGHT,
                )
            ),
        ),
        resample="items",
        notes=(
            "The published numbers are of 162 rated rows that were not released, ours of the 100 that were: the two "
            "cannot be compared closely.",
            _BY_EIGHT,
        ),
    ),
)
