"""A reward function for TRL's trainers (GRPO, RLOO): ``reward_funcs=[Reward("BERTScore", references="answer")]``.

TRL calls it with the completions of a step, as `completions`, and by keyword with the prompts and the data set's
columns, each a list as long. In its logs the function has its `__name__`. A reward of None means that there is none for
this completion.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from nlgauge.adapters.scorer import RowScorer, fields_of, plain_name
from nlgauge.contract.base import Metric
from nlgauge.errors import InputError, SpecError


class Reward:
    """One sub-score of one metric as a reward: bigger is better, so that a distance counts with its sign turned.

    A completion that has no finite score has no reward (None), and the first time a warning says why. Conversations
    are read as the text of their messages; of a completion the last message counts. The model is loaded once.

    Args:
        metric: a spec or a Metric.
        part: the sub-score; the metric's deciding one by default.
        references: the name of the data set's column, or "prompts".
        source: as `references`.
        context: as `references`.
        options: as `nlgauge.evaluate` takes them.

    Raises:
        SpecError: the metric's scores depend on the other completions, since a reward would then depend on the batch;
            the sub-score has no better direction; or the metric reads a column that has no name here.
    """

    def __init__(
        self,
        metric: str | Metric,
        *,
        part: str | None = None,
        references: str | None = None,
        source: str | None = None,
        context: str | None = None,
        **options: Any,
    ) -> None:
        self._rows = RowScorer(metric, part=part, **options)
        if self._rows.higher_is_better is None:
            raise SpecError(f"{self._rows.label} has no better direction and is no reward: choose another sub-score")
        self._sign = 1.0 if self._rows.higher_is_better else -1.0
        self._columns = fields_of([self._rows.metric], references=references, source=source, context=context)
        self._told = False
        self.__name__ = plain_name(self._rows.label)

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """Return the reward of each completion. Raises InputError for a column that is not there."""
        for theirs in self._columns.values():
            if theirs not in columns:
                there = ", ".join(name for name, column in columns.items() if isinstance(column, list))
                raise InputError(f"the data set has no column {theirs!r}", remedy=f"there are {there}")
        records = [
            {
                "candidate": _last(completion) or "",
                **{ours: _text(columns[theirs][number]) for ours, theirs in self._columns.items()},
            }
            for number, completion in enumerate(completions)
        ]
        return [self._reward(value, reason) for value, reason in self._rows.scores(records)]

    def _reward(self, value: float, reason: str | None) -> float | None:
        if math.isfinite(value):
            return self._sign * value
        if not self._told:
            self._told = True
            why = reason or "the score is infinite"
            warnings.warn(f"{self._rows.label}: a completion has no reward: {why}; said once", stacklevel=3)
        return None


def _last(completion: Any) -> Any:
    """Return a completion's text: itself, or of a conversation its last message."""
    return completion if isinstance(completion, str) or not completion else _text(completion[-1:])


def _text(value: Any) -> Any:
    """Return the text of a conversation, a line a message; anything else as it is."""
    if isinstance(value, list) and value and all(isinstance(turn, Mapping) and "role" in turn for turn in value):
        return "\n".join(_content(message.get("content")) for message in value)
    return value


def _content(content: Any) -> str:
    if isinstance(content, list):  # of a model that sees pictures too
        return "\n".join(part["text"] for part in content if part.get("type") == "text")
    return content or ""
