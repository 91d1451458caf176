"""Every reader keeps rows as they were given, and every bad input is refused with where, what and a remedy."""

from __future__ import annotations

import gzip
import json
import lzma
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.data.corpus import Corpus, Row, opening
from nlgauge.errors import InputError, MissingExtraError

ODD_TEXTS = {
    "emoji": "🙂 a 👩‍👩‍👧 family",
    "right to left": "مرحبا بالعالم שלום",
    "Chinese": "快速的棕色狐狸跳过懒狗。",
    "NUL": "a\0b",
    "separators": "one\u2028two\u0085three\x0bfour\x0cfive\u2029six",
    "newlines": "one\ntwo\r\nthree\rfour",
    "spaces": "  kept \t as given  ",
    "quotes": 'she said "no", twice',
    "empty": "",
    "combining": "e\u0301 is not é",
    "JSON-like": '["not a list of references"]',
    "marks": "\ufeffinside\ufeff",
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write `content` as the bytes of a file; a .gz name compresses it."""

    def writer(name: str, content: str | bytes) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return writer


def json_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def refusal(call: Callable[[], object], *parts: object, row: int | None = None, file: object = None) -> InputError:
    """The InputError that `call` raises: one line, with the file, the row, a remedy and `parts` in its message."""
    with pytest.raises(InputError) as caught:
        call()
    error, message = caught.value, str(caught.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 600
    assert error.remedy
    assert f"({error.remedy})" in message
    assert error.row == row
    assert (f"row {row}: " in message) == (row is not None)
    if file is not None:
        assert message.startswith(f"{file}: ")
    for part in parts:
        assert str(part) in message
    return error


def test_jsonl_has_every_field(write):
    record = {
        "dataset": "ours",
        "item": 7,
        "system": "A",
        "candidate": " A cat. ",
        "references": ["The cat.", "One cat."],
        "source": "cat | is | there",
        "context": None,
        "scores": {"fluency": 4, "coverage": 2.5, "style": None},
        "raw": {"fluency": [4, 4]},
        "meta": None,
    }
    row = Corpus.read(write("rows.jsonl", json_lines([record])))[0]
    assert row == Row(
        candidate=" A cat. ",
        references=("The cat.", "One cat."),
        source="cat | is | there",
        system="A",
        item="7",
        scores={"fluency": 4.0, "coverage": 2.5},
        extra={"dataset": "ours", "raw": {"fluency": [4, 4]}, "meta": None},
    )
    assert type(row.scores["fluency"]) is float


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"source": "context"}, Row("c", source="k")),
        ({"source": "context", "context": "source"}, Row("c", source="k", context="s")),
        ({"candidate": "source"}, Row("s", context="k")),
    ],
)
def test_column_mapped_to_one_field_is_not_read_as_another(write, columns, expected):
    record = {"candidate": "c", "source": "s", "context": "k"}
    row = Corpus.read(write("rows.jsonl", json_lines([record])), columns=columns)[0]
    assert replace(row, extra={}) == expected
    assert Corpus.read(write("rows.csv", "candidate,source,context\nc,s,k\n"), columns=columns)[0] == row


BAD_ROWS: dict[str, tuple[str, list[str]]] = {
    "broken JSON": ('{"candidate": "b"', ["broken JSON at column 18", "does not end on its line"]),
    "two objects": ('{"candidate": "b"} {"candidate": "c"}', ["column 20", "Extra data"]),
    "null row": ("null", ["this is null, not a record"]),
    "blank": ("", ["the line is blank", "remove it"]),
    "no candidate": ('{"references": ["r"]}', ["no column 'candidate'", "['references']", "--map candidate=COLUMN"]),
    "list candidate": ('{"candidate": ["b"]}', ["candidate is list ['b'], not a text", "give a string"]),
    "references number": ('{"candidate": "b", "references": 4}', ["references is int 4", "a list of strings"]),
    "context object": ('{"candidate": "b", "context": {}}', ["context is dict {}", "a list of strings"]),
    "system list": ('{"candidate": "b", "system": ["A"]}', ["system is list ['A']", "give a string"]),
    "item fraction": ('{"candidate": "b", "item": 1.5}', ["item is float 1.5", "give a string"]),
    "scores list": ('{"candidate": "b", "scores": [1]}', ["scores is list [1], not an object", '{"aspect": number}']),
    "score text": ('{"candidate": "b", "scores": {"f": "4"}}', ["'f' is str '4'", "leave a missing rating out"]),
    "score too big": (f'{{"candidate": "b", "scores": {{"f": 1{"0" * 400}}}}}', ["'f' is int 1000", "not a finite"]),
    "score twice": ('{"candidate": "b", "scores": {"f": 1}, "scores.f": 2}', ["'f' is given twice", "its own column"]),
    "surrogate": (r'{"candidate": "ab\ud800"}', [r"lone surrogate, '\ud800', at character 3", "replace it"]),
    "reference surrogate": (r'{"candidate": "b", "references": ["\udc00"]}', ["entry 1, holds a lone", "replace it"]),
    "aspect surrogate": (r'{"candidate": "b", "scores": {"\udc00": 1}}', ["aspect of scores holds a", "replace it"]),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_jsonl_row_is_refused(write, case):
    line, parts = BAD_ROWS[case]
    path = write("rows.jsonl", f'{{"candidate": "a"}}\n{line}\n{{"candidate": "c"}}\n')
    refusal(lambda: Corpus.read(path), *parts, row=2, file=path)


@pytest.mark.parametrize(
    ("columns", "parts", "row"),
    [
        ({"candidate": "guess"}, ["no column 'guess'", "['candidate', 'prediction']", "--map candidate="], 1),
        ({"source": "article"}, ["no row has the column 'article', mapped to source", "columns are ['cand"], None),
        ({"hypothesis": "prediction"}, ["'hypothesis'", "'prediction'", "candidate, references, source"], None),
        ({"candidate": "guess,item=id"}, ["no column 'guess,item=id'", "give --map once for each column"], 1),
        ({"candidate": ["a", "b"]}, ["candidate is mapped to list ['a', 'b']", "with a column system"], None),
    ],
)
def test_bad_map_is_refused(write, columns, parts, row):
    path = write("rows.jsonl", json_lines([{"candidate": "a", "prediction": "b"}]))
    refusal(lambda: Corpus.read(path, columns=columns), *parts, row=row, file=path)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('{"candidate": "a"}', ["dict {'candidate': 'a'}, not a list of records", "a list of them in .json"]),
        ('{"candidate": "a"}\n{"candidate": "b"}', ["line 2, column 1: Extra data", "a line in .jsonl"]),
        ('[{"candidate": "a"},\n {"candidate": }]', ["line 2, column 16", "a list of them in .json"]),
        ("  ", ["broken JSON at line 1"]),
        ("[]", ["there are no rows", "give at least one row"]),
    ],
)
def test_bad_json_file_is_refused(write, content, parts):
    path = write("rows.json", content)
    refusal(lambda: Corpus.read(path), *parts, file=path)


@pytest.mark.parametrize("name", ["rows.csv", "rows.csv.gz"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("ending", [0, 1, 3])
def test_csv_forms(write, name, mark, newline, ending):
    lines = ["candidate,system,item", ",,", '"two\nlines, one ""cell""",A,x']
    corpus = Corpus.read(write(name, mark + newline.join(lines) + newline * ending))
    assert list(corpus) == [Row("", system="system", item="1"), Row('two\nlines, one "cell"', system="A", item="x")]


@pytest.mark.parametrize(
    ("content", "parts", "row"),
    [
        ('candidate,source\n"a\nb",s\nc\n', ["1 cells under a header of 2 (file line 4)", "double quotes"], 2),
        ("candidate,source\na,s\nb,s,t\n", ["3 cells under a header of 2 (file line 3)", "double quotes"], 2),
        ("candidate,source\n\na,s\n", ["0 cells under a header of 2 (file line 2)", "double quotes"], 1),
        ('candidate\na\n"b\nc\n', ["broken table", "file line 3", "double each quote"], 2),
        ('candidate\na\n"b"c\n', ["broken table", "file line 3", "double each quote"], 2),
        ('"candidate\na\n', ["broken table", "file line 1", "double each quote"], None),
        ("candidate,system,system\na,b,c\n", ["the column 'system' is given twice", "rename or remove"], None),
        ("candidate\n", ["there are no rows", "give at least one row"], None),
        ("\n\n", ["there are no rows", "give at least one row"], None),
        ("source;output\na;b\n", ["the columns are ['source', 'output']", "--map candidate=output"], 1),
        ("candidate,scores.f\na,1\nb,x\n", ["'f' is str 'x', not a finite number", "leave a missing rating out"], 2),
        ("candidate,scores.f\na,nan\n", ["'f' is str 'nan', not a finite number", "leave a missing rating out"], 1),
        ("candidate,scores\na,4\n", ["scores is int 4, not an object", '{"aspect": number}'], 1),
        ("candidate,scores\na,good\n", ["scores is str 'good', not an object", '{"aspect": number}'], 1),
        ('candidate,scores\na,"{""f"": NaN}"\n', ["scores is str", "not an object", '{"aspect": number}'], 1),
    ],
)
def test_bad_csv_is_refused(write, content, parts, row):
    path = write("rows.csv", content)
    refusal(lambda: Corpus.read(path), *parts, row=row, file=path)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "rows.tsv", "rows.jsonl.gz", "rows.parquet"])
