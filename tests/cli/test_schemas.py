"""What commands print with `--format json` fits its schema, and a schema loses nothing that it promised."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from nlgauge import cli
from nlgauge.cli.schemas import COMMANDS, schema
from tests.command import commands_below, nlgauge, refused, written

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
COMMITTED = ROOT / "docs" / "reference" / "schemas"
RENEW = "NLGAUGE_UPDATE_SCHEMAS"
FIGURES = ("plot",)
"""Commands whose JSON holds the numbers of a figure, which are no promise"""
SOURCE = "The ferry leaves at 9 am. It stops at the mill."
Json = dict[str, Any]


def place(command: str) -> Path:
    return COMMITTED / f"{command.replace(' ', '-')}.json"


def broken(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Yield the places where a schema promises less than an old one, or something else."""
    if isinstance(old, dict) and isinstance(new, dict) and "properties" in old and "properties" in new:
        for name, kind in old["properties"].items():
            if name not in new["properties"]:
                yield f"{where}/{name} vanished"
            else:
                yield from broken(kind, new["properties"][name], f"{where}/{name}")
        yield from (f"{where}/{name} may be absent" for name in old["required"] if name not in new["required"])
        before, now = ({k: v for k, v in one.items() if k not in ("properties", "required")} for one in (old, new))
        yield from broken(before, now, where)
    elif isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key, kind in old.items():
            yield from broken(kind, new[key], where)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from broken(one, other, where)
    elif old != new:
        yield f"{where} was {json.dumps(old)}, and is {json.dumps(new)}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_committed_schema_is_that_of_the_code(command: str) -> None:
    made, file = schema(command), place(command)
    if file.exists():
        lost = list(broken(json.loads(file.read_text(encoding="utf-8")), made))
        assert not lost, f"programs read what {command} printed before: {lost}"
    if os.environ.get(RENEW):
        file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    assert json.loads(file.read_text(encoding="utf-8")) == made, f"a field was added: {RENEW}=1 writes it"
    assert json.loads(nlgauge("list", "--schema", command).stdout) == made


def test_each_command_has_one() -> None:
    assert {file.name for file in COMMITTED.iterdir()} == {place(command).name for command in COMMANDS}
    for words in commands_below(cli.main, names=cli.main.list_commands(click.Context(cli.main))):
        command: Any = cli.main
        for word in words:
            command = command.get_command(click.Context(command), word)
        forms = [one.type.choices for one in command.params if one.name == "layout" and hasattr(one.type, "choices")]
        ours = command.callback is None or not command.callback.__module__.startswith("nlgauge_")
        if any("json" in choices for choices in forms) and ours and words[0] not in (*FIGURES, "reproduce", "study"):
            assert " ".join(words) in COMMANDS


def test_what_vanishes_or_changes_is_found_and_what_is_added_is_not() -> None:
    old = schema("compare")
    added, vanished, changed, absent = (copy.deepcopy(old) for _ in range(4))
    added["properties"]["differences"]["items"]["properties"]["more"] = {"type": "string"}
    added["properties"]["differences"]["items"]["required"].append("more")
    del vanished["properties"]["differences"]["items"]["properties"]["low"]
    changed["properties"]["differences"]["items"]["properties"]["n"] = {"type": "string"}
    absent["required"].remove("answer")
    assert not list(broken(old, old)) and not list(broken(old, added))
    assert list(broken(old, vanished)) == ["/differences/low vanished"]
    assert list(broken(old, changed)) == ['/differences/n was "integer", and is "string"']
    assert list(broken(old, absent)) == ["/answer may be absent"]


