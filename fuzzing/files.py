"""Fuzzing: any bytes under any name are rows, or an error of one line that says where they are wrong.

    python fuzzing/files.py [--inputs 2000] [--seed 0] [--repeat INPUT] [--atheris]

Bytes are those of good files that are cut, spliced, repeated and have bits flipped, before they are compressed and
after; some are bombs: compressed zeros, brackets without end, numbers of a million digits.
"""

from __future__ import annotations

import bz2
import functools
import gzip
import importlib.util
import io
import json
import lzma
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from fuzzer import Surface, main
from hypothesis import strategies as st
from mutations import mutated, mutations, some_mutations
from texts import mostly

from nlgauge import Corpus

_FOLDER = Path(tempfile.mkdtemp(prefix="nlgauge-fuzzing-"))
_SECOND = {"candidate": "", "references": "One.", "source": 'A "quoted" text,\nof two lines', "other": [1, {"x": None}]}
_RECORDS: list[dict[str, Any]] = [
    {"system": "a", "item": 1, "candidate": "Zwei Züge.", "references": ["Two trains.", ""], "scores": {"adequacy": 4}},
    {"system": "a", "item": 2, **_SECOND},
    {
        "system": "b",
        "item": 1,
        "candidate": "東京 😀",
        "references": [],
        "context": ["Who?", "Me."],
        "scores": {"x": None},
    },
]
_TABLE = """system,item,candidate,references,source,scores.adequacy,references.1
a,1,Late.,"[""One."", ""Two.""]",A train.,4,
a,2,,One.,"two
lines",,More.
b,1,"a ""b"" c",[],x,-1e3,y
"""
_BOMBS = ["zeros", "brackets", "objects", "digits", "columns", "references", "rows", "parquet"]
SUFFIXES = ("jsonl", "json", "csv", "tsv", *(["parquet"] if importlib.util.find_spec("pyarrow") else []), "txt")
_PACKED = ("", "", "", ".gz", ".gz", ".xz", ".bz2", ".zst")
_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": functools.partial(gzip.compress, mtime=0),
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}


@functools.cache
def _good(suffix: str) -> bytes:
    if suffix == "jsonl":
        return "".join(json.dumps(record, ensure_ascii=record["item"] == 2) + "\n" for record in _RECORDS).encode()
    if suffix == "json":
        return json.dumps(_RECORDS, ensure_ascii=False, indent=1).encode()
    if suffix == "parquet":
        return _parquet(_RECORDS[:1])
    return (_TABLE.replace(",", "\t") if suffix == "tsv" else _TABLE).encode()


def _parquet(records: list[Any]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(records), file)
    return file.getvalue()


@functools.cache
def _bomb(kind: str) -> bytes:
    texts = {
        "brackets": "[" * 500_000,
        "objects": '{"a":' * 200_000,
        "digits": '{"candidate": "x", "item": ' + "9" * 1_000_000 + "}",
        "columns": json.dumps({"candidate": "x"} | {f"column {n}": n for n in range(50_000)}),
        "references": json.dumps({"candidate": "x", "references": ["y"] * 200_000}),
        "rows": '{"candidate": ""}\n' * 20_000,
    }
    if kind == "zeros":
        return gzip.compress(bytes(80 << 20), mtime=0)
    return _parquet([{"candidate": "x" * 30_000_000}]) if kind == "parquet" else texts[kind].encode()


def _bytes(given: dict[str, Any]) -> bytes:
    if given["bomb"] is not None:
        return mutated(_bomb(given["bomb"]), given["outside"])
    data = mutated(_good(given["from"]), given["inside"])
    pack = _PACKERS.get(given["packed"])
    return mutated(pack(data) if pack else data, given["outside"])


def outcome(given: dict[str, Any]) -> str:
    """Read, in memory or on disk, and look at every row."""
    path = _FOLDER / f"rows.{given['named']}{given['packed']}"
    path.write_bytes(_bytes(given))
    columns = {"candidate": given["column"]} if given["column"] else None
    if given["named"] == "txt":
        corpus = Corpus.read_texts(path, [path])
    else:
        corpus = Corpus.read(path, columns=columns, on_disk=given["on disk"])
    for row in corpus:
        assert row.texts or row.candidate == ""
    assert len(corpus.digest) == 64
    return "rows"


def varied(given: dict[str, Any], chance: Random) -> dict[str, Any]:
    """The same file with other changes."""
    where = "outside" if given["packed"] and chance.random() < 0.3 else "inside"
    return {**given, "bomb": None, where: some_mutations(chance)}


def _inputs(bombs: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.sampled_from(SUFFIXES)
    same = named.flatmap(lambda one: st.tuples(st.just(one), st.just(one if one != "txt" else "jsonl")))
    several = st.tuples(named, st.sampled_from([one for one in SUFFIXES if one != "txt"]))
    return st.builds(
        lambda names, **rest: {"named": names[0], "from": names[1], **rest},
        st.one_of(same, same, same, several),
        **{
            "packed": st.sampled_from(_PACKED),
            "inside": mutations(),
            "outside": st.one_of(st.just([]), st.just([]), mutations()),
            "bomb": bombs,
            "column": st.sampled_from([None, None, None, "source", "nothing"]),
            "on disk": st.booleans(),
        },
    )


_SOME_BOMBS = st.sampled_from([one for one in _BOMBS if one != "parquet" or "parquet" in SUFFIXES])
INPUTS = mostly(_inputs(st.none()), _inputs(_SOME_BOMBS), 500)

if __name__ == "__main__":
    sys.exit(main(Surface("files", INPUTS, outcome, varied)))
