"""Running the command: in this process, and on a terminal."""

from __future__ import annotations

import inspect
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click
from click.testing import CliRunner, Result

from nlgauge import cli


def nlgauge(*arguments: object) -> Result:
    """Run the command in this process, streams apart."""
    before_8_2 = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(mix_stderr=False) if before_8_2 else CliRunner()  # type: ignore[call-arg]
    return runner.invoke(cli.main, [str(argument) for argument in arguments])


def written(place: Path, rows: Iterable[object]) -> Path:
    """The place of a file of JSON Lines, once it is written."""
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def table_of(text: str) -> list[str]:
    """The lines of a table that stands below a sentence and an empty line."""
    return text.partition("\n\n")[2].splitlines()


def refused(*arguments: object, say: str = "") -> str:
    """The one line on stderr of a run that ends with exit code 2."""
    result = nlgauge(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("nlgauge: ")
    assert say in lines[0]
    return lines[0]


def commands_below(group: click.Group, *above: str, names: Sequence[str] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command of a group, and of the groups in it. names: all by default."""
    context = click.Context(group)
    for name in names or group.list_commands(context):
        yield (*above, name)
        if isinstance(command := group.get_command(context, name), click.Group):
            yield from commands_below(command, *above, name)


def examples(*words: str) -> list[list[str]]:
    """Return the words of each line in the example at the end of a command's help."""
    end = nlgauge(*words, "--help").stdout.partition("\n  Example:\n")[2]
    return [shlex.split(line) for line in end.splitlines()]


def parse(line: Sequence[str]) -> None:
    """Read a command line as its command does, and run nothing. Raises click.UsageError for a wrong one."""
    command: click.Command | None = cli.main
    name, *arguments = line
    while isinstance(command, click.Group):
        name, *arguments = arguments
        command = command.get_command(click.Context(command), name)
    assert command is not None
    command.make_context(name, arguments)


def on_a_terminal(*arguments: str, **environment: str) -> bytes:
    """What the command writes to a terminal."""
    import pty

    outer, inner = pty.openpty()
    command, around = [sys.executable, "-m", "nlgauge", *arguments], {**os.environ, **environment}
    done = subprocess.run(command, stdout=inner, stderr=subprocess.PIPE, env=around, timeout=120)
    os.close(inner)
    shown = b""
    with suppress(OSError):  # the other side is closed: that is how Linux says that nothing more comes
        while part := os.read(outer, 4096):
            shown += part
    os.close(outer)
    assert done.returncode == 0, done.stderr.decode()
    return shown
