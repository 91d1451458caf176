"""The nlgauge command, which writes results to stdout and everything else to stderr.

Exit code 0: done; 1: done, and the finding is bad, such as a gate that fails; 2: the work could not be done, because
of wrong use, bad input, a wrong metric or the machine, such as a full disk below stdout.

Each command, or group of commands, has a file. Functions that several commands need are in `outputs.py` (reading
outputs and scores), `joining.py` (ratings, and scores from elsewhere) and `terminal.py` (printing answers).
"""

from __future__ import annotations

import atexit
import errno
import functools
import gc
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from nlgauge._plugins import LAB_COMMANDS, in_the_lab, load_offered, offered
from nlgauge._version import __version__
from nlgauge.cli.streams import failure, heartbeat, prepare, remark
from nlgauge.errors import NlgaugeError, SpecError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class _Command(NamedTuple):
    """The module and the function of a command, and its line in `nlgauge --help`."""

    module: str
    function: str
    line: str


_QUESTIONS: dict[str, dict[str, _Command]] = {
    "Score texts": {
        "score": _Command("score", "score", "Score a table of outputs, or text files."),
        "explain": _Command("explain", "explain", "Show why a metric gave its scores, word by word."),
        "report": _Command("report", "report", "Write a scores file as one HTML page."),
        "plot": _Command("plot", "plot", "Draw figures of a scores file: PNG, SVG or PDF."),
        "serve": _Command("serve", "serve", "Serve scores over HTTP."),
        "mcp": _Command("mcp", "mcp", "Tools for an agent, by the Model Context Protocol."),
    },
    "Decide": {
        "check": _Command("check", "check", "A gate: fail if a row is unsupported, or a system got worse."),
        "compare": _Command("compare", "compare", "Is system A better than system B, or is it noise?"),
        "trials": _Command("trials", "trials", "Systems run several times: does one trial pass, do all of them?"),
        "calibrate": _Command("ratings", "calibrate", "Choose a threshold for check, from scores and a few ratings."),
        "verify": _Command("verify", "verify", "Was a scores file, threshold, history or verdict changed?"),
    },
    "Trust a scorer": {
        "trust": _Command("trust", "trust", "How far to trust each scorer, from people's ratings of some rows."),
        "correlate": _Command("correlate", "correlate", "How well metrics agree with people, and which one better."),
        "rate": _Command("rate", "rate", "Rate a scorer on sets of human ratings, as a card or a board."),
    },
    "Ask people": {
        "sample": _Command("ratings", "sample", "Choose rows for people to rate: a folder with sheet and page."),
        "estimate": _Command("ratings", "estimate", "Estimate the mean rating of all outputs, from a few."),
    },
    "This installation": {
        "list": _Command("installation", "list_all", "The metrics and models at hand, with their parameters."),
        "doctor": _Command("installation", "doctor", "Check this installation and its model, or another model."),
        "cache": _Command("cache", "cache", "The cache of earlier runs: show it, check it or clear it."),
        "export": _Command("installation", "export", "Write a model to a folder that other programs can read."),
    },
}
"""The commands by the question that they answer, in the order of `nlgauge --help`.

A module is imported when its command is called, because importing all modules takes longer than scoring a row.
"""
_OWN = {name: command for group in _QUESTIONS.values() for name, command in group.items()}
_OF_THE_LAB, _OF_OTHERS = "Research, by nlgauge-lab", "By other packages"
_MOVED = {"contrast": "nlgauge correlate --pairs", "convert": "nlgauge export"}
"""Commands of earlier versions, and how to write them now"""
_KEEP = ("score", "check", "explain", "reproduce", "study")
_GO_ON = "what was scored is cached (nlgauge cache info says where): give the same command again, and it goes on"
_TRAINED = (
    "the folder of --out has the last checkpoint, if one was written: give the same command again, and it goes on"
)

_ALLOCATIONS = 50_000
"""Number of new objects after which Python looks for garbage; its default is 700"""
_NOT_DONE = 2
_STOPPED = 130
"""The exit code of a command that Ctrl-C stopped, as a shell has it. With 1, a check that was stopped would look like
one that found something."""


