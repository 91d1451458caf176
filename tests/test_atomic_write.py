from pathlib import Path

import pytest

from nlgauge.atomic_write import atomic_write
from nlgauge.errors import InputError


def test_a_file_takes_its_name_when_all_is_written(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")
    with atomic_write(place) as file:
        file.write("é\n")
        assert place.read_text() == "old"
    assert place.read_bytes() == "é\n".encode() and list(tmp_path.iterdir()) == [place]


def test_what_breaks_off_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")
    with pytest.raises(ValueError, match="halfway"), atomic_write(place) as file:
        file.write("new")
        raise ValueError("halfway")
    assert place.read_text() == "old" and list(tmp_path.iterdir()) == [place]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="cannot be written") as failure,
        atomic_write(tmp_path / "no" / "a.txt") as file,
    ):
        file.write("")
    assert "choose another place" in str(failure.value)
