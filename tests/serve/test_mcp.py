"""nlgauge mcp: the tools by the official SDK's own client, in this process and over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nlgauge.engine.models.capabilities import Model
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.asking import Limits
from tests.command import nlgauge as command
from tests.command import written
from tests.gate.test_trials import drawn, rows

pytest.importorskip("mcp", reason="needs nlgauge[mcp]")
pytestmark = pytest.mark.filterwarnings("default")  # those of the SDK are not ours

from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402

from nlgauge.serve.mcp import LARGEST_FILE, Tools, server  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = "The bridge was opened in 1901 by the county. Trains cross it twice an hour."
Call = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("rag_v1.jsonl", "rag_v2.jsonl", "trials.jsonl"):
        shutil.copy(EXAMPLES / name, tmp_path)
    some = (EXAMPLES / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "answers.jsonl").write_text("\n".join(some[:100]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def tools(allowed: AllowList, models: dict[str, Model], folder: Path) -> Iterator[Tools]:
    made = Tools(allowed, models, Limits(), folder)
    made.worker.start()
    yield made
    made.worker.stop(5)


def called(tools: Tools, name: str, **given: Any) -> tuple[bool, Any]:
    """Whether a call is an error, and what it gives: a record, or the line of the error."""

    async def call() -> tuple[bool, Any]:
        async with Client(server(tools)) as client:
            result = await client.call_tool(name, given)
            text = result.content[0].text  # type: ignore[union-attr]
            assert result.is_error or json.loads(text) == result.structured_content
            return bool(result.is_error), text if result.is_error else result.structured_content

    return asyncio.run(call())


def test_the_tools_say_what_they_take_and_change_nothing(tools: Tools) -> None:
    async def listed() -> Any:
        async with Client(server(tools)) as client:
            return (await client.list_tools()).tools

    found = {one.name: one for one in asyncio.run(listed())}
    assert set(found) == {"check_answer", "explain", "compare_files", "trust_scorer"}
    for one in found.values():
        assert one.annotations.read_only_hint and not one.annotations.open_world_hint
        assert all(f"{name}: " in one.description for name in one.input_schema["properties"])
    assert found["check_answer"].input_schema["required"] == ["answer", "source"]


@pytest.mark.parametrize(
    ("answer", "finding", "said"),
    [
        ("The county opened the bridge in 1901.", "supported", "nothing found against it"),
        ("The county opened the bridge in 1911.", "contradicted", "the source says something else"),
        ("Hello!", "no claim", "it claims nothing"),
    ],
)
def test_an_answer_is_checked_as_the_gate_checks_it(tools: Tools, answer: str, finding: str, said: str) -> None:
    failed, found = called(tools, "check_answer", answer=answer, source=SOURCE)
    assert not failed and (found["finding"], found["means"]) == (finding, said)
    if finding == "contradicted":
        assert found["differences"] == ["1911: the source has 1901"] and found["unsupported_words"] == ["1911"]
        assert found["probability"] < found["fails_below"] < found["passes_from"]
    assert "Faithfulness|model:pocket@" in found["signature"]


def test_a_score_is_explained(tools: Tools) -> None:
    given = {"answer": "A cat sat.", "references": ["The cat sat."], "metric": "TokenF1"}
    failed, found = called(tools, "explain", **given)
    assert not failed and found["rows"][0]["evidence"]["texts"][0]["name"] == "candidate"


def test_two_files_are_compared_as_the_command_does(tools: Tools, folder: Path) -> None:
    given = {"file": "rag_v1.jsonl", "other": "rag_v2.jsonl", "metric": "Faithfulness"}
    failed, found = called(tools, "compare_files", **given, columns={"source": "passages"})
    assert not failed, found
    files = [folder / "rag_v1.jsonl", folder / "rag_v2.jsonl"]
    printed = command("compare", *files, "--map", "source=passages", "--metric", "Faithfulness", "--format", "json")
    wanted = json.loads(printed.stdout)["differences"]
    assert [one["part"] for one in found["differences"]] == [one["part"] for one in wanted]
    for one, other in zip(found["differences"], wanted, strict=True):
        for name in ("a", "b", "difference", "low", "high", "p"):
            assert one[name] == pytest.approx(other[name], rel=1e-4, abs=1e-6)
    assert found["said"][0] and found["a"] == "rag_v1"


def test_scores_are_compared_without_a_model(tools: Tools, folder: Path) -> None:
    file = written(folder / "runs.jsonl", rows({"A": drawn(1), "B": drawn(2)}))
    command("score", file, "-m", "Column('passed')", "--no-cache", "-o", folder / "scores.jsonl")
    failed, found = called(tools, "compare_files", file="scores.jsonl")
    assert not failed and found["differences"][0]["n"] == 30
    assert any("trials" in note for note in found["notes"])
    assert called(tools, "compare_files", file="scores.jsonl", a="A", b="C")[0]
    assert called(tools, "compare_files", file="scores.jsonl", a="A")[1].endswith("the files hold A, B")


def test_a_scorer_is_trusted_by_the_ratings_of_the_file(tools: Tools) -> None:
    failed, found = called(tools, "trust_scorer", file="answers.jsonl")
    assert not failed, found
    assert found["said"] and found["scorers"][0]["rated"] > 0


def test_files_are_read_in_the_folder_and_nowhere_else(tools: Tools, folder: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other") / "secret.jsonl"
    other.write_text('{"candidate": "secret"}\n', encoding="utf-8")
    (folder / "link.jsonl").symlink_to(other)
    for name in (str(other), "../secret.jsonl", "link.jsonl", "s3://bucket/rows.jsonl", f"../{other.parent.name}/x"):
        failed, line = called(tools, "compare_files", file=name)
        assert failed and "is not in the folder of the server" in line and "secret.jsonl has" not in line
    assert "there is no such file" in called(tools, "compare_files", file="none.jsonl")[1]
    assert "there is no such file" in called(tools, "compare_files", file=".")[1]
    large = folder / "large.jsonl"
    with large.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    assert "and the limit is" in called(tools, "trust_scorer", file="large.jsonl")[1]


def test_requests_keep_to_the_limits_of_the_service(allowed: AllowList, models: dict[str, Model], folder: Path) -> None:
    for limits, say in (
        (Limits(rows=3), "rows, and the limit is 3"),
        (Limits(characters=100), "characters in its rows, and the limit is 100"),
        (Limits(seconds=0.001), "no answer within 0.001 seconds"),
        (Limits(work=1e-9), "work"),
    ):
        tools = Tools(allowed, models, limits, folder)
        tools.worker.start()
        given = {"file": "rag_v1.jsonl", "other": "rag_v2.jsonl", "columns": {"source": "passages"}}
        failed, line = called(tools, "compare_files", **given)
        tools.worker.stop(5)
        assert failed and say in line, line


def test_only_metrics_that_are_offered_may_be_asked_for(
    tools: Tools, allowed: AllowList, models: dict[str, Model], folder: Path
) -> None:
    for metric in ("Judge('http://127.0.0.1:1/v1', prompt='supported')", "BERTScore(model='/etc')", "None"):
        failed, line = called(tools, "explain", answer="a", references=["a"], metric=metric)
        assert failed and "/etc/" not in line
    narrow = Tools(replace(allowed, any_metric=False), models, Limits(), folder)
    narrow.worker.start()
    assert "is offered here" in called(narrow, "explain", answer="a", references=["a"], metric="ROUGE")[1]
    narrow.worker.stop(5)


def test_no_tool_opens_a_connection(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert not called(tools, "check_answer", answer="It opened in 1901.", source=SOURCE)[0]
    assert not called(tools, "trust_scorer", file="answers.jsonl")[0]


def test_what_nobody_expected_is_not_told(tools: Tools, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("words of a row")

    monkeypatch.setattr("nlgauge.serve.mcp.compare", broken)
    given = {"file": "rag_v1.jsonl", "other": "rag_v2.jsonl", "columns": {"source": "passages"}}
    failed, line = called(tools, "compare_files", **given)
    assert failed and "words of a row" not in line and "the service failed" in line
    assert "words of a row" not in (said := capsys.readouterr().err) and "RuntimeError at" in said


def test_the_command_speaks_over_standard_input_and_output(folder: Path) -> None:
    async def call() -> tuple[Any, Any]:
        arguments = ["-m", "nlgauge", "mcp", "-m", "Faithfulness", "--folder", str(folder)]
        process = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(process)) as client:
            several = [
                client.call_tool("check_answer", {"answer": f"It opened in {year}.", "source": SOURCE})
                for year in (1901, 1902, 1903)
            ]
            return (await client.list_tools()).tools, await asyncio.gather(*several)

    tools, results = asyncio.run(asyncio.wait_for(call(), 120))
    assert len(tools) == 4
    assert [one.structured_content["finding"] == "contradicted" for one in results] == [False, True, True]


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    result = command("mcp", "--folder", tmp_path / "none")
    assert result.exit_code == 2 and "this is no folder" in result.stderr
