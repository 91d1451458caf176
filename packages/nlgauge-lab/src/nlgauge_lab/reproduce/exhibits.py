"""The page of the papers in Markdown: every table and figure with results, and whether nlgauge has reproduced it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from nlgauge_lab.reproduce.kinds import MEAN
from nlgauge_lab.reproduce.markdown import beside, render, table
from nlgauge_lab.reproduce.published import PAPERS, Table, tables
from nlgauge_lab.reproduce.records import Record

MADE, PREPARED, ABSENT = "made", "prepared", "not to be had"
_KINDS = ("table", "figure", "section")
_NUMBERED = re.compile(rf"-({'|'.join(_KINDS)})-([a-z]?|\d+\.)(\d+)$")


def label(name: str) -> str:
    """Return the label of an exhibit: 'Table D.1' for 'ctc-table-d1', and '-' if it has no number in its paper."""
    numbered = _NUMBERED.search(name)
    if numbered is None:
        return "-"
    kind, letter, number = numbered.groups()
    return f"{kind.capitalize()} {letter.rstrip('.').upper() + '.' * bool(letter)}{number}"


def state(one: Table, records: Mapping[str, Sequence[Record]]) -> str:
    """Return MADE for an exhibit with a recorded run, PREPARED for one without, or ABSENT if it cannot be made."""
    if one.why is not None:
        return ABSENT
    return MADE if one.name in records else PREPARED


def page(records: Mapping[str, Sequence[Record]]) -> str:
    """Return the page in Markdown, with a row for every table and figure that holds results.

    Args:
        records: the records of runs, by table.
    """
    rows: dict[str, list[tuple[str, ...]]] = {paper: [] for paper in PAPERS}
    counted: Counter[str] = Counter()
    for one in sorted(tables().values(), key=lambda one: _order(one.name)):
        counted[state(one, records)] += 1
        command = one.command or (f"nlgauge reproduce {one.name} --data rated" if one.rows else "")
        parts = ", then ".join(f"`{part}`" for part in command.split("; ") if part)
        named = ", ".join(dict.fromkeys(map(label, (one.name, *one.also))))
        remarks = map(_sentence, filter(None, (one.differs or next(iter(one.notes), ""),)))
        rows[one.paper].append((named, _title(one), _told(one, records), parts, " ".join(remarks)))
    told = ", ".join(f"{counted[word]} are {word}" for word in (MADE, PREPARED, ABSENT))
    heads = ["exhibit", "shows", "state", "command", "remark"]
    papers = {title: beside(paper, table(heads, "lllll", rows[paper])) for paper, title in PAPERS.items()}
    unnumbered = {PAPERS[paper] for paper, own in rows.items() if all(row[0] == "-" for row in own)}
    words = {"made": MADE, "prepared": PREPARED, "absent": ABSENT}
    return render("papers.md", total=counted.total(), told=told, papers=papers, unnumbered=unnumbered, **words)


def _told(one: Table, records: Mapping[str, Sequence[Record]]) -> str:
    """Return the state in Markdown: with date and agreement of each run if it was made, and with the reason if not.

    If it was made by one of the models alone, the reason says why not by the other.
    """
    kind = state(one, records)
    if kind == MADE:
        made = [
            f"{each.date}{f' by {each.models}' if each.models else ''}: {_in_correlations(each.numbers, one.scale)}"
            for each in records[one.name]
        ]
        return f"**{MADE}** {'; '.join([*made, *filter(None, [one.unrun])])}"
    return f"**{kind}**: {one.why if kind == ABSENT else one.unrun or 'no run is recorded'}"


def _in_correlations(numbers: str, scale: float) -> str:
    """Return a record's summary with its mean difference in correlations, also if the table prints them times 100.

    Args:
        numbers: the summary (`Record.numbers`). Older records end in "mean difference X", where X is in the table's
            scale, and is divided by it. Others have correlations already, and are returned as they are.
        scale: the table's scale: 1, or 100 where correlations are printed times 100.
    """
    told, named, mean = numbers.partition("mean difference ")
    if not named or mean.startswith("of "):
        return numbers
    return f"{told}{MEAN} {float(mean) / scale:.4f}"


def _title(one: Table) -> str:
    return one.title.partition(": ")[2] or one.title


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _order(name: str) -> tuple[int, str, int, str]:
    """Return a sort key: tables before figures, the paper before its appendix, and 2 before 10."""
    numbered = _NUMBERED.search(name)
    kind, letter, number = numbered.groups() if numbered else (_KINDS[0], "", "0")
    return _KINDS.index(kind), letter, int(number), name
