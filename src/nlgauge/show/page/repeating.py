"""How to repeat a run: its signatures, what they hold, its notes, and the commands."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from nlgauge.data.table import ScoreTable


@dataclass(frozen=True)
class Repeat:
    """What a reader needs to get these numbers again."""

    commands: list[str]
    signatures: list[str]
    facts: list[tuple[str, str]]
    """(what, value) of the run"""
    windows: list[tuple[str, str]]
    """(metric, how texts longer than the model's window were read, and how many there were)"""
    notes: list[tuple[str, str, int]]
    """(metric, note, of how many rows)"""


def _quoted(spec: str) -> str:
    """For a shell; a spec holds single quotes itself, so that double ones are easier to read where they do."""
    plain = shlex.quote(spec)
    return plain if plain == spec or re.search(r'["$`\\!]', spec) else f'"{spec}"'


def repeat(table: ScoreTable, name: str = "report.html") -> Repeat:
    """From the table alone. Files are called by their kinds: a table does not know where it lay."""
    evidence = any(column.evidence for column in table.columns.values())
    asked = table.run.get("asked", {})
    own = [spec for spec in table.columns if spec not in table.run.get("joined", {})]
    by_spec = {spec: name for name, spec in asked.items()}
    metrics = " ".join(f"-m {_quoted(by_spec.get(spec, spec))}" for spec in own)
    commands = [
        f"pip install nlgauge=={table.version}" if table.version else "pip install nlgauge",
        f"nlgauge score outputs.jsonl {metrics}{' --evidence' if evidence else ''} -o scores.jsonl",
        f"nlgauge report scores.jsonl --outputs outputs.jsonl -o {shlex.quote(name)}",
    ]
    facts = [
        ("nlgauge", table.version),
        ("rows", f"{len(table.rows):,}"),
        ("digest of the outputs", table.run.get("corpus", "")),
    ]
    facts += [(f"{key}, joined", str(value)) for key, value in table.run.get("joined", {}).items()]
    notes = table.run.get("notes", {})
    return Repeat(
        commands,
        [str(signature) for signature in table.signatures.values()],
        [(what, str(value)) for what, value in facts if value],
        [(spec, str(one.facts["window"])) for spec, one in table.signatures.items() if "window" in one.facts],
        [(spec, note, count) for spec, counted in notes.items() for note, count in counted.items()],
    )
