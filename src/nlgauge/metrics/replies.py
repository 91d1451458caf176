"""The grammar of a judge's replies, which finds the label of a reply and its place. All other texts have no label.

A reply has a label only in one of these forms:

1. The label alone, with Markdown, quotes, brackets, a fence, `Answer:` or a full stop around it. A label that is a
   number may also be written as `4.0`, or as `4/5` or `4 out of 5` if 5 is the greatest label.
2. Text whose last line has form 1, if no other line of form 1 names another label.
3. A first line of form 1 with text below it. Or a label that is a word, followed by a mark (`,` `.` `:` `;` `!` or a
   dash) and by text: `Yes, because ...`. In both cases the text must not withdraw the label.
4. A JSON object (or a Python dictionary) in which one field is the label. The object stands alone, after text, or
   before text on further lines.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

Numbers: TypeAlias = Mapping[str, float]
"""The number of each label; labels are in lower case"""

_FIELDS = ("answer", "verdict", "label", "score", "rating", "grade", "judgement", "judgment", "decision", "result")
_REASONS = frozenset(
    ("reason", "reasons", "reasoning", "explanation", "rationale", "analysis", "justification", "comment", "thought")
)
_PAIRS = (
    *(('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("„", "“"), ("«", "»"), ("(", ")"), ("[", "]"), ("【", "】")),
    *((f"<{name}>", f"</{name}>") for name in ("answer", "label", "verdict", "score", "rating", "b", "strong")),
    *(("\\boxed{", "}"), ("\\text{", "}"), ("\\(", "\\)"), ("$", "$")),
)
_MARKS = " \t*_`"
_HEAD = re.compile(r"(?:#{1,6}|>|\*|•)\s+")
_NOUNS = "answer|verdict|label|score|rating|grade|judge?ment|decision|result|conclusion|assessment|evaluation"
_PREFIX = re.compile(
    r"(?:(?:so|thus|therefore|hence)[,:]?\s+)?(?:(?:the|my)\s+)?"
    rf"(?P<final>final\s+|overall\s+)?(?:{_NOUNS})[*_`]*(?:\s+is\b\s*[:：]?|\s*[:：=])[*_`]*\s*",
    re.IGNORECASE,
)
_NUMBER = r"((?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9})?)"
_OF = rf"(?:/|out of)\s*[*_`]*{_NUMBER}"
_SHARE = re.compile(rf"{_NUMBER}(?:[*_`]*\s*(?:{_OF}|\({_OF}\)))?(?:\s+(?:stars?|points?))?", re.IGNORECASE)
_STOP = re.compile(r"[*_`\"'”’)\]]*(?:[.!,:;](?=\s|[*_`]|\Z)|\s+[-–]\s|\s*—)[*_`]*\s*")
_TAKEN_BACK = re.compile(
    r"\W*(?:but|if|except|unless|however|although|though|or|nearly|almost|partly|partially|mostly|rather|let|assuming|"
    r"provided|in part|to some extent|up to a point|with (?:one|an|some|a few)|(?P<less>only|not))\b"
    r"|(?:.*[.!?\n])?\W*(?:wait|actually|hmm|on second thoughts?|correction|scratch that)\b",
    re.IGNORECASE | re.DOTALL,
)
_SUBJECT = re.compile(
    r"(?:it|this|that|they|he|she|we|i|you|there|the|is|are|was|does|do|not|because|since|as|wait|sorry|actually|but|or|"
    r"and|so|it['’]s|that['’]s|i['’]m)",
    re.IGNORECASE,
)
"""Words after 'no' that show that it is an answer, and not a determiner as in 'no doubt'"""
_DENIES = re.compile(r"(?:\b(?:not|never|without|no|than)|n['’]t)[\s\"'“‘]+(?:an?\s+)?\Z", re.IGNORECASE)
_OPEN_ENDED = re.compile(
    r"(?:n['’]t|\b(?:not|never|neither|nor|no|cannot|say|says|said|with|as|or|and|than|of|the|an?|to|be|word|answer|"
    r"instead|from|like|between))[\s\"'“‘(]*\Z",
    re.IGNORECASE,
)
_ABSTAINS = re.compile(
    r"\b(?:can(?:no|['’])t|cannot|could not|couldn['’]t|unable to|not able to|impossible to|not possible to|"
    r"no way to)\s+"
    r"(?:\w+ly\s+)?(?:tell|say|determine|decide|judge|answer|assess|know|verify|evaluate|rate|score)\b"
    r"|\bno idea\b|\b(?:do not|don['’]t) know\b|\bnot sure\b|\bunsure\b|\bunclear\b|\bundecided\b|\bnot enough\b"
    r"|\binsufficient\b|:\s*(?:null|None)\b|\babstain|\A\W*(?:n/?a|null|none|unknown|idk)\W*\Z",
    re.IGNORECASE,
)
_LONGEST_LINE = 300
_LONGEST_REST = 2_000
_LONGEST_JSON = 20_000
_SAID = 4_000


class Labelled(NamedTuple):
    """The label that a reply names."""

    label: str
    place: int | None
    """The index of the character at which the label begins in the reply; None if the reply has another word for it,
    such as true for yes"""
    said: str = ""
    """The other text of the reply, which is the reason of the judge"""


class _Line(NamedTuple):
    label: str
    place: int
    strength: int
    """How clearly the line gives the final answer: 0 for the label alone, 1 after `Answer:`, 2 after `Final answer:`"""


def label_of(reply: str, labels: Numbers) -> Labelled | None:
    """Return the label that a reply names; None if the reply has none of the forms of the grammar.

    Args:
        reply: the final answer, without thoughts.
        labels: the number of each label.

    Returns:
        The label with its place and the judge's reason, or None.
    """
    place = _object_in(reply)
    label = _of_lines(reply, labels) if place is None else _of_json(reply, *place, labels)
    return label if label is None else label._replace(said=label.said.strip()[:_SAID])


def labels_in(reply: str, labels: Numbers, names: Sequence[str]) -> dict[str, Labelled] | None:
    """Return the label of each question in the JSON object of a reply; None if the reply has no such object.

    Args:
        reply: the final answer, without thoughts.
        labels: the number of each label.
        names: the names of the questions, which are fields of the object.

    Returns:
        The labels by the name of the question, or None. A question without a label is left out.
    """
    place = _object_in(reply)
    if place is None:
        return None
    record, begin, end = place
    if re.sub(r"\A\s*```", "", reply[end:]).strip(" \t\r\n`."):
        return None
    said = "\n".join(str(value) for name, value in record.items() if name.casefold() in _REASONS and value)[:_SAID]
    values = {name: _value(record[name], labels) for name in names if name in record}
    return {
        name: Labelled(label, _value_place(reply, begin, end, field=name, label=label), said)
        for name, label in values.items()
        if label is not None
    }


def abstains(reply: str) -> bool:
    """Return whether a reply without a label says that the judge cannot answer."""
    return bool(_ABSTAINS.search(reply))


def _of_lines(reply: str, labels: Numbers) -> Labelled | None:
    lines = list(_lines(reply))
    if not lines:
        return None
    named = [_label_line(reply, begin, end, labels) for begin, end in lines]
    last, first = named[-1], named[0]
    if last is not None and not _left_open(reply, lines):
        rivals = [line for line in named[:-1] if line is not None and line.strength >= last.strength]
        if last.strength == 0 and first is None and (led := _led_by(reply, *lines[0], labels)):
            rivals.append(led[0])
        if all(line.label == last.label for line in rivals):
            return Labelled(last.label, last.place, reply[: lines[-1][0]])
        return None
    if last is not None:
        return None
    rest = lines[0][1]
    if first is None:
        led = _led_by(reply, *lines[0], labels)
        if led is None:
            return None
        first, rest = led
    said = reply[rest:]
    others = {line.label for line in named if line is not None} - {first.label}
    taken_back = _TAKEN_BACK.match(said[:_LONGEST_REST])
    if taken_back and first.label == "no" and taken_back["less"]:  # no, not all of it
        taken_back = None
    if others or taken_back or _names_another(said, first.label, labels):
        return None
    return Labelled(first.label, first.place, said)


def _lines(reply: str) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each line, as indices of characters.

    Lines are left out that have only marks, fences or tags. Of a fence on one line, the content counts.
    """
    place = 0
    for line in reply.splitlines(keepends=True):
        bare = line.strip(_MARKS + "\r\n#>-")
        if bare and not line.lstrip().startswith("```") and not re.fullmatch(r"\s*</?[a-z]+>\s*", line):
            yield place, place + len(line)
        elif inline := re.match(r"\s*```+([^`\n]+)```+\s*\Z", line):
            yield place + inline.start(1), place + inline.end(1)
        place += len(line)


