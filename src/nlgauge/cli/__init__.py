"""The nlgauge command. Results on stdout, the rest on stderr.

Exit code 0: done; 1: done, and what was found is bad, such as a gate that fails; 2: the work could not be done, because
of wrong use, bad input, a wrong metric or the machine, such as a full disk below stdout.

One file a command (or a group of them); what several need to read and print is in `terminal.py`.
"""

from __future__ import annotations

import atexit
import errno
import functools
import gc
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from nlgauge._plugins import LAB_COMMANDS, in_the_lab, load_offered, offered
from nlgauge._version import __version__
from nlgauge.cli.streams import failure, heartbeat, prepare, remark
from nlgauge.errors import NlgaugeError, SpecError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_OWN = {
    **{
        name: (name, name)
        for name in (
            "score",
            "check",
            "explain",
            "correlate",
            "compare",
            "trust",
            "rate",
            "report",
            "plot",
            "cache",
            "serve",
        )
    },
    **{name: ("ratings", name) for name in ("sample", "estimate", "calibrate")},
    "contrast": ("correlate", "contrast"),
    "list": ("installation", "list_all"),
    "doctor": ("installation", "doctor"),
    "export": ("installation", "export"),
    "convert": ("installation", "convert"),
}
"""The module and function of each command, imported when it is called: all their imports take longer than a row"""
_KEEP = ("score", "check", "explain", "reproduce", "study")
_GO_ON = "what was scored is cached (nlgauge cache info says where): give the same command again, and it goes on"
_TRAINED = (
    "the folder of --out has the last checkpoint, if one was written: give the same command again, and it goes on"
)

_ALLOCATIONS = 50_000
"""After so many new objects garbage is looked for; Python's own number is 700"""
_NOT_DONE = 2
_STOPPED = 130
"""The exit code of a command that Ctrl-C stopped, as a shell has it. With 1, a check that was stopped would look like
one that found something."""


def _way_on(command: str | None) -> str | None:
    """Return how to go on with a command that was stopped; None if nothing of it was saved."""
    if command == "train" and any(word.partition("=")[0] == "--out" for word in sys.argv):
        return _TRAINED
    return _GO_ON if command in _KEEP and "--no-cache" not in sys.argv else None


class _Commands(click.Group):
    """Turns errors into one line and an exit code: 2, or 130 for Ctrl-C. Exit code 1 is a finding of the command.

    Installed packages add commands by entry points of the group `nlgauge.commands`. The package is imported when its
    command is called or listed, and what it raises then is of that command alone.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_OWN, *_offered()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if cmd_name in _OWN:
            module, function = _OWN[cmd_name]
            command: click.Command = getattr(import_module(f"nlgauge.cli.{module}"), function)
            return command
        if cmd_name in (points := _offered()):
            return _Broken.instead(cmd_name, *points[cmd_name])
        if cmd_name in LAB_COMMANDS:
            raise SpecError(in_the_lab(f"nlgauge {cmd_name}"))
        return None

    def invoke(self, ctx: click.Context) -> Any:
        # Imports make many objects that last, and a process that ends need not free them one by one: to look for
        # garbage among them takes longer than the score of a row.
        gc.set_threshold(_ALLOCATIONS)
        atexit.register(gc.freeze)
        try:
            prepare()
            with heartbeat(lambda: ctx.invoked_subcommand):
                return super().invoke(ctx)
        except NlgaugeError as error:
            remark(f"nlgauge: {' '.join(str(error).split())}")
            ctx.exit(_NOT_DONE)
        except KeyboardInterrupt:
            remark("; ".join(filter(None, ("nlgauge: stopped", _way_on(ctx.invoked_subcommand)))))
            ctx.exit(_STOPPED)
        except OSError as error:
            problem = failure(error)
            if error.errno != errno.EPIPE:  # else who reads has enough
                remark(f"nlgauge: {' '.join(problem.split())}")
            ctx.exit(_NOT_DONE)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:  # an error of ours, which without this would end with 1, as a failing gate does
            traceback.print_exc()
            ctx.exit(_NOT_DONE)


class _Broken(click.Command):
    """A command that cannot be loaded: it is listed with the reason, and raises it when it is called."""

    def __init__(self, name: str, error: SpecError) -> None:
        super().__init__(name, short_help=str(error))
        self._error = error

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        raise self._error

    @classmethod
    def instead(cls, name: str, offered_as: str, point: EntryPoint) -> click.Command:
        """Return the command of an entry point, or one of this class where there is none."""
        try:
            loaded = load_offered(offered_as, point)
            if not isinstance(loaded, click.Command):
                raise SpecError(f"{offered_as}: the package offers {loaded!r}, which is not a click command")
        except SpecError as error:
            return cls(name, SpecError(f"nlgauge {name}: {error}"))
        return loaded


@functools.cache
def _offered() -> dict[str, tuple[str, EntryPoint]]:
    """Return the entry points of commands by the command's name, nlgauge-lab's before another package's."""
    points = sorted(offered("nlgauge.commands"), key=lambda one: ("/" in one[0], one[0]), reverse=True)
    return {point.name: (name, point) for name, point in points}


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nlgauge", message="%(prog)s %(version)s")
def main() -> None:
    """Measure generated text: scores you can trust and repeat, offline."""
