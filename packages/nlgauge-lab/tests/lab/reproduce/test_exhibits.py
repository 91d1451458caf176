"""The page of the papers: nothing of them is missing, and the page in docs/ is what the tables say today."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from nlgauge.cli import main
from nlgauge_lab.reproduce.published import PAPERS, by_name

ROOT = Path(__file__).parents[5]
# Read from the papers by eye, with a section that tells of an experiment. BaryScore's paper was not at hand.
NUMBERED = {
    "infolm": "table 1-3 figure 1-9 section c4",
    "ctc": "table 1 2 3 b1 c1 d1 d2 d3 d4 e1 f1 f2 f3 f4 f5 f6 figure 1-7 section a1",
    "mark-evaluate": "table 1-6 figure 1-5",
    "maskeval": "table 1-2 figure 1-5 section 5.3",
}


def names(paper: str) -> list[str]:
    """The exhibits of a paper, in its order."""
    found, kind = [], ""
    for word in NUMBERED[paper].split():
        first, _, last = word.partition("-")
        if word in ("table", "figure", "section"):
            kind = word
        elif last:
            found += [f"{paper}-{kind}-{number}" for number in range(int(first), int(last) + 1)]
        else:
            found.append(f"{paper}-{kind}-{word}")
    return found


def rows(text: str, paper: str) -> list[list[str]]:
    """The cells of the table below a paper's heading."""
    section = text.split(f"## {PAPERS[paper]}\n")[1].partition("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line][2:]


def test_commands_are_commands_of_ours() -> None:
    for name, tables in by_name().items():
        for command in (tables[0].command or "").split("; "):
            if not command:
                continue
            program, *words = shlex.split(command)
            assert program == "nlgauge"
            group = main.get_command(click.Context(main), words[0])
            assert group is not None
            words = words[1:]
            if hasattr(group, "commands"):
                group, words = group.commands[words[0]], words[1:]
            group.make_context(name, words)
