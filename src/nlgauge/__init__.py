"""nlgauge measures generated text: InfoLM and other metrics on one engine, offline, repeatable.

>>> import nlgauge
>>> table = nlgauge.evaluate(candidates=["A cat sat."], references=[["The cat sat."]], metrics=["InfoLM"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nlgauge._version import __version__
from nlgauge.errors import InputError, MetricError, MissingExtraError, NlgaugeError, SpecError

# The names as editors and type checkers see them. A test holds the metrics among them to the registry.
if TYPE_CHECKING:
    from nlgauge.answers.calibrate import calibrate
    from nlgauge.answers.compare import compare
    from nlgauge.answers.correlate import correlate
    from nlgauge.answers.estimate import estimate
    from nlgauge.answers.trials import trials
    from nlgauge.answers.trust import trust
    from nlgauge.contract.base import Metric, Prepared, RowMetric, Value
    from nlgauge.data.corpus import Corpus, Row
    from nlgauge.data.table import ScoreTable
    from nlgauge.evaluation import evaluate, score
    from nlgauge.explanation import explain
    from nlgauge.faithfulness.metric import Faithfulness
    from nlgauge.gate import check
    from nlgauge.gate.guard import Guard
    from nlgauge.metrics.bartscore import BARTScore
    from nlgauge.metrics.baryscore import BaryScore
    from nlgauge.metrics.bertscore import BERTScore
    from nlgauge.metrics.cider import CIDEr
    from nlgauge.metrics.ctc import Consistency, Engagingness, Groundedness, MeanAlignment, Preservation, Relevance
    from nlgauge.metrics.frechet_distance import FrechetDistance
    from nlgauge.metrics.infolm import InfoLM
    from nlgauge.metrics.judge import Judge
    from nlgauge.metrics.mark_evaluate import MarkEvaluate, MarkEvaluateText
    from nlgauge.metrics.maskeval import MaskEval
    from nlgauge.metrics.meteor import METEOR
    from nlgauge.metrics.movers import MoverScore, SentenceMovers, WordMovers
    from nlgauge.metrics.panel import Panel
    from nlgauge.metrics.perplexity import Perplexity
    from nlgauge.metrics.prd import PRD, ImprovedPrecisionRecall
    from nlgauge.metrics.reply_fit import ReplyFit
    from nlgauge.metrics.rouge import ROUGE
    from nlgauge.metrics.sari import SARI
    from nlgauge.metrics.simple import Column, CopyRate, Length
    from nlgauge.metrics.token_f1 import TokenF1
    from nlgauge.metrics.translation import BLEU, CER, TER, WER, ChrF
    from nlgauge.options import Cluster
    from nlgauge.ratings.project import RatingProject
    from nlgauge.ratings.sampling import sample
    from nlgauge.reports.page.report import report

    def metrics() -> list[str]:
        """Return the names of all metrics, in alphabetical order, then those of installed packages."""


_HOMES = {
    "Cluster": "options",
    "Corpus": "data.corpus",
    "Guard": "gate.guard",
    "Metric": "contract.base",
    "Prepared": "contract.base",
    "RatingProject": "ratings.project",
    "Row": "data.corpus",
    "RowMetric": "contract.base",
    "ScoreTable": "data.table",
    "Value": "contract.base",
    "calibrate": "answers.calibrate",
    "check": "gate",
    "compare": "answers.compare",
    "correlate": "answers.correlate",
    "estimate": "answers.estimate",
    "evaluate": "evaluation",
    "explain": "explanation",
    "report": "reports.page.report",
    "sample": "ratings.sampling",
    "score": "evaluation",
    "trials": "answers.trials",
    "trust": "answers.trust",
}

__all__ = [
    "BLEU",
    "CER",
    "METEOR",
    "PRD",
    "ROUGE",
    "SARI",
    "TER",
    "WER",
    "BARTScore",
    "BERTScore",
    "BaryScore",
    "CIDEr",
    "ChrF",
    "Cluster",
    "Column",
    "Consistency",
    "CopyRate",
    "Corpus",
    "Engagingness",
    "Faithfulness",
    "FrechetDistance",
    "Groundedness",
    "Guard",
    "ImprovedPrecisionRecall",
    "InfoLM",
    "InputError",
    "Judge",
    "Length",
    "MarkEvaluate",
    "MarkEvaluateText",
    "MaskEval",
    "MeanAlignment",
    "Metric",
    "MetricError",
    "MissingExtraError",
    "MoverScore",
    "NlgaugeError",
    "Panel",
    "Perplexity",
    "Prepared",
    "Preservation",
    "RatingProject",
    "Relevance",
    "ReplyFit",
    "Row",
    "RowMetric",
    "ScoreTable",
    "SentenceMovers",
    "SpecError",
    "TokenF1",
    "Value",
    "WordMovers",
    "__version__",
    "calibrate",
    "check",
    "compare",
    "correlate",
    "estimate",
    "evaluate",
    "explain",
    "report",
    "sample",
    "score",
    "trials",
    "trust",
]

if not TYPE_CHECKING:  # a checker would take it for leave to use any name

    def __getattr__(name: str) -> Any:
        """Return a public name, which is loaded at its first use, so that `import nlgauge` is fast."""
        if name in _HOMES:
            globals()[name] = public = getattr(import_module(f"nlgauge.{_HOMES[name]}"), name)
            return public
        if name == "metrics":
            return import_module("nlgauge.metrics")  # which can be called
        if name in __all__:
            from nlgauge.registry import metric_class

            return metric_class(name)
        from nlgauge._plugins import LAB_METRICS

        if name in LAB_METRICS:  # they were here once, and still are where nlgauge-lab is installed
            from nlgauge.registry import metric_class

            try:
                return metric_class(name)
            except SpecError as error:
                raise AttributeError(str(error)) from None
        raise AttributeError(f"module 'nlgauge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "metrics"]
