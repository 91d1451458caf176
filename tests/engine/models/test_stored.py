"""What lies in a safetensors file, and what others wrote, in an error."""

from __future__ import annotations

from nlgauge.engine.models.stored import Tensor, one_line, shown


def test_what_others_wrote_is_one_line_of_a_readable_length() -> None:
    assert shown("a\nb") == r"'a\nb'" and shown(10**5000) == "a int that is too long to print"
    assert len(shown("x" * 500)) == 80
    assert one_line(ValueError("a\n  b")) == "a b" and one_line(ValueError()) == "ValueError"
    assert one_line(FileNotFoundError(2, "No such file", "/a/b")) == "No such file"
    assert len(one_line("x" * 5000)) == 300
    assert Tensor("F32", (1,), 8, 4) == Tensor("F32", (1,), 8, 4)
