"""A file of answers that a person has accepted. The gate reads it, so that it does not doubt these right answers again.

Each answer is a line of JSON with the digests of its texts, the reason why it is right, and the day. An answer is
identified by these digests and not by its row. So it counts as accepted as long as answer, source, context and question
do not change.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.ratings.matching import fingerprints


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """An answer that a person has accepted."""

    texts: str
    """The digests of the answer's candidate, source, context and question, as `Row.fingerprint` joins them"""
    reason: str
    """The reason why the answer is right"""
    date: str
    """The day of the acceptance, as 2026-01-31"""


def read(path: str | os.PathLike[str]) -> list[Acceptance]:
    """Return the accepted answers of a file.

    Args:
        path: the file, with a line of JSON for each answer.

    Returns:
        The answers, in the order of the file.

    Raises:
        InputError: the file cannot be read, or a line, which the error names, is no accepted answer.
    """
    place = Path(path)
    try:
        lines = place.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the accepted answers cannot be read: {error}", file=place) from None
    accepted = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            texts, reason, date = (record[name] for name in ("texts", "reason", "date"))
            if not (isinstance(reason, str) and isinstance(texts, str) and texts.count(".") == 3):
                raise ValueError
            datetime.date.fromisoformat(date)
        except (ValueError, KeyError, TypeError):
            remedy = 'a line is {"texts": ..., "reason": ..., "date": "2026-01-31"}, as the page of the gate writes it'
            raise InputError("this is no accepted answer", file=place, row=number, remedy=remedy) from None
        if not reason.strip():
            raise InputError(
                "an answer is accepted without a reason", file=place, row=number, remedy="say why it is right"
            )
        accepted.append(Acceptance(texts=texts, reason=reason, date=date))
    return accepted


def accepted_rows(table: ScoreTable, accepted: Iterable[Acceptance]) -> frozenset[int]:
    """Return the numbers of the accepted rows of a table.

    Args:
        table: the scores, with the digests of their texts.
        accepted: the answers that a person has accepted.

    Returns:
        The numbers of the rows, counted from 1; empty where no answer is accepted.

    Raises:
        InputError: the table does not hold the digests of its texts.
    """
    wanted = {answer.texts for answer in accepted}
    if not wanted:
        return frozenset()
    if not (texts := fingerprints(table)):
        raise InputError(
            "the scores hold no digests of their texts, so that no row is known to be accepted",
            remedy="score the outputs again",
        )
    return frozenset(number for number, digests in enumerate(texts, 1) if digests in wanted)
