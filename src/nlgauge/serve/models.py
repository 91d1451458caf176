"""The models of the service: loaded, and tried, before the first request comes. No other is ever loaded."""

from __future__ import annotations

from nlgauge.data.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.models.capabilities import Model
from nlgauge.options import RunOptions
from nlgauge.run.executors.together import Run, score_together
from nlgauge.serve.menu import Menu

_SAMPLE = {
    "candidate": "The ferry was late again.",
    "references": ["Once more the ferry was late."],
    "source": "The morning ferry left an hour late, for the third time this week.",
    "context": "How was the ferry?",
}


def load_models(menu: Menu, options: RunOptions) -> dict[str, Model]:
    """Every model that a request can lead to, by name. Raises what `nlgauge.engine.models.loading.load` raises."""
    return {name: options.load(name) for name in menu.models}


def try_out(menu: Menu, models: dict[str, Model]) -> None:
    """Score one row by every metric that was named: what a metric reads at its first use is read now.

    Raises what a metric raises, a library that is missing for instance.
    """
    run = Run(Corpus.from_records([_SAMPLE]), menu.named, menu.asked, evidence=True)
    score_together([run], {name: Engine(model, load=models.__getitem__) for name, model in models.items()})
    if run.error is not None:
        raise run.error
