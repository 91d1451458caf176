"""The guided way: compare v1 v2 and check v2 --against v1, on two logs of whatever tool, without any option."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command import nlgauge, refused
from tests.data.corpus.test_logs import LOGS, C, Q
from tests.data.corpus.test_logs import written as file_of
from tests.data.corpus.test_tools import TABLES, inspect_log

SAME = {"sample_id", "dataset_item_id", "query_id"}
"""What names the same case in every run"""
OTHER = {"id", "span_id", "root_span_id", "trace_id"}
"""What is another in every run"""
WORSE = "The mayor had sold 40 boats in 1987."
ITEMS = 8
FORMS = {
    **{tool: (name, content) for tool, (name, content, _) in LOGS.items()},
    **{f"{tool}, a table": ("rows.jsonl", [content]) for tool, content in TABLES.items()},
}
NEITHER = {"Opik, a trace": 1, "MLflow, genai with objects": 1, "chats": 1}
"""Logs whose rows have neither a source nor references"""
SOURCE_TOO = ("RAGChecker", "Ragas, a table", "promptfoo, a table")
"""Of the logs with a source, those that are tried: each loads a model"""


def varied(value: Any, number: int, version: int, key: str = "") -> Any:
    """Return a record of another case, whose answer is worse by the second version in three of four cases."""
    if isinstance(value, dict):
        return {name: varied(inner, number, version, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [varied(inner, number, version, key) for inner in value]
    if key == "doc_id":
        return number
    if isinstance(value, str) and key in SAME | OTHER:
        return f"{value}-{number}" if key in SAME else f"{value}-{version}-{number}"
    if isinstance(value, str):
        answer = C if version == 1 or number % 4 == 3 else WORSE
        return value.replace(Q, f"Was bridge {number} closed?").replace(C, answer)
    return value


def several(content: Any, version: int) -> Any:
    """Return a log of several cases, made of one with a single case."""
    if isinstance(content, str):
        head, *lines = content.rstrip("\n").split("\n")
        return "\n".join([head, *(varied(line, n, version) for n in range(ITEMS) for line in lines)]) + "\n"
    if isinstance(content, list):
        return [varied(one, n, version) for n in range(ITEMS) for one in content]
    held = next(name for name in ("events", "rows", "data", "results") if isinstance(content.get(name), list))
    return {**content, held: several(content[held], version)}


def two_logs(tool: str, folder: Path) -> Iterator[Path]:
    name, content = FORMS[tool]
    for version in (1, 2):
        (folder / str(version)).mkdir()
        made = several(content, version) if tool != "Opik, a trace" else content
        yield file_of(folder, f"v{version}{''.join(Path(name).suffixes)}", made)


TRIED = [
    tool
    for tool, (_, content) in FORMS.items()
    if tool in SOURCE_TOO or (tool not in NEITHER and "The bridge was closed" not in json.dumps(content))
]


@pytest.mark.parametrize("tool", [tool for tool in TRIED if tool != "lm-evaluation-harness, choices"])
def test_two_logs_are_compared_without_an_option(tool: str, tmp_path: Path) -> None:
    first, second = two_logs(tool, tmp_path)
    compared = nlgauge("compare", first, second, "--no-cache")
    assert compared.exit_code == 0, compared.stderr
    said = " ".join(compared.stdout.split())
    assert said.startswith("v1 is better than v2 by ") and f"on {ITEMS} items" in said
    usual = (
        "Faithfulness, because rows have a source" if tool in SOURCE_TOO else "TokenF1, because rows have references"
    )
    assert f"no metric was named: {usual}" in compared.stderr
    gate = nlgauge("check", second, "--against", first, "--no-cache", "--format", "json")
    assert gate.exit_code == 1, gate.output
    (regression,) = json.loads(gate.stdout)["regressions"]
    assert regression["worse"] and regression["n"] == ITEMS
    assert nlgauge("check", first, "--against", first, "--no-cache").exit_code == 0


@pytest.mark.parametrize("tool", NEITHER)
def test_a_log_with_neither_source_nor_references_gets_a_ready_command(tool: str, tmp_path: Path) -> None:
    first, second = two_logs(tool, tmp_path)
    for words in (("compare", first, second), ("check", second, "--against", first)):
        result = nlgauge(*words, "--no-cache")
        assert result.exit_code == 2 and "no metric was named" in result.stderr


def test_the_ready_command_names_columns_that_hold_numbers(tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": Q}, {"role": "assistant", "content": C}], "eval": {"ok": True}}]
    files = [file_of(tmp_path, f"v{n}.jsonl", [varied(rows[0], number, n) for number in range(6)]) for n in (1, 2)]
    told = nlgauge("compare", *files, "--no-cache").stderr.splitlines()[-1]
    assert """give -m "Column('eval.ok')", a metric""" in told
    assert nlgauge("compare", *files, "--metric", "Column('eval.ok')", "--no-cache").exit_code == 0


def test_epochs_and_models_of_two_inspect_logs(tmp_path: Path) -> None:
    files = []
    for version in (1, 2):
        log = inspect_log(eval={"model": f"mock/{version}", "task": "t"})
        samples = [
            {**varied(log["samples"][0], number, 1), "id": f"q{number}", "epoch": epoch}
            for number in range(6)
            for epoch in (1, 2)
        ]
        files.append(file_of(tmp_path, f"v{version}.json", {**log, "samples": samples}))
    compared = nlgauge("compare", *files, "--no-cache")
    assert compared.exit_code == 0, compared.stderr
    assert "24 rows are trials of 12 outputs" in compared.stderr and "on 6 items" in " ".join(compared.stdout.split())
    assert nlgauge("check", files[1], "--against", files[0], "--no-cache").exit_code == 0


def test_passages_beside_the_columns_of_a_tool_are_the_source(tmp_path: Path) -> None:
    rows = [
        {"id": n, "question": f"Was bridge {n} closed?", "passages": ["The bridge was closed."], "answer": C}
        for n in range(5)
    ]
    file = file_of(tmp_path, "rag.jsonl", rows)
    result = nlgauge("check", file, "--grounded", "--no-cache")
    assert result.exit_code == 0 and "source=passages" in result.stderr, result.output


def test_without_an_earlier_run_a_metric_has_to_be_named(tmp_path: Path) -> None:
    file = file_of(tmp_path, "rows.jsonl", [{"candidate": "a", "references": "b"}])
    refused("check", file, "--at-least", 1, say="no metric was given")
    refused("check", file, "--against", file, "--at-least", 1, say="no metric was given")
