"""Labelled rows: what is read of them, and what is refused."""

import gzip
import json
import lzma

import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training.labelled import labelled_files, read_labelled


def write(path, *records):
    text = "".join(json.dumps(record) + "\n" for record in records)
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opened(path, "wt", encoding="utf-8") as file:
        file.write(text)
    return path


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"candidate": "c", "supported": True}, "source"),
        ({"source": "s", "candidate": "c"}, "supported"),
        ({"source": "s", "candidate": "c", "spans": [[0, 9]]}, "not in the candidate"),
        ({"source": "s", "candidate": "c", "spans": [[0]]}, "unpack"),
        ({"source": 3, "candidate": "c", "supported": True}, "texts"),
        ({"source": "s", "candidate": "c", "supported": "yes"}, "true or false"),
        (["s", "c"], "no JSON object"),
    ],
)
def test_what_is_no_labelled_row_is_refused_by_its_number(tmp_path, record, reason):
    path = write(tmp_path / "a.jsonl", {"source": "s", "candidate": "c", "supported": True}, record)
    with pytest.raises(InputError, match=reason) as caught:
        list(read_labelled(path))
    assert "row 2" in str(caught.value)


def test_files_that_cannot_be_read_or_found_are_refused(tmp_path):
    (tmp_path / "a.jsonl.xz").write_bytes(b"no archive")
    (tmp_path / "b.jsonl").write_text("{", encoding="utf-8")
    for name in ("a.jsonl.xz", "b.jsonl", "absent.jsonl"):
        with pytest.raises(InputError, match="cannot be read"):
            list(read_labelled(tmp_path / name))
    assert [path.name for path in labelled_files(tmp_path, "a*")] == ["a.jsonl.xz"]
    with pytest.raises(InputError, match="no labelled rows"):
        labelled_files(tmp_path, "c*")