def test_a_name_that_has_none_is_refused() -> None:
    refused("list", "--schema", "serve", say="there is no schema of 'serve': there is one of cache info, ")
    refused("list", "TokenF1", "--schema", "compare", say="--schema is of a command")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """What each command prints of the examples."""
    folder = tmp_path_factory.mktemp("schemas")
    outputs, rated = EXAMPLES / "outputs.jsonl", EXAMPLES / "rated.jsonl"
    scores, of_rated, of_answers, of_trials = (folder / f"{name}.jsonl" for name in "sraT")
    row = {
        "source": SOURCE,
        "references": [SOURCE],
        "candidate": "The ferry leaves at 9 pm.",
        "scores": {"faithful": 0},
    }
    right = {**row, "candidate": "The ferry stops at the mill.", "scores": {"faithful": 1}}
    (sets := folder / "sets").mkdir()
    (cards := folder / "cards").mkdir()
    pairs = [{"item": str(at), **one} for at in range(8) for one in (row | {"system": "a"}, right | {"system": "b"})]
    written(sets / "ferries.jsonl", pairs)
    read = [json.loads(line) for line in rated.read_text(encoding="utf-8").splitlines()]
    every = map(json.loads, (EXAMPLES / "answers.jsonl").read_text(encoding="utf-8").splitlines())
    answers = written(folder / "answers.jsonl", [one for one in every if one.get("scores")])
    raters = [{"ann": at % 5 + 1, "ben": at % 4 + 1, "eve": at % 3 + 1} for at in range(len(read))]
    rows = [{**one, "scores": scores} for one, scores in zip(read, raters, strict=True)]
    three = written(folder / "three.jsonl", rows)
    asked: list[list[object]] = [
        ["score", outputs, "-m", "TokenF1", "-o", scores, "--no-cache"],
        ["score", rated, "-m", "TokenF1", "-m", "Length", "-o", of_rated, "--no-cache"],
        ["score", answers, "-m", "Column('supported')", "-m", "Length", "-o", of_answers, "--no-cache"],
        ["score", EXAMPLES / "trials.jsonl", "-m", "Column('passed')", "-o", of_trials, "--no-cache"],
        ["compare", scores, "careful", "sloppy"],
        ["trials", of_trials],
        ["correlate", of_rated, "--ratings", rated],
        ["correlate", of_rated, "--ratings", rated, "--pairs"],
        ["correlate", of_rated, "--ratings", three, *("--rater", "ann", "--rater", "ben", "--rater", "eve")],
        ["estimate", of_answers, "--ratings", answers],
        ["trust", of_answers, "--ratings", answers],
        ["calibrate", of_answers, "--metric", "Column('supported')", "--ratings", answers],
        ["check", outputs, "-m", "TokenF1", "--at-least", "0.4", "--no-cache"],
        ["check", EXAMPLES / "rag_v2.jsonl", "--grounded", "--no-cache"],
        ["check", EXAMPLES / "rag_v2.jsonl", "--grounded", "--against", EXAMPLES / "rag_v1.jsonl", "--no-cache"],
        ["explain", outputs, "-m", "TokenF1", "--no-cache"],
        ["verify", scores],
        ["rate", "TokenF1", "--sets", sets, "--no-probes", "-o", cards / "f1.json"],
        ["rate", "ROUGE", "--sets", sets, "--no-probes", "-o", cards / "rouge.json"],
        ["rate", "--board", cards],
        ["list"],
        ["list", "TokenF1"],
        ["doctor", "--model", "pocket"],
        ["cache", "info", "--cache", folder / "cache"],
    ]
    made = []
    for words in asked:
        result = nlgauge(*words, "--format", "json")
        assert result.exit_code in (0, 1, 3), (words, result.stderr)
        made.append(json.loads(result.stdout))
    return made


def test_what_commands_print_fits(told: list[Json]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assert {one["command"] for one in told} == COMMANDS.keys()
    for one in told:
        made = schema(one["command"])
        jsonschema.Draft202012Validator.check_schema(made)
        jsonschema.Draft202012Validator(made).validate(one)


def test_a_missing_field_and_a_string_for_a_number_do_not_fit(told: list[Json]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for one in told:
        valid = jsonschema.Draft202012Validator(schema(one["command"])).is_valid
        assert not valid({name: value for name, value in one.items() if name != "notes"})
        assert not valid({**one, "command": "another"}) and valid({**one, "added": 1})
    (compared,) = (one for one in told if one["command"] == "compare")
    valid = jsonschema.Draft202012Validator(schema("compare")).is_valid
    (line,) = (line for line in compared["differences"] if line["part"] == "f1")
    for value, fits in (("0.2", False), (True, False), (None, True), ("Infinity", True), (0.2, True)):
        assert valid({**compared, "differences": [{**line, "difference": value}]}) is fits
    assert not valid({**compared, "differences": [{k: v for k, v in line.items() if k != "difference"}]})
