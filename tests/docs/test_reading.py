"""How a page is read: its blocks, their marks, and the commands of a console."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sybil", reason="needs the dependency group test")

from tests.docs.blocks import Command, blocks_of, commands_of

PAGE = """# A page

```python
print(1)
```

```text
1
```

<!-- not run: it needs a GPU -->
```console
$ nlgauge list
```

Words.

```text
shown
```
"""


def test_blocks_have_marks_and_what_they_print(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    python, one, console, other = blocks_of(path)
    assert (python.language, python.source, python.mark) == ("python", "print(1)\n", None)
    assert python.printed is one.example.region
    assert console.mark == ("not run", "it needs a GPU")
    assert console.printed is None
    assert other.mark is None


def test_commands_have_the_output_below_them() -> None:
    assert commands_of("$ a \\\n  b\nout\n$ c\n") == [Command("a \\\n  b", "out\n"), Command("c", "")]


def test_output_without_a_command_is_refused() -> None:
    with pytest.raises(ValueError, match="without a command"):
        commands_of("out\n$ c\n")
