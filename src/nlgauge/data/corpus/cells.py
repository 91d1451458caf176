"""Lists inside a cell of a table, written as JSON or as Python, pandas and numpy print them."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator

from nlgauge.data.corpus.json_cells import held_in, path_inside
from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.place import InputPlace, shown
from nlgauge.errors import InputError

_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
NUMBERED_REFERENCE = re.compile(r"references\.(0|[1-9][0-9]*)")
"""The name of a column that holds one more reference"""
_BETWEEN = re.compile(r"\s*,?\s*")
_LIKE_A_LIST = re.compile(
    r"""\[\s*(?:['"]|\[\s*['"]|\{\s*['"]|(?:nan|NaN|None|null|<NA>)\s*[,\]]|np\.str_\(|array\(\s*\[|[A-Z]\w*\(\w+=)"""
)
"""The beginnings of a printed list that a sentence hardly ever has"""
_REMEDY = (
    "write the list as JSON (json.dumps), or give each text a column: references.1, references.2, ...; a text that "
    'begins so is written as a list of one: ["..."]'
)


def listed(cell: str, field: str, place: InputPlace) -> object:
    """Return the list that a cell holds, or the cell itself where it holds a text.

    A list of texts may be written as JSON, as a Python list or tuple, or as a numpy array. A list of objects has to
    be JSON. A text that begins with a bracket, such as "[1] The room", stays a text.

    Args:
        cell: the text of the cell.
        field: the name of the field that the cell is read as, for errors.
        place: the file and the row of the cell, for errors.

    Returns:
        The list, or the text of the cell.

    Raises:
        InputError: the cell looks like a printed list and cannot be read as a list.
    """
    text = cell.strip()
    if text[:1] == "(":
        texts = _printed(text)
        return texts if texts and (len(texts) > 1 or text[:-1].rstrip().endswith(",")) else cell
    if text[:1] != "[":
        return cell
    if text.endswith("]"):
        try:
            value = parsed(text, InputPlace(None))
        except InputError:
            value = _printed(text)
        if isinstance(value, list) and (not value or any(isinstance(entry, str | dict) for entry in value)):
            return value
    if _LIKE_A_LIST.match(text) and (text.endswith("]") or _is_cut(text)):
        problem = f"{field} looks like a list that was printed into the cell, and cannot be read: {shown(text)}"
        raise place.error(problem, _REMEDY)
    return cell


_TEXTS = ("candidate", "references", "question")
"""The fields whose texts are plain: JSON in such a cell was written by a program, and is no text"""


def refuse_json(field: str, cell: str, column: str, place: InputPlace) -> None:
    """Raise InputError for JSON in a cell that is read as a text, because its braces and keys would be scored as words.

    Args:
        field: the field that the cell is read as.
        cell: the text of the cell.
        column: the name of the cell's column, for the remedy.
        place: the file and the row of the cell, for the error.
    """
    if field not in _TEXTS and not NUMBERED_REFERENCE.fullmatch(field):
        return
    if cell[:1] not in ("{", "[", " ", "\n") or (inside := path_inside(cell)) is None:
        return
    if field != "candidate" and isinstance(held_in(cell), list):
        return  # a list of references, or of turns
    kind = "an object" if cell.strip()[0] == "{" else "a list"
    pair = f"{field.partition('.')[0]}={column}.{inside}"
    remedy = f"name the text inside it: --map {shlex.quote(pair)}"
    raise place.error(f"the cell of {shown(column)} holds {kind} in JSON, not a text: {shown(cell)}", remedy)


def _printed(text: str) -> list[str] | None:
    """Return the texts of a list that Python or numpy printed; None where the list holds anything but texts."""
    inside = re.sub(r"np\.str_\(((?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))\)", r"\1", text, flags=re.DOTALL)
    strings = list(_strings(inside))
    if not strings or inside[strings[-1][1] :] != ("]" if text[0] == "[" else ")"):
        return None
    try:
        return [ast.literal_eval(string.replace("\r", "\\r").replace("\n", "\\n")) for string, _ in strings]
    except (ValueError, SyntaxError):
        return None


def _strings(text: str) -> Iterator[tuple[str, int]]:
    """Yield each quoted string after the first character, and the position where the next string may begin."""
    at = 1 + len(text[1:]) - len(text[1:].lstrip())
    while match := _STRING.match(text, at):
        gap = _BETWEEN.match(text, match.end())
        at = gap.end() if gap is not None else match.end()
        yield match.group(), at


def _is_cut(text: str) -> bool:
    """Return whether a list of quoted texts lacks its closing bracket, as when a spreadsheet cuts a long cell."""
    return bool(re.match(r"""\[\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*,\s*['"]""", text, re.DOTALL))
