"""The reader of results of promptfoo, in its JSON or its JSON Lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nlgauge.data.corpus.place import looked_up
from nlgauge.data.corpus.trials import trials_of

Record = dict[str, Any]
_WORDED = ("equals", "similar", "factuality", "levenshtein", "rouge-n", "bleu", "meteor")
"""Assertions whose value is a text that the output should say"""


def promptfoo_rows(results: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    """Yield a row for each result.

    Each pair of a provider and a prompt is a system, and has a number in promptfoo. With `--repeat`, promptfoo gives
    each repeat of a test a new number, so that rows of one system with the same variables are trials of one item.

    Args:
        results: the records of promptfoo.

    Returns:
        An iterator over records with our field names.
    """
    systems = _systems(results)
    variables = [_variables(result) for result in results]
    items = [str(result.get("testIdx", result.get("id"))) for result in results]
    trials = trials_of(list(zip(systems, variables, strict=True)), items)
    if all(not held for held in variables):  # a prompt without variables, of tests that differ in what they assert
        trials = [{} for _ in results]
    for result, system, held, item, trial in zip(results, systems, variables, items, trials, strict=True):
        yield {
            **_row(result, held),
            "system": system,
            "item": item,
            **trial,
        }


def _row(result: Mapping[str, Any], held: Mapping[str, Any]) -> Record:
    asserted: Any = looked_up(result, "testCase.assert") or []
    output = looked_up(result, "response.output")
    return {
        "candidate": json.dumps(output, ensure_ascii=False) if isinstance(output, dict | list) else output,
        "source": held.get("context"),
        "question": next(
            (held[name] for name in ("query", "question") if held.get(name)), looked_up(result, "prompt.raw")
        ),
        "references": [
            check["value"]
            for check in asserted
            if isinstance(check, dict) and check.get("type") in _WORDED and isinstance(check.get("value"), str)
        ],
        "vars": held,
        "success": result.get("success"),
        "score": result.get("score"),
        "namedScores": result.get("namedScores"),
        "error": result.get("error"),
    }


def _variables(result: Mapping[str, Any]) -> Any:
    return result.get("vars") or looked_up(result, "testCase.vars") or {}


def _systems(results: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the system name of each result: its provider, and from the second prompt on the number of the prompt."""
    prompts: dict[object, int] = {}
    named: dict[object, Any] = {}
    for result in results:
        number = result.get("promptIdx")
        prompt = result.get("promptId") or looked_up(result, "prompt.label") or number
        place = prompts.setdefault(str(prompt), len(prompts) + 1)
        provider = result.get("provider")
        name = (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider
        named.setdefault(number, f"{name}, prompt {place}" if place > 1 else name)
    several = Counter(named.values())
    for number, name in named.items():
        if several[name] > 1 and isinstance(number, int):
            named[number] = f"{name}, column {number + 1}"
    return [named[result.get("promptIdx")] for result in results]
