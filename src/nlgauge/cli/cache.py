"""The command nlgauge cache."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nlgauge.cli.options import IN_FORMATS, PLACE, example
from nlgauge.cli.terminal import show
from nlgauge.show.answer import Answer
from nlgauge.show.lines import Line, TextLine
from nlgauge.show.tables import Cell, Number, aligned

if TYPE_CHECKING:
    from nlgauge.run.store import Store

_UNITS = ("bytes", "KiB", "MiB", "GiB")


@click.group(epilog=example("nlgauge cache info"))
def cache() -> None:
    """The cache of scores and features, so that nothing is computed twice.

    The cache is in the platform's folder for caches, or in the folder that NLGAUGE_CACHE names. NLGAUGE_CACHE=off turns
    it off. NLGAUGE_CACHE_LIMIT is its largest size in bytes, 4 GiB by default. Beyond this size, the entries that were
    not used for the longest time are deleted first.
    """


_FOLDER = click.option("--cache", "folder", type=PLACE, help="Folder of the cache, if not the usual one.")


@contextmanager
def _store(folder: Path | None) -> Iterator[Store]:
    """Return a context that gives the store. If the store cannot be used, the command ends with exit code 1."""
    from nlgauge.run.store import Store

    with Store(folder) as store:
        yield store
    if not store.usable:
        raise click.exceptions.Exit(1)


@cache.command(epilog=example("nlgauge cache info"))
@_FOLDER
@IN_FORMATS
def info(folder: Path | None, layout: str) -> None:
    """Show where the cache is, how large it is, and how many entries of each kind it holds."""
    with _store(folder) as store:
        held = store.info()
    cells: list[list[Cell]] = [["kind", "entries", "size"]]
    cells += [[kind, Number(count, digits=0), _size(size)] for kind, (count, size) in held.entries.items()]
    head, *rest = aligned(cells)
    sizes: list[Line] = [TextLine(((head, "head"),)), *rest] if held.entries else ["no entries"]
    about = [str(held.folder), f"{_size(held.bytes)} on the disk, of at most {_size(held.limit)}"]
    entries = {kind: {"entries": count, "bytes": size} for kind, (count, size) in held.entries.items()}
    answer = Answer(
        command="cache info",
        record={"folder": str(held.folder), "bytes": held.bytes, "limit": held.limit, "entries": entries},
        tables=[cells] if held.entries else [],
        legend=about if held.entries else [*about, "no entries"],
        lines=[*about, *sizes],
    )
    show(answer, layout)


@cache.command(epilog=example("nlgauge cache clear"))
@_FOLDER
def clear(folder: Path | None) -> None:
    """Empty the cache."""
    with _store(folder) as store:
        freed = store.clear()
    click.echo(f"{_size(freed)} removed from {store.folder}")


@cache.command(epilog=example("nlgauge cache verify"))
@_FOLDER
def verify(folder: Path | None) -> None:
    """Check every entry against its checksum, and delete damaged entries. They are computed again when needed."""
    with _store(folder) as store:
        checked = store.verify()
    if checked.set_aside:
        click.echo("the file was damaged and set aside")
    else:
        click.echo(f"{checked.intact:,} entries intact, {checked.dropped:,} damaged and dropped")


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{count} bytes" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"
