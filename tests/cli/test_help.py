"""The help: commands by the question that they answer, each with an example that runs, and names that have moved."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from nlgauge import cli
from tests.command import commands_below, examples, nlgauge, parse, refused, written

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.usefixtures("one_model")
LONGEST = 78
"""Characters of a line on a terminal of 80"""
NOT_RUN = {"serve", "mcp"}
"""Parsed and not run: they do not end"""


COMMANDS = list(commands_below(cli.main, names=list(cli._OWN)))


def test_the_help_groups_the_commands_by_the_question_that_they_answer() -> None:
    printed = nlgauge("--help").stdout
    titles = re.findall(r"^(\w[^\n]*):$", printed, re.MULTILINE)
    assert titles[1:6] == ["Score texts", "Decide", "Trust a scorer", "Ask people", "This installation"]
    lines = dict(re.findall(r"^  ([a-z]+) {2,}(\S[^\n]*)$", printed, re.MULTILINE))
    assert set(cli._OWN) <= set(lines) and len(cli._OWN) == 20
    assert all(line.endswith((".", "?")) for line in lines.values())
    assert max(map(len, printed.splitlines())) <= LONGEST, "each line of the help is short"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_of_each_command_ends_with_an_example_that_parses(words: tuple[str, ...]) -> None:
    found = examples(*words)
    assert found
    for line in found:
        assert tuple(line[: len(words) + 1]) == ("nlgauge", *words)
        parse(line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of examples/, and a folder of rated sets.

    Of answers.jsonl, which the pages of docs/guides score whole, the rated rows and every sixth of the others.
    """
    place = tmp_path_factory.mktemp("examples")
    shutil.copy(EXAMPLES / "trials.jsonl", place)
    answers = map(json.loads, (EXAMPLES / "answers.jsonl").read_text(encoding="utf-8").splitlines())
    written(place / "answers.jsonl", (row for n, row in enumerate(answers) if row.get("scores") or not n % 6))
    for name in ("sets", "cards"):
        (place / name).mkdir()
    shutil.copy(EXAMPLES / "rated.jsonl", place / "sets")
    return place


@pytest.mark.parametrize("words", [one for one in COMMANDS if one[0] not in NOT_RUN], ids=" ".join)
def test_the_example_runs_on_the_files_of_examples(
    words: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words[0] == "plot":
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NLGAUGE_CACHE", str(folder / "cache"))
    if not (folder / "scores.jsonl").is_file():
        assert nlgauge(*examples("score")[0][1:]).exit_code == 0
    for line in examples(*words):
        result = nlgauge(*line[1:])
        assert result.exit_code == 0, result.stderr
        if "-o" in line:
            assert (folder / line[line.index("-o") + 1]).exists()
        shutil.rmtree(folder / "ratings", ignore_errors=True)
        shutil.rmtree(folder / "pocket-folder", ignore_errors=True)


@pytest.mark.parametrize(("old", "new"), [("contrast", "nlgauge correlate --pairs"), ("convert", "nlgauge export")])
def test_the_name_of_an_earlier_version_says_the_new_one(old: str, new: str) -> None:
    for more in ((), ("--help",), ("a", "b")):
        assert refused(old, *more) == f"nlgauge: nlgauge {old} is now {new}"
    assert f"\n  {old}" not in nlgauge("--help").stdout
