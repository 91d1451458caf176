"""nlgauge in other people's pipelines: a file for each framework that must be imported, and `scorer` for all others.

Every adapter calls `nlgauge.evaluate`, so its numbers equal those of a run on the same rows. An adapter is imported
only by its own name: ``from nlgauge.adapters.torchmetrics import NLGaugeMetric``.
"""

import sys
from types import ModuleType

_RECIPES = (
    *("datasets", "deepeval", "dspy", "langfuse", "langsmith", "lighteval", "lm_eval", "mlflow", "pandas", "phoenix"),
    *("promptfoo", "ragas"),
)
"""Adapters of version 0.1 that are recipes in the docs now; version 0.3 will no longer know their names"""


class _Recipe(ModuleType):
    """A module in place of a removed adapter. Every name in it raises ImportError."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # what the import system and inspectors look for
            raise AttributeError(name)
        raise ImportError(
            f"{self.__name__} is a recipe now: copy it from docs/adapters.md; it uses "
            "nlgauge.adapters.scorer.RowScorer(...).bind(...)",
            name=self.__name__,
        )


for _name in _RECIPES:
    sys.modules.setdefault(f"{__name__}.{_name}", _Recipe(f"{__name__}.{_name}"))
