"""Running the command in this process."""

from __future__ import annotations

import inspect

from click.testing import CliRunner, Result

from nlgauge import cli


def nlgauge(*arguments: object) -> Result:
    """Run the command in this process, streams apart."""
    before_8_2 = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(mix_stderr=False) if before_8_2 else CliRunner()  # type: ignore[call-arg]
    return runner.invoke(cli.main, [str(argument) for argument in arguments])


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