def _way_on(command: str | None) -> str | None:
    """Return how to continue a command that was stopped; None if nothing of its work was saved."""
    if command == "train" and any(word.partition("=")[0] == "--out" for word in sys.argv):
        return _TRAINED
    return _GO_ON if command in _KEEP and "--no-cache" not in sys.argv else None


class _Commands(click.Group):
    """The group of all commands. It turns errors into one line and an exit code: 2, or 130 for Ctrl-C.

    Exit code 1 means that a command had a bad finding. Installed packages add commands by entry points of the group
    `nlgauge.commands`. A package is imported when its command is called or listed, and an error that it raises then
    concerns this command alone.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_OWN, *_offered()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        registered = super().get_command(ctx, cmd_name)
        if registered is not None:
            return registered
        if cmd_name in _OWN:
            module, function, line = _OWN[cmd_name]
            command: click.Command = getattr(import_module(f"nlgauge.cli.{module}"), function)
            command.short_help = line
            return command
        if cmd_name in (points := _offered()):
            theirs = _Broken.instead(cmd_name, *points[cmd_name])
            theirs.short_help = LAB_COMMANDS.get(cmd_name, theirs.short_help)
            return theirs
        if cmd_name in LAB_COMMANDS:
            raise SpecError(in_the_lab(f"nlgauge {cmd_name}"))
        if cmd_name in _MOVED:
            raise SpecError(f"nlgauge {cmd_name} is now {_MOVED[cmd_name]}")
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, by the question that they answer. Only those of other packages are imported."""
        groups = {title: {name: command.line for name, command in group.items()} for title, group in _QUESTIONS.items()}
        others = [name for name in _offered() if name not in _OWN]
        groups[_OF_THE_LAB] = {name: LAB_COMMANDS[name] for name in sorted(others) if name in LAB_COMMANDS}
        groups[_OF_OTHERS] = {
            name: command.get_short_help_str(limit=formatter.width)
            for name in sorted(others)
            if name not in LAB_COMMANDS and (command := self.get_command(ctx, name)) is not None
        }
        width = max(len(name) for group in groups.values() for name in group)
        for title, group in groups.items():
            if group:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), line) for name, line in group.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the options. Raises Exit where --help or --version cannot be printed, because the disk is full, say."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except OSError as error:
            problem = failure(error)
            if error.errno != errno.EPIPE:
                remark(f"nlgauge: {' '.join(problem.split())}")
            raise click.exceptions.Exit(_NOT_DONE) from None

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
    """A command that cannot be loaded. It is listed with the error, and raises the error when it is called."""

    def __init__(self, name: str, error: SpecError) -> None:
        super().__init__(name, short_help=str(error))
        self._error = error

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        raise self._error

    @classmethod
    def instead(cls, name: str, offered_as: str, point: EntryPoint) -> click.Command:
        """Return the command of an entry point, or a `_Broken` command where it cannot be loaded.

        Args:
            name: the name of the command.
            offered_as: the name of the entry point in errors.
            point: the entry point.

        Returns:
            The command.
        """
        try:
            loaded = load_offered(offered_as, point)
            if not isinstance(loaded, click.Command):
                raise SpecError(f"{offered_as}: the package offers {loaded!r}, which is not a click command")
        except SpecError as error:
            return cls(name, SpecError(f"nlgauge {name}: {error}"))
        return loaded


@functools.cache
def _offered() -> dict[str, tuple[str, EntryPoint]]:
    """Return (offered name, entry point) by the name of the command. Those of nlgauge-lab come first."""
    points = sorted(offered("nlgauge.commands"), key=lambda point: ("/" in point[0], point[0]), reverse=True)
    return {point.name: (name, point) for name, point in points}


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nlgauge", message="%(prog)s %(version)s")
def main() -> None:
    """Measure generated text: scores you can trust and repeat, offline.

    nlgauge COMMAND --help describes a command, and ends with an example of it.
    """
