"""The help of each command of the laboratory ends with an example that parses."""

from __future__ import annotations

import pytest

from nlgauge import cli
from nlgauge._plugins import LAB_COMMANDS
from tests.command import commands_below, examples, nlgauge, parse


@pytest.mark.parametrize("words", list(commands_below(cli.main, names=list(LAB_COMMANDS))), ids=" ".join)
def test_the_help_of_each_command_ends_with_an_example_that_parses(words: tuple[str, ...]) -> None:
    found = examples(*words)
    assert found
    for line in found:
        assert line[: len(words) + 1] == ["nlgauge", *words]
        parse(line)


def test_the_help_shows_the_commands_of_the_laboratory_apart() -> None:
    shown = nlgauge("--help").stdout.partition("Research, by nlgauge-lab:\n")[2].splitlines()
    assert [line.split()[0] for line in shown] == sorted(LAB_COMMANDS)
    assert [line.split(maxsplit=1)[1] for line in shown] == [LAB_COMMANDS[name] for name in sorted(LAB_COMMANDS)]
