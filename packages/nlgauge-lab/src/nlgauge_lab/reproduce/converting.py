"""Conversion of rated data from clones of the public repositories that released them into files for `--data`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nlgauge.data.atomic_write import atomic_write
from nlgauge.errors import InputError

_PAIRS = ("cs-en", "de-en", "fi-en", "ru-en")


class Released(NamedTuple):
    """A file of rated data that nlgauge reads, and the released files that it is made from."""

    name: str
    paths: tuple[str, ...]
    """Paths of the released files within the clone"""
    rows: Callable[[Path], Iterator[dict[str, Any]]]


def converted(clone: Path, folder: Path) -> list[Path]:
    """Write the files of rated data that can be made from a clone into a folder, and return their paths.

    Raises:
        InputError: The clone holds none of the known files, or one of them is not as it was released.
    """
    known = [one for one in _RELEASED if all((clone / path).is_file() for path in one.paths)]
    if not known:
        looked = "; ".join(", ".join(one.paths) for one in _RELEASED)
        remedy = "give the folder of a clone of W4ngatang/qags or PierreColombo/nlg_eval_via_simi_measures"
        raise InputError(f"holds none of {looked}", file=clone, remedy=remedy)
    written = []
    for one in known:
        lines = [json.dumps(row, ensure_ascii=False) for path in one.paths for row in _read(one, clone / path)]
        folder.mkdir(parents=True, exist_ok=True)
        written.append(folder / f"{one.name}.jsonl")
        with atomic_write(written[-1]) as file:
            file.write("\n".join([*lines, ""]))
    return written


def _read(one: Released, path: Path) -> Iterator[dict[str, Any]]:
    try:
        yield from one.rows(path)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"is not as it was released: {type(error).__name__}: {error}"
        raise InputError(problem, file=path, remedy="fetch it again") from None


def _qags(system: str) -> Callable[[Path], Iterator[dict[str, Any]]]:
    def rows(path: Path) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            record = json.loads(line)
            sentences = record["summary_sentences"]
            votes = [[one["response"] == "yes" for one in sentence["responses"]] for sentence in sentences]
            supported = [2 * sum(yes) > len(yes) for yes in votes]
            yield {
                "item": str(number),
                "system": system,
                "candidate": " ".join(sentence["sentence"] for sentence in sentences),
                "source": record["article"],
                "scores": {"consistency": sum(supported) / len(supported)},
            }

    return rows


def _segments(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rated segments of a language pair. The data do not say which system wrote a segment."""
    pair = path.name.split("_")[1]
    records: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for number, record in records.items():
        [written] = record["system"].values()
        yield {
            "item": f"{pair}:{number}",
            "system": "mixed",
            "candidate": written["generated_sentence"].rstrip("\n"),
            "references": [record["references_sentences"].rstrip("\n")],
            "scores": {"da_z": float(written["scores"]["human"])},
        }


_RELEASED = (
    Released("qags_cnn", ("data/mturk_cnndm.jsonl",), _qags("Bottom-Up")),
    Released("qags_xsum", ("data/mturk_xsum.jsonl",), _qags("BART")),
    *(
        Released(f"wmt{year}", tuple(f"raw_score/{year}_{pair}_formated.json" for pair in _PAIRS), _segments)
        for year in (15, 16)
    ),
)
