"""The page of the papers: every table and figure of the five, and what of it nlgauge makes again, in Markdown."""

from __future__ import annotations

import re
from collections import Counter

from nlgauge_lab.reproduce.markdown import beside, render, table
from nlgauge_lab.reproduce.published import PAPERS, Table, by_name

REBUILT, COMPARED, ABSENT = "rebuilt", "compared", "not to be had"
_KINDS = ("table", "figure", "section")
_NUMBERED = re.compile(rf"-({'|'.join(_KINDS)})-([a-z]?|\d+\.)(\d+)$")


def label(name: str) -> str:
    """'Table D.1' of 'ctc-table-d1', 'Section 5.3' of 'x-section-5.3'; '-' of what has no number in its paper."""
    numbered = _NUMBERED.search(name)
    if numbered is None:
        return "-"
    kind, letter, number = numbered.groups()
    return f"{kind.capitalize()} {letter.rstrip('.').upper() + '.' * bool(letter)}{number}"


def state(one: Table) -> str:
    """Whether a table or figure is rebuilt, compared or not to be had."""
    if one.why is not None:
        return ABSENT
    return REBUILT if one.differs is None else COMPARED


def page() -> str:
    """A row for every table and figure, from the files of the tables alone: no rated data are needed."""
    found = by_name()
    rows: dict[str, list[tuple[str, ...]]] = {paper: [] for paper in PAPERS}
    for name in sorted(found, key=_order):
        first = found[name][0]
        titles = "; ".join(one.title.partition(": ")[2] or one.title for one in found[name])
        command = first.command or (f"nlgauge reproduce {name} --data rated" if first.rows else "")
        parts = ", then ".join(f"`{part}`" for part in command.split("; ") if part)
        remark = first.why or first.differs or next(iter(first.notes), "")
        remark = f"{remark[:1].upper()}{remark[1:].rstrip('.')}." if remark else ""
        rows[first.paper].append((label(name), titles, state(first), parts, remark))
    counts = Counter(row[2] for of_paper in rows.values() for row in of_paper)
    told = ", ".join(f"{counts[word]} are {word}" for word in (REBUILT, COMPARED, ABSENT))
    heads = ["exhibit", "shows", "state", "command", "remark"]
    papers = {title: beside(paper, table(heads, "lllll", rows[paper])) for paper, title in PAPERS.items()}
    unnumbered = {PAPERS[paper] for paper, own in rows.items() if all(row[0] == "-" for row in own)}
    words = {"rebuilt": REBUILT, "compared": COMPARED, "absent": ABSENT}
    return render("papers.md", total=counts.total(), told=told, papers=papers, unnumbered=unnumbered, **words)


def _order(name: str) -> tuple[int, str, int, str]:
    """Tables before figures, an appendix behind the paper, 2 before 10."""
    numbered = _NUMBERED.search(name)
    kind, letter, number = numbered.groups() if numbered else (_KINDS[0], "", "0")
    return _KINDS.index(kind), letter, int(number), name