def _left_open(reply: str, lines: Sequence[tuple[int, int]]) -> bool:
    """Return whether the last line goes on with the sentence of the line before, as "yes" does after "I cannot say"."""
    return len(lines) > 1 and bool(_OPEN_ENDED.search(reply[lines[-2][0] : lines[-2][1]][-80:]))


def _label_line(text: str, begin: int, end: int, labels: Numbers) -> _Line | None:
    """Return the label that is the whole of a line, apart from marks and words such as `Answer:`; else None."""
    strength, stopped = 0, False
    if end - begin > _LONGEST_LINE:
        return None
    while begin < end:
        while begin < end and text[begin].isspace():
            begin += 1
        while begin < end and text[end - 1].isspace():
            end -= 1
        if (label := _same(text[begin:end], labels)) is not None:
            return _Line(label, begin, strength)
        line = text[begin:end]
        if head := _HEAD.match(line):
            begin += head.end()
        elif strength == 0 and (prefix := _PREFIX.match(line)):
            begin, strength = begin + prefix.end(), 2 if prefix["final"] else 1
        elif pair := next((pair for pair in _PAIRS if _within(line, *pair)), None):
            begin, end = begin + len(pair[0]), end - len(pair[1])
        elif line[-1] in ".!" and not stopped:
            end, stopped = end - 1, True
        elif line[0] in _MARKS or line[-1] in _MARKS:
            begin += len(line) - len(line.lstrip(_MARKS))
            end -= len(line) - len(line.rstrip(_MARKS))
        else:
            return None
    return None


