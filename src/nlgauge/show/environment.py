"""HTML from templates: every value is escaped, and data are written as JSON that cannot end its HTML element."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge.show.numbers import HUGE, fixed

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

HERE = Path(__file__).parent
# A browser leaves most control characters out, or puts one sign for all of them: they are shown by their pictures.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}


_TURNING = "\u202a-\u202e\u2066-\u2069"


def shown(text: object) -> str:
    """Return a text with visible signs for the characters that a page cannot show. Its length stays the same.

    Args:
        text: a text, or a value that is converted by `str`.

    Returns:
        The text. A control character becomes its picture. A half character (surrogate) becomes U+FFFD, and so does a
        character that reverses the direction of writing.
    """
    return re.sub(rf"[\x80-\x9f\ud800-\udfff{_TURNING}]", "\ufffd", str(text).translate(_PICTURES))


def render(template: str, *folders: Path, **facts: Any) -> str:
    """Return the text of a template filled with `facts`. The template is in this package's folder or in `folders`."""
    return environment(*folders).get_template(template).render(**facts)


@cache
def environment(*folders: Path) -> Environment:
    """Return the environment of Jinja that reads templates. A name without a value raises an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([HERE / "templates", *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown(value) if type(value) is str else value,
    )
    made.filters.update(json=data, number=number, count="{:,}".format, p=p_value, places=places)
    return made


def data(value: object) -> Markup:
    """Return a value as JSON that is safe inside <script>, whatever it holds.

    Inside a script only "<" can begin a tag or a comment. It is written as an escape, and so are the characters that
    reverse the direction of writing, which could mislead a reader of the file. No other character is escaped, because
    a page holds much JSON and an escape is long.

    Args:
        value: dicts, lists, texts and finite numbers.

    Returns:
        The JSON.
    """
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return Markup(re.sub(f"[{_TURNING}]", lambda sign: f"\\u{ord(sign.group()):04x}", text))


def inlined(*files: Path) -> Markup:
    """Return the joined content of files of this package, which a template inserts without escapes."""
    from markupsafe import Markup

    return Markup("\n".join(file.read_text(encoding="utf-8") for file in files))


def digest(script: str) -> str:
    """Return the entry of a script in a content security policy, by which a page runs this script and no other.

    Args:
        script: the source of the script.

    Returns:
        "sha256-" and the digest of the script in base 64.
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def number(value: float | None, digits: int = 4) -> str:
    """Return a number as pages show it; a dash for None and NaN."""
    if value is None or value != value:
        return "–"
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "−∞"
    size = abs(value)
    if size < 10 or size >= HUGE:
        return fixed(value, digits).replace("-", "−")
    return f"{value:,.{0 if size >= 1000 else 1 if size >= 100 else 2}f}".replace("-", "−")


def places(values: Sequence[float], low: float, high: float, margin: float = 4) -> list[float]:
    """Return the positions of numbers on a bar that stands for the range from low to high.

    Args:
        values: the numbers.
        low: the lower end of the range.
        high: the upper end of the range.
        margin: the parts of the bar before the lower and after the upper end, each in per cent of its width.

    Returns:
        The positions, in per cent of the bar's width; -1 for NaN or infinity.
    """
    room = 100 - 2 * margin
    return [round(margin + room * (v - low) / (high - low), 2) if math.isfinite(v) else -1.0 for v in values]


def p_value(value: float | None) -> str:
    """Return a p-value as pages show it; a dash for None and NaN."""
    if value is None or value != value:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def small(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Return HTML of a small table with a head. The first cell of each row names the row."""
    return render("small.html", caption=caption, head=head, rows=rows, notes=notes, style=inlined(HERE / "parts.css"))
