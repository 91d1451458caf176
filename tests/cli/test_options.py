"""Options that several commands take: --cache and --no-cache, as evaluate takes them."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from nlgauge.cli import main
from nlgauge.cli.options import SPEC, caching
from nlgauge.errors import SpecError


def test_what_evaluate_is_given() -> None:
    found: list[bool | Path] = []
    command = click.command()(caching(lambda cache: found.append(cache)))
    runner = CliRunner()
    for given in ([], ["--cache", "folder"], ["--no-cache"]):
        assert runner.invoke(command, given).exit_code == 0
    assert found == [True, Path("folder"), False]
    with pytest.raises(SpecError, match="leave one out"):
        runner.invoke(command, ["--cache", "folder", "--no-cache"], catch_exceptions=False)


@pytest.mark.parametrize(
    ("begun", "offered"),
    [
        ("infol", {"InfoLM"}),
        ("ROUGE(var", {"ROUGE(variant="}),
        ("Length(unit='c", {"Length(unit='characters'"}),
        ("CopyRate(ngram=2, ", {"CopyRate(ngram=2, side="}),
        ("BLEU(ngram=2,lowercase=", {"BLEU(ngram=2,lowercase=True", "BLEU(ngram=2,lowercase=False"}),
        ("BLEU(ngram=", set()),
        ("Nothing(", set()),
        ("Consistency:", {"Consistency:E", "Consistency:D", "Consistency:R"}),
        ("ROUGE:Ls", {"ROUGE:Lsum"}),
        ("TokenF1:", set()),
    ],
)
def test_a_shell_completes_what_metrics_declare(begun: str, offered: set[str]) -> None:
    found = SPEC.shell_complete(click.Context(main), main.params[0], begun)
    assert {item.value for item in found} == offered


def test_bash_asks_the_command() -> None:
    asked = {"COMP_WORDS": 'nlgauge score -m "Length(u', "COMP_CWORD": "3", "_NLGAUGE_COMPLETE": "bash_complete"}
    assert CliRunner().invoke(main, env=asked, prog_name="nlgauge").stdout.splitlines() == ["plain,Length(unit="]