def _within(line: str, opening: str, closing: str) -> bool:
    longer = len(line) > len(opening) + len(closing)
    return longer and line.casefold().startswith(opening) and line.casefold().endswith(closing)


def _same(text: str, labels: Numbers) -> str | None:
    """Return the label that equals a text, or whose number the text writes; None for other texts."""
    key = " ".join(text.casefold().split())
    if key in labels:
        return key
    number = _SHARE.fullmatch(text)
    if number is None:
        return None
    numeric = {float(label): label for label in labels if re.fullmatch(_NUMBER, label)}
    end = number[2] or number[3]
    if end is not None and (not numeric or float(end) != max(numeric)):
        return None
    return numeric.get(float(number[1]))


def _led_by(text: str, begin: int, end: int, labels: Numbers) -> tuple[_Line, int] | None:
    """Return the label at the beginning of a line, if a mark separates it from the rest, and where the rest begins.

    Only labels that are words of two and more letters count: a number or a letter may count the items of a list.
    """
    line = text[begin:end]
    place = len(line) - len(line.lstrip(_MARKS + "\"'“‘(["))
    prefix = _PREFIX.match(line, place)
    if prefix:
        place = len(line) - len(line[prefix.end() :].lstrip(_MARKS + "\"'“‘(["))
    words = [label for label in labels if len(label) > 1 and label[0].isalpha()]
    for label in sorted(words, key=len, reverse=True):
        if line[place : place + len(label)].casefold() != label:
            continue
        stop = _STOP.match(line, place + len(label))
        if stop is None:
            continue
        if label == "no" and "." in stop[0] and line[stop.end() : stop.end() + 1].isdigit():  # No. 5
            continue
        return _Line(label, begin + place, 1 if prefix else 0), begin + stop.end()
    return None


def _names_another(said: str, label: str, labels: Numbers) -> bool:
    """Return whether the text after a label begins or ends with another label.

    The 'no' of 'no doubt' and the 'yes' of 'not yes' are no labels.

    Args:
        said: the text after the label.
        label: the label.
        labels: the number of each label.
    """
    others = "|".join(re.escape(other) for other in sorted(labels, key=len, reverse=True) if other != label)
    if not others:
        return False
    said = said.strip()
    begins = re.match(rf"\W*({others})(?!\w)(\s+\w[\w'’]*)?", said[:_LONGEST_LINE], re.IGNORECASE)
    if begins and not (begins[1].casefold() == "no" and begins[2] and not _SUBJECT.fullmatch(begins[2].strip())):
        return True
    ends = re.search(rf"(?<!\w)(?:{others})\W*\Z", said[-_LONGEST_LINE:], re.IGNORECASE)
    return ends is not None and not _DENIES.search(said[-_LONGEST_LINE:][: ends.start()])


