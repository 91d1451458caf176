"""Inspect scorers: ``Task(..., scorer=nlgauge_scorer("BERTScore"))``, or by name ``nlgauge/nlgauge_scorer``.

``nlgauge_grounded(source="passages")`` says whether a source supports the completion.

Inspect awaits the scorer for each sample, with the state of the task and the target. It reports the mean and the
standard error of the values under the name of the metric, and leaves out samples with `Score.unscored`. It finds the
scorers through the entry point group ``inspect_ai``.
"""

from __future__ import annotations

import math
from typing import Any

import anyio
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Target, accuracy, mean, scorer, stderr
from inspect_ai.scorer import Scorer as InspectScorer
from inspect_ai.solver import TaskState

from nlgauge.adapters.scorer import RowScorer, fields_of, held
from nlgauge.data.jsonable import jsonable
from nlgauge.gate.guard import Guard

INPUT = "input"


# The value of a sample is a dictionary, since Inspect names its results by the keys: "*" is any of them.
@scorer(metrics={"*": [mean(), stderr()]})  # type: ignore[untyped-decorator]  # Inspect is absent where types are checked
def nlgauge_scorer(
    metric: str,
    part: str | None = None,
    source: str | None = None,
    context: str | None = None,
    model: str | None = None,
) -> InspectScorer:
    """Return an Inspect scorer for a sub-score of a metric. The sample's targets are the references of the completion.

    A sample without a score is unscored, with the reason.

    Args:
        metric: the spec of a metric.
        part: the sub-score; by default the metric's deciding sub-score.
        source: a key of the sample's metadata under which the source stands, or "input" for the text of its input.
        context: the key of the context, as for `source`.
        model: as `nlgauge.evaluate` takes it.

    Returns:
        A scorer of Inspect.

    Raises:
        SpecError: the metric's scores depend on other samples, or it reads a column that has no name here.
        InputError: the metadata of a sample have no such key.
    """
    rows = RowScorer(metric, part=part, model=model)
    fields_of([rows.metric], references="target", source=source, context=context)

    async def score(state: TaskState, target: Target) -> Score:
        record = {
            "candidate": state.output.completion,
            "references": list(target.target),
            "source": _text(state, source),
            "context": _text(state, context),
        }
        scored = await anyio.to_thread.run_sync(rows.score, record)
        if math.isnan(scored.value):
            reason = "scoring_failed" if state.output.completion.strip() else "no_response"
            return Score.unscored(reason=reason, answer=state.output.completion, explanation=scored.reason)
        return Score(value={rows.label: scored.value}, answer=state.output.completion)

    return score


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator]
def nlgauge_grounded(source: str, question: str | None = INPUT, model: str | None = None) -> InspectScorer:
    """Return an Inspect scorer that says whether a source supports the completion.

    A completion is incorrect if `nlgauge.check(grounded=True)` would fail it. The explanation says why it fails. The
    metadata hold state, finding, value, reasons and quotes.

    Args:
        source: a key of the sample's metadata, with a text or a list of passages.
        question: a key of the metadata with the question, or "input" for the text of the sample's input.
        model: as `nlgauge.evaluate` takes it.

    Returns:
        A scorer of Inspect.

    Raises:
        InputError: the metadata of a sample have no such key.
    """

    async def score(state: TaskState, target: Target) -> Score:
        guard = Guard(_text(state, source), _text(state, question), model)
        verdict = await anyio.to_thread.run_sync(guard.add, state.output.completion)
        names = ("state", "finding", "value", "reasons", "quotes")
        return Score(
            value=INCORRECT if verdict.failed else CORRECT,
            answer=state.output.completion,
            explanation=f"{verdict.finding}: {verdict.why}" if verdict.why else verdict.finding,
            metadata={name: jsonable(getattr(verdict, name)) for name in names},
        )

    return score


def _text(state: TaskState, key: str | None) -> Any:
    if key is None or key == INPUT:
        return None if key is None else state.input_text
    return held(state.metadata, key, f"the sample {state.sample_id} has no metadata")
