"""A reward function for TRL's trainers (GRPO, RLOO): ``reward_funcs=[Reward("BERTScore", references="answer")]``.

TRL calls the function with the completions of a step as `completions`. By keyword, it passes the prompts and the
columns of the data set, each a list of the same length. TRL's logs show the function by its `__name__`. A reward of
None means that a completion has no reward.
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
    """A reward function by one sub-score of one metric. Bigger is better, so a distance is multiplied by -1.

    A completion that has no finite score has the reward None; the first time, a warning says why. A conversation is
    read as the text of its messages, but of a completion only the last message is read. The model is loaded once.

    Args:
        metric: a spec or a Metric.
        part: the sub-score; by default the metric's deciding sub-score.
        references: the name of the data set's column with the references, or "prompts".
        source: the name of the column with the source, as for `references`.
        context: the name of the column with the context, as for `references`.
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
        """Return the reward of each completion; None without a finite score. Raises InputError for a missing column."""
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
    """Return the text of a completion: the text itself, or the last message of a conversation."""
    return completion if isinstance(completion, str) or not completion else _text(completion[-1:])


def _text(value: Any) -> Any:
    """Return the text of a conversation, with a line for each message; any other value is returned unchanged."""
    if isinstance(value, list) and value and all(isinstance(turn, Mapping) and "role" in turn for turn in value):
        return "\n".join(_content(message.get("content")) for message in value)
    return value


def _content(content: Any) -> str:
    if isinstance(content, list):  # of a model that sees pictures too
        return "\n".join(part["text"] for part in content if part.get("type") == "text")
    return content or ""