def _object_in(reply: str) -> tuple[Mapping[str, Any], int, int] | None:
    """Return the first JSON object of a reply, its begin and its end.

    The result is None if there is no object, or if it is within a sentence.
    """
    begin = reply.find("{")
    before = reply[: max(begin, 0)].rstrip()
    if begin < 0 or not (not before or before[-1] in ":.!?>`" or "\n" in reply[len(before) : begin]):
        return None
    record, end = _object(reply, begin)
    return None if record is None else (record, begin, end)


def _of_json(reply: str, record: Mapping[str, Any], begin: int, end: int, labels: Numbers) -> Labelled | None:
    before = re.sub(r"```\w*", "", reply[:begin]).strip()
    behind = re.sub(r"\A\s*(?:```|</\w+>)", "", reply[end:])
    rest = behind.strip(" \t\r\n`.")
    if rest and (before or "{" in rest or not re.match(r"[ \t]*[\r\n]", behind)):
        return None
    named = _field(record, labels)
    if named is None:
        return None
    field, label, said = named
    outside = [_of_lines(text, labels) for text in (before, rest)]
    if any(other is not None and other.label != label for other in outside):
        return None
    said = "\n".join(text for text in (said, before, rest) if text)
    return Labelled(label, _value_place(reply, begin, end, field=field, label=label), said)


def _object(text: str, begin: int) -> tuple[Mapping[str, Any] | None, int]:
    """Return the object that begins at a brace, and where it ends; None for text that is none, or has a name twice."""
    try:
        record, end = json.JSONDecoder(object_pairs_hook=_distinct, strict=False).raw_decode(text, begin)
        return record, end
    except (ValueError, RecursionError):
        end = text.rfind("}") + 1
    if not begin < end <= begin + _LONGEST_JSON:
        return None, begin
    try:
        tree = ast.parse(text[begin:end], mode="eval").body
        if not isinstance(tree, ast.Dict) or len(tree.keys) > 50:
            return None, begin
        pairs = [ast.literal_eval(pair) for pair in map(_pair, tree.keys, tree.values)]
        return _distinct(pairs), end
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None, begin


def _pair(name: ast.expr | None, value: ast.expr) -> ast.Tuple:
    if name is None:
        raise ValueError("another dictionary is unpacked")
    return ast.Tuple([name, value], ast.Load())


def _distinct(pairs: Sequence[tuple[Any, Any]]) -> Mapping[str, Any]:
    record = {str(name): value for name, value in pairs}
    if len(record) != len(pairs):
        raise ValueError("a name is there twice")
    return record


def _field(record: Mapping[str, Any], labels: Numbers) -> tuple[str, str, str] | None:
    """Return the field with the label, the label, and the text of the field with the reason; None without a label."""
    folded = {name: name.strip().casefold().replace(" ", "_") for name in record}
    named = [name for field in _FIELDS for name in record if folded[name] == field]
    others = [name for name in record if folded[name] not in _REASONS]
    values = [(name, _value(record[name], labels)) for name in (named or (others if len(others) == 1 else []))]
    labelled = [(name, label) for name, label in values if label is not None]
    if not labelled or len({label for _, label in labelled}) > 1:
        return None
    said = "\n".join(str(value) for name, value in record.items() if folded[name] in _REASONS and value)
    return *labelled[0], said


def _value(value: object, labels: Numbers) -> str | None:
    if isinstance(value, bool):
        word, written = ("yes" if value else "no"), str(value).lower()
        return written if written in labels else word if {"yes", "no"} <= labels.keys() else None
    if isinstance(value, int | float):
        if not math.isfinite(value):
            return None
        exact = int(value) if float(value).is_integer() else value
        return _same(str(exact), labels)
    if isinstance(value, str) and value.strip():
        line = _label_line(value, 0, len(value), labels)
        return None if line is None else line.label
    return None


def _value_place(text: str, begin: int, end: int, *, field: str, label: str) -> int | None:
    """Return the index of the character at which a label begins that is the value of a field of an object.

    The result is None if the field has another word for the label, such as true for yes.

    Args:
        text: the text that holds the object.
        begin: the index at which the object begins.
        end: the index at which the object ends.
        field: the name of the field.
        label: the label, in lower case.
    """
    for match in re.finditer(rf"[\"']{re.escape(field)}[\"']\s*:\s*[\"']?\s*", text[begin:end]):
        if text[begin + match.end() :].casefold().startswith(label):
            return begin + match.end()
    return None