def test_empty_file_is_refused(write, name):
    path = write(name, "")
    refusal(lambda: Corpus.read(path), "the file is empty", "give at least one row", file=path)


def test_directory_without_files_is_refused_and_is_no_text_file(tmp_path):
    refusal(lambda: Corpus.read(tmp_path), "the folder holds no files", "name a folder with files", file=tmp_path)
    refusal(
        lambda: Corpus.read_texts(tmp_path), "it is a directory", "give the path of one readable file", file=tmp_path
    )


@pytest.mark.parametrize(
    ("name", "start", "row", "end"),
    [
        ("rows.jsonl.gz", b"", b'{"candidate":""}\n', b""),
        ("rows.json.gz", b"[", b"{},", b"{}]"),
        ("rows.csv.gz", b"candidate\n", b"a\n", b""),
    ],
)
def test_a_bomb_of_many_small_rows_stops_early(tmp_path, monkeypatch, name, start, row, end):
    """Fewer bytes than are allowed, but more rows than a memory may hold; the limit is a sixteenth of the usual one."""
    monkeypatch.setattr(opening, "_SMALL", 4 << 20)
    path = tmp_path / name
    path.write_bytes(gzip.compress(start + row * ((3 << 20) // len(row)) + end, 1))
    refusal(lambda: Corpus.read(path), "hold more than 100 times their own", "decompress it first", file=path)
    path.write_bytes(gzip.compress(start + row * 12_000 + end, 1))
    if name == "rows.jsonl.gz":
        assert len(Corpus.read(path)) == 12_000


def test_parquet_round_trip(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs nlgauge[tables]")
    records = [
        {"candidate": text, "references": ["r", text], "item": number, "scores": {"f": 1.5, "g": None}, "note": None}
        for number, text in enumerate(ODD_TEXTS.values())
    ]
    # A folder named key=value must not become a column.
    path = tmp_path / "system=A" / "rows.parquet"
    path.parent.mkdir()
    parquet.write_table(pyarrow.Table.from_pylist(records), path)
    corpus = Corpus.read(path)
    assert [row.candidate for row in corpus] == list(ODD_TEXTS.values())
    assert corpus[1] == Row(
        ODD_TEXTS["right to left"], ("r", ODD_TEXTS["right to left"]), item="1", scores={"f": 1.5}, extra={"note": None}
    )


def test_bad_parquet_is_refused(write, tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs nlgauge[tables]")
    path = write("rows.parquet", "candidate\na\n")
    refusal(lambda: Corpus.read(path), "not readable as Parquet", "write it again", file=path)
    repeated = tmp_path / "repeated.parquet"
    parquet.write_table(pyarrow.table([["a"], ["b"]], names=["candidate", "candidate"]), repeated)
    refusal(lambda: Corpus.read(repeated), "'candidate' is given twice", "rename or remove", file=repeated)
    nothing = tmp_path / "nothing.parquet"
    parquet.write_table(pyarrow.table({"candidate": pyarrow.array([], pyarrow.string())}), nothing)
    refusal(lambda: Corpus.read(nothing), "there are no rows", "give at least one row", file=nothing)
    null = tmp_path / "null.parquet"
    parquet.write_table(pyarrow.table({"candidate": ["a", None]}), null)
    refusal(lambda: Corpus.read(null), "candidate is null", "give a string", row=2, file=null)


def test_parquet_without_pyarrow_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = write("rows.parquet", "PAR1")
    with pytest.raises(MissingExtraError, match=r"reading Parquet .*nlgauge\[tables\]"):
        Corpus.read(path)


@pytest.mark.parametrize("role", ["references", "source", "context"])
def test_line_counts_must_agree(write, role):
    candidates, short = write("c.txt", "1\n2\n3\n4\n"), write("short.txt", "1\n2\n3\n")
    arguments = {role: [short] if role == "references" else short}
    parts = [f"has 3 lines, but {candidates} has 4", "one text per line"]
    refusal(lambda: Corpus.read_texts(candidates, **arguments), *parts, file=short)


def test_lists():
    corpus = Corpus.from_texts(
        ["a", "b"],
        references=["r", ["s", "t"]],
        sources=["x", None],
        contexts=[["k", "l"], None],
        systems=["A", 2],
        items=[1, "two"],
        scores=[{"f": 1, "g": None}, None],
    )
    assert list(corpus) == [
        Row("a", ("r",), "x", "k\nl", "A", "1", {"f": 1.0}),
        Row("b", ("s", "t"), None, None, "2", "two"),
    ]


@pytest.mark.parametrize(
    ("candidates", "references"),
    [("abc", [["1", "2", "3"]]), ("abc", [["1", "2", "3"], ("4", "5", "6")]), ("a", [["1"], ["2"]])],
)
def test_transposed_references_are_refused(candidates, references):
    candidates = list(candidates)
    parts = [f"references has {len(references)} entries, candidates has {len(candidates)}", "sacrebleu"]
    refusal(lambda: Corpus.from_texts(candidates, references), *parts, "list(zip(*references))")
    turned = Corpus.from_texts(candidates, list(zip(*references, strict=True)))
    assert turned[0].references == tuple(texts[0] for texts in references)


@pytest.mark.parametrize(
    ("call", "parts", "row"),
    [
        (lambda: Corpus.from_texts(["a", None]), ["candidate is null", "give a string"], 2),
        (lambda: Corpus.from_texts(["a", math.nan]), ["candidate is null", "give a string"], 2),
        (lambda: Corpus.from_texts(["a", b"b"]), ["candidate is bytes", "give a string"], 2),
        (lambda: Corpus.from_texts(["a", "b"], [["r"], [1]]), ["references, entry 1, is int 1", "give a string"], 2),
        (lambda: Corpus.from_texts(["a"], [{"r"}]), ["references is set", "give a string or a list"], 1),
        (lambda: Corpus.from_texts(["\ud800"]), ["lone surrogate", "replace it"], 1),
        (lambda: Corpus.from_texts(["a"], scores=[{"f": math.nan}]), ["'f' is float nan", "leave a missing"], 1),
        (lambda: Corpus.from_texts(["a"], scores=[{1: 2}]), ["aspect of scores is int 1", "give a string"], 1),
        (lambda: Corpus.from_texts([]), ["there are no rows", "give at least one row"], None),
        (lambda: Corpus.from_records([]), ["there are no rows", "give at least one row"], None),
        (lambda: Corpus.from_records({"candidate": "a"}), ["the column 'candidate' is str 'a', not a list"], None),
        (
            lambda: Corpus.from_records({"candidate": ["a"], "item": [1, 2]}),
            ["unlike numbers of values: 'candidate' has 1, 'item' has 2", "one of each for every row"],
            None,
        ),
        (lambda: Corpus.from_records([{"output": "a"}]), ["candidate=output", "in Python with columns="], 1),
        (
            lambda: Corpus.from_records([{"candidate": "a"}], columns={"src": "x"}),
            ["'src'", "FIELD is candidate"],
            None,
        ),
    ],
)
def test_bad_lists_are_refused(call, parts, row):
    refusal(call, *parts, row=row)


def test_data_frame():
    pandas = pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    frame = pandas.DataFrame(
        {
            "output": ["a", "b"],
            "references": [["r", "s"], None],
            "source": pandas.array([pandas.NA, "x"], dtype="string"),
            "context": [math.nan, np.array(["k", "l"])],
            "item": [7, math.nan],
            "scores.f": [math.nan, 2.0],
        }
    )
    assert list(Corpus.from_records(frame, columns={"candidate": "output"})) == [
        Row("a", ("r", "s"), item="7"),
        Row("b", (), "x", "k\nl", item="2", scores={"f": 2.0}),
    ]
    texts = Corpus.from_texts(frame["output"], frame["references"], sources=frame["source"], contexts=frame["context"])
    assert [row.context for row in texts] == [None, "k\nl"]
    missing = pandas.DataFrame({"candidate": ["a", None]})
    refusal(lambda: Corpus.from_records(missing), "candidate is null", "give a string", row=2)
    missing = pandas.DataFrame({"candidate": pandas.array(["a", pandas.NA], dtype="string")})
    refusal(lambda: Corpus.from_records(missing), "candidate is null", "give a string", row=2)
    repeated = pandas.DataFrame([["a", "b"]], columns=["candidate", "candidate"])
    refusal(lambda: Corpus.from_records(repeated), "'candidate' is given twice", "rename or remove")


def test_corpus_is_an_immutable_sequence():
    corpus = Corpus.from_texts(["a", "b", "c"], systems=["B", "A", "B"])
    assert len(corpus) == 3
    assert corpus[-1] == corpus.rows[2]
    assert isinstance(corpus.rows, tuple)
    assert corpus[1:] == Corpus(corpus.rows[1:])
    assert isinstance(corpus[1:], Corpus)
    assert corpus.systems == ("B", "A")
    assert next(reversed(corpus)) is corpus[2]
    assert repr(corpus) == "Corpus(3 rows, systems ['B', 'A'])"
    assert pickle.loads(pickle.dumps(corpus)) == corpus
    assert hash(corpus) == hash(Corpus(list(corpus)))  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        corpus.rows = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        corpus[0].candidate = "x"  # type: ignore[misc]


BASE = Row("c", ("r", "s"), "x", "k", "A", "1", {"f": 1.0}, {"note": "n"})


def test_digest_is_the_same_everywhere():
    corpus = Corpus((BASE, replace(BASE, candidate="é\0🙂")))
    assert corpus.digest == "7a381233acc1682ceb9b1bac3723ddd23cef03d018fda115bcf06bbf702b24e5"
    script = "from nlgauge.data.corpus import *; b = Row('c', ('r', 's'), 'x', 'k', 'A', '1')\n"
    script += r"print(Corpus((b, Row('\xe9\0\U0001f642', ('r', 's'), 'x', 'k', 'A', '1'))).digest)"
    source = str(Path(__file__).parents[2] / "src")
    environment = {"PYTHONPATH": source, "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert other.stdout.strip() == corpus.digest


@pytest.mark.parametrize("name", ["rows.jsonl.xz", "rows.csv.bz2", "rows.parquet.zst", "rows.zip", "ROWS.JSON.XZ"])
def test_compression_other_than_gzip_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(lzma.compress(bytes(1 << 20)))
    with pytest.raises(InputError, match=r"is not read \(decompress it, or compress it as \.gz\)"):
        Corpus.read(tmp_path / name)
    with pytest.raises(InputError, match="is not read"):
        Corpus.read_texts(tmp_path / name)


def test_what_is_no_row_is_refused_at_once():
    with pytest.raises(InputError, match=r"made of Row objects, not of dict .*Corpus.from_records"):
        Corpus([{"candidate": "x"}])
    with pytest.raises(InputError, match="not of str"):
        Corpus(("", ""))
