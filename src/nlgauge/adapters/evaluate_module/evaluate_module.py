"""nlgauge as a module of Hugging Face `evaluate`, which copies this file out of its folder and loads the copy.

`evaluate.load(FOLDER)` makes an `NLGauge`. Its methods `add`, `add_batch` and `compute` collect rows, also from several
processes, and then call `_compute` once with all rows. So corpus-level metrics, and metrics that count on the corpus,
give the same numbers as a run. The configuration names the columns beside the predictions: ``evaluate.load(FOLDER,
"references+sources")``.
"""

import datasets
import evaluate

from nlgauge.adapters.scorer import Scorer, means
from nlgauge.errors import SpecError

_OURS = {"references": "references", "sources": "source", "contexts": "context"}
_BY_DEFAULT = {"references": "BERTScore", "source": "Consistency", "context": "Groundedness"}
_INPUTS = """
    predictions: the texts to score.
    references, sources, contexts: as the configuration names them, "references" by default; references is a text or a
        list of texts for each prediction.
    metrics: specs, "BERTScore" for one, or a list of them; by default BERTScore with references, else Consistency with
        sources, else Groundedness.
    Further arguments as `nlgauge.evaluate` takes them.
Returns: the value of each metric (of each part, as "metric part"): the mean of the rows, or the metric's value of all
    rows together; NaN where no row has one.
"""


class NLGauge(evaluate.Metric):  # type: ignore[misc]  # evaluate is not installed where types are checked
    """A metric of Hugging Face `evaluate` that computes any metrics of nlgauge."""

    _asked: object = None

    def _info(self) -> evaluate.MetricInfo:
        texts = datasets.Value("string")
        several = datasets.Sequence(texts)
        columns = ["references"] if self.config_name == "default" else self.config_name.split("+")
        if strange := [name for name in columns if name not in _OURS]:
            raise SpecError(
                f"no configuration {self.config_name!r}: {strange[0]!r} is none of {', '.join(_OURS)}, joined by '+'"
            )
        features = [
            datasets.Features({"predictions": texts, **dict.fromkeys(columns, texts), **references})
            for references in ([{"references": several}, {}] if "references" in columns else [{}])
        ]
        return evaluate.MetricInfo(
            description="Metrics of generated text by nlgauge, offline.",
            citation="",
            inputs_description=_INPUTS,
            features=features,
        )

    def _compute(self, predictions, metrics=None, model=None, **options):  # type: ignore[no-untyped-def]  # as evaluate calls
        columns = {ours: options.pop(name) for name, ours in _OURS.items() if name in options}
        rows = {"candidate": predictions, **columns}
        records = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
        if metrics is None:
            metrics = next(metric for column, metric in _BY_DEFAULT.items() if column in columns)
        asked = (metrics, model, options)
        if self._asked != asked:  # else the models are there already
            self._asked, self._scorer = asked, Scorer(metrics, model=model, **options)
        return means(self._scorer.table(records))
