"""What runs in another process: models that are loaded once, and sections that are scored by them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.engine.windows import WindowPolicy
from nlgauge.errors import NlgaugeError
from nlgauge.run.bound import Bindings
from nlgauge.run.keys import can_be_kept, made_by
from nlgauge.run.sections import Done, Work, score_work


class ModelSetting(NamedTuple):
    """How a model is loaded, and what it has to be."""

    name: str
    precision: str
    backend: str
    device: str | None
    batch_tokens: int | None
    window: WindowPolicy
    facts: Mapping[str, object]
    """What the engine of the process that prepared the run says of itself"""

    def engine(self) -> Engine:
        """An engine with the model. Raises NlgaugeError where it is not the one that the run was prepared with."""
        load = partial(loading.load, precision=self.precision, backend=self.backend, device=self.device)
        engine = Engine(load(self.name), self.window, batch_tokens=self.batch_tokens, load=load)
        if engine.facts != self.facts:
            differ = ", ".join(key for key, fact in engine.facts.items() if self.facts.get(key) != fact)
            problem = f"the worker on {platform.node()} reads another {self.name}: {differ} differ"
            raise NlgaugeError(f"{problem}; install the same versions on each machine")
        return engine


class Shared(NamedTuple):
    """What all sections of a run are scored with."""

    bindings: Sequence[Bindings]
    settings: Sequence[ModelSetting | None]
    """How the model of each job is loaded"""
    threads: int


class Worker:
    """Scores sections."""

    def __init__(self) -> None:
        self._shared: Shared | None = None
        self._engines: list[Engine | None] = []

    def score(self, shared: Callable[[], Shared], work: Work) -> Done:
        """The scores of a section. shared: fetches what the run shares, when the first section comes.

        Raises NlgaugeError for a model that differs, InputError for a row.
        """
        if self._shared is None:
            known = shared()
            os.environ["NLGAUGE_THREADS"] = str(known.threads)
            self._engines = [None if one is None else one.engine() for one in known.settings]
            _refuse_other_code(known.bindings, self._engines)
            self._shared = known
        return score_work(work, self._shared.bindings, self._engines)


def _refuse_other_code(bindings: Sequence[Bindings], engines: Sequence[Engine | None]) -> None:
    """Raise NlgaugeError where a metric's code here is not the code that the signatures of the run name.

    A class of the script itself is sent with the rows, and is the same everywhere.
    """
    for some, engine in zip(bindings, engines, strict=True):
        for spec, bound in some.bound.items():
            sent = any(kind.__module__ == "__main__" for kind in bound.metric.scored_by)
            if not sent and can_be_kept(bound.facts) and made_by(bound.metric, engine) != bound.facts["nlgauge"]:
                problem = f"the worker on {platform.node()} computes {spec} with other code"
                raise NlgaugeError(f"{problem}; install the same versions on each machine")
