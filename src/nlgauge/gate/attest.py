"""Sealed records of a check: the JSON of its verdict, and a statement about its inputs that other programs can sign.

The statement is an in-toto Statement v1 (https://github.com/in-toto/attestation). It has the SHA-256 of each input
file, and a predicate with the rule, the numbers and the verdict. It holds no text of a row. Programs such as cosign can
sign it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from nlgauge._version import __version__
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.jsonable import jsonable
from nlgauge.data.seal import digest_of, exact, sealed
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.gate.verdict import Verdict

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:nlgauge:check:v1"
_OF_ROWS = ("rows", "notes")


def verdict_record(verdict: Verdict, table: ScoreTable, baseline: str | None) -> dict[str, Any]:
    """Return the JSON object that `nlgauge check --format json` prints, with a seal.

    Args:
        verdict: the verdict.
        table: the scores that were checked.
        baseline: the name of the earlier run's file; None without an earlier run.

    Returns:
        The verdict with the version, the signature of the metric and the digest of the outputs.
    """
    record = {name: value for name, value in verdict.record.items() if name != "notes"}
    signature = table.signatures.get(verdict.metric)
    made = {
        "nlgauge": __version__,
        "command": "check",
        "notes": list(verdict.notes),
        **record,
        "baseline": baseline,
        "signature": None if signature is None else str(signature),
        "corpus": table.run.get("corpus"),
    }
    return sealed(jsonable(made))


def write_statement(record: Mapping[str, Any], inputs: Mapping[str, Path], path: str | Path) -> None:
    """Write a statement about a verdict and the files that it depends on.

    Args:
        record: the verdict, as `verdict_record` makes it.
        inputs: the files that the verdict depends on, by their role, such as 'outputs', 'against', 'threshold' or
            'ratings'. A folder stands for all of its files.
        path: where to write the statement.

    Raises:
        InputError: an input cannot be read, or the statement cannot be written.
    """
    subject = [
        {"name": f"{role}:{file.as_posix()}", "digest": {"sha256": sha256_of(file)}}
        for role, place in inputs.items()
        for file in (
            [place] if not place.is_dir() else sorted(inside for inside in place.rglob("*") if inside.is_file())
        )
    ]
    rows = record["rows"]
    states: dict[str, int] = {}
    for row in rows:
        states[row["state"]] = states.get(row["state"], 0) + 1
    predicate = {name: value for name, value in record.items() if name not in (*_OF_ROWS, "seal")}
    predicate |= {"states": states, "verdict_digest": record["seal"]["digest"], "subject_digest": of_subject(subject)}
    statement = {"_type": STATEMENT, "subject": subject, "predicateType": PREDICATE, "predicate": sealed(predicate)}
    with atomic_write(path) as file:
        file.write(json.dumps(statement, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def of_subject(subject: object) -> str:
    """Return the digest of a statement's subject. The predicate has it too, so a changed subject is found.

    Args:
        subject: the value of the statement's field 'subject', which names the input files.
    """
    return digest_of(exact(json.dumps(subject)))


def sha256_of(place: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal. Raise InputError if the file cannot be read."""
    try:
        with place.open("rb") as file:
            digest = sha256()
            while piece := file.read(1 << 20):
                digest.update(piece)
            return digest.hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=place, remedy="give a file that is there") from None
