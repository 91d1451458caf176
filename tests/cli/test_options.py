"""Options that several commands take: --cache and --no-cache, as evaluate takes them."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from nlgauge.cli.options import keeping
from nlgauge.errors import SpecError


def test_what_evaluate_is_given() -> None:
    found: list[bool | Path] = []
    command = click.command()(keeping(lambda cache: found.append(cache)))
    runner = CliRunner()
    for given in ([], ["--cache", "folder"], ["--no-cache"]):
        assert runner.invoke(command, given).exit_code == 0
    assert found == [True, Path("folder"), False]
    with pytest.raises(SpecError, match="leave one out"):
        runner.invoke(command, ["--cache", "folder", "--no-cache"], catch_exceptions=False)
