"""The part of the detection page that has the probes: our own sentences with one small error each."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.lab.reproduce.numbers import short
from nlgauge.lab.studies.probe_texts import KINDS
from nlgauge.lab.studies.probes import SETTINGS, Area, ProbeResult, Probes


def section(found: Probes) -> list[str]:
    """A table of all errors together and one by kind of error."""
    return [
        "## Small errors, and the same in other words", "",
        f"{found.statements} statements of our own about {found.sources} sources of two to four sentences. Each "
        "has one "
        "small error, and a twin without it. Beside them stand free paraphrases: true statements that share few "
        "words with the source. No model of ours was trained or chosen on them. `nlgauge study probes` prints "
        "these tables "
        "for any model and metric.", "",
        "- *Twin* and *paraphrase* are areas under the curve of hits against false alarms: errors against their "
        "corrected twins, and against free paraphrases. .5 is chance. A metric that measures copying has an area "
        "near 0 against paraphrases. In brackets: 95 % of resamples of the sources.",
        "- *Marked* is the share of the free paraphrases in which a word is marked as unsupported, and *found* the "
        "share of the errors of which a wrong word is marked.",
        "- *Question* means that the question stands beside the source; *4 passages* and *8 passages* that the source "
        "stands among so many others.", "",
        "| metric, part | model | by | twin | paraphrase | marked | found |",
        "|---|---|---|---:|---:|---:|---:|",
        *map(_line, found.records),
        "",
        "By kind of error, against the corrected twins, with the source alone; *answer*, a question answered wrongly, "
        "with the question. *Mixed* is what the source says of another thing.", "",
        f"| metric, part | model | {' | '.join(KINDS)} |",
        "|---|---|" + "---:|" * len(KINDS),
        *_by_kind(found.records),
    ]  # fmt: skip


def _line(one: ProbeResult) -> str:
    cells = [_named(one), one.model, one.setting, _area(one.twin), _area(one.paraphrase)]
    return "| " + " | ".join([*cells, _share(one.marked), _share(one.found)]) + " |"


def _by_kind(records: Sequence[ProbeResult]) -> list[str]:
    first, asked = tuple(SETTINGS)[:2]
    answers = {(one.metric, one.part, one.model): one.kinds for one in records if one.setting == asked}
    lines = []
    for one in records:
        if one.setting == first:
            kinds = {**answers.get((one.metric, one.part, one.model), {}), **one.kinds}
            numbers = (short(kinds[kind], 2) if kind in kinds else "-" for kind in KINDS)
            lines.append("| " + " | ".join([_named(one), one.model, *numbers]) + " |")
    return lines


def _named(one: ProbeResult) -> str:
    return f"`{one.metric}`" + ("" if one.part == "score" else f" {one.part}")


def _area(area: Area) -> str:
    inside = "" if math.isnan(area.low) else f" [{short(area.low, 2)}, {short(area.high, 2)}]"
    return short(area.value, 2) + inside


def _share(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f} %"
