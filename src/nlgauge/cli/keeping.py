"""--cache and --no-cache: where commands that score keep what was computed once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from nlgauge.cli.terminal import PLACE
from nlgauge.errors import SpecError


def keeping(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the two options, as `cache` and `no_cache`."""
    command = click.option(
        "--no-cache", is_flag=True, help="Ignore the cache: read nothing from it, write nothing to it."
    )(command)
    return click.option("--cache", type=PLACE, help="Folder of the cache; nlgauge cache info shows the usual one.")(
        command
    )


def cache_of(cache: Path | None, no_cache: bool) -> bool | Path:
    """What `evaluate(cache=...)` takes. Raises SpecError for both options at once."""
    if cache is not None and no_cache:
        raise SpecError("--cache and --no-cache do not go together; leave one out")
    return False if no_cache else True if cache is None else cache
