r"""The claims of an answer: its text without greetings, links and markup.

These are removed: links, citation marks ([1], [doc-2], [^1^], (source: returns.pdf)), Markdown and HTML, marks of
lists, greetings, closing phrases, questions to the reader, and sentences that repeat an earlier sentence. Sentences
that say that something is not in the source are listed apart (`nlgauge.faithfulness.refusals`). A quantity that the
source has in another form (9 p.m. for 21:00) gets the form of the source. Every character of the result has its place
in the original text.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nlgauge.faithfulness.addresses import WEB, Link, made_up
from nlgauge.faithfulness.derived import facts
from nlgauge.faithfulness.forms import Forms, forms_of, in_their_form
from nlgauge.faithfulness.layout import (
    BEFORE_RECORDS,
    EMPTY,
    LAYOUT,
    LEAD,
    POLITE,
    REASONS,
    SHORT,
    SPECIAL,
    Edited,
    Piece,
)
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.no_answers import failed_as
from nlgauge.faithfulness.quantities import (
    conversions,
    quantities,
)
from nlgauge.faithfulness.record_claims import Told, record_claims
from nlgauge.faithfulness.refusals import Refusal, refusals
from nlgauge.faithfulness.statements import statement
from nlgauge.maths.text import sentence_ends, sentence_spans, words

_YES_NO = re.compile(
    r"\W*(yes|yep|yeah|sure|certainly(?! not)|absolutely(?! not)|of course(?! not)|indeed|no|nope|not at all"
    r"|certainly not"
    r"|absolutely not|of course not)(?:,? (?:(?:it|they|you|we|he|she|there|that|this|i) (?:is|are|was|were|do|does|did"
    r"|has|have|had"
    r"|can|could|may|must|should|will|would)|that['’]s right|it['’]s not))?(?: ?not|n?['’]t)?\W*",
    re.IGNORECASE,
)
_BEFORE_SMALL = re.compile(r"""(?<!\S)(\S*?)[.!?]["')\]”’»]*\s+(?=[a-z])""")
"""A word, and a mark after it that may end a sentence before a small letter"""
_SHORTENED = frozenset(
    {
        *("al", "approx", "ca", "cf", "co", "corp", "dept", "dr", "etc", "fig", "inc", "incl", "jr", "lt", "ltd"),
        *("max", "min", "mr", "mrs", "ms", "no", "nr", "pp", "sr", "st", "tbsp", "tsp", "vs"),
    }
)
_ASKS = re.compile(
    r"(?:do|does|did|can|could|would|will|shall|should|may|is|are|have|has) (?:you|i|we|it|there|that|this|they)\b"
)
"""The beginning of a question, which no abbreviation goes on with: it opens at 9 p.m. do you need more?"""
_TRUTH = "True|False|true|false"
_SWITCH = re.compile(rf"(?<!\w)(?P<key>[A-Za-z_]\w*)\s?=\s?(?P<value>{_TRUTH})\b")
_CALLED = re.compile(r"\w\((?:[^()]*,\s?)?$")
_KEY_LENGTH = 60
_KEY = re.compile(r"([A-Za-z_][\w-]*)[\"']?\s?[=:]\s?$")
"""The name of a parameter before its value"""


class Given(NamedTuple):
    """A part of an answer that follows from the source by a calculation or by a key of a record."""

    begin: int
    end: int
    why: str
    """The reason, with the words of the source from which the part follows"""


@dataclass(frozen=True)
class Claims:
    """The claims of an answer, with the place of each character in the original answer."""

    text: str
    """The claims as one text; empty if the answer claims nothing"""
    begins: Sequence[int]
    """[characters]: where each character of `text` begins in the original answer"""
    ends: Sequence[int]
    """[characters]: where each character of `text` ends in the original answer"""
    refusals: Sequence[Refusal]
    """The clauses that say that something is not in the source, with places in the original answer"""
    links: Sequence[Link] = ()
    """The addresses that the source does not have, with places in the original answer"""
    given: Sequence[Given] = ()
    """The parts that follow from the source by a calculation or a key, with places in the original answer"""
    doubts: Sequence[Link] = ()
    """Values and names that may differ from those of the source, with places in the original answer"""
    failed: str = ""
    """Why the text is no answer, such as the message of a program; empty for an answer"""

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Return begin and end in the original answer of the characters [begin, end) of `text`; (0, 0) for none."""
        return (self.begins[begin], self.ends[end - 1]) if end > begin else (0, 0)

    def near(self, begin: int, end: int) -> tuple[int, int]:
        """Return begin and end in `text` of the characters [begin, end) of the original answer, or the nearest ones."""
        first, last = (min(bisect_left(self.begins, at), max(len(self.text) - 1, 0)) for at in (begin, end - 1))
        return first, max(last, first + 1)


def claims(text: str, forms: Forms | None = None, question: str = "") -> Claims:
    """Return the claims of an answer.

    Args:
        text: an answer, in any layout.
        forms: the quantities of its source (`forms_of`). A quantity of the answer that equals one of the source gets
            the form of the source. None without a source.
        question: the question that the text answers. An answer that is "Yes" or "No" alone becomes the statement that
            it makes in reply to this question.

    Returns:
        The claims with the place of each character in the original text, and the refusals. If the text is no answer,
        `failed` says why.
    """
    forms = forms_of(()) if forms is None else forms
    edited = Edited(text)
    for pattern, group in LAYOUT[:BEFORE_RECORDS]:
        edited.sub(pattern, group)
    whole = edited.text.strip()
    told = _records(edited.text, forms) if "\n" in whole or whole[:1] in ("{", "[", "<") else []
    follows = [
        Given(*edited.place(record.begin, record.end), record.sentence.strip()) for record in told if record.given
    ]
    doubts = [Link(*edited.place(record.begin, record.end), record.reason, False) for record in told if record.reason]
    edited.apply([Piece(record.begin, record.end, record.sentence) for record in told])
    for pattern, group in LAYOUT[BEFORE_RECORDS:]:
        edited.sub(pattern, group)
    edited.sub(EMPTY)
    failed = failed_as(edited.text.strip(), forms.texts, question)
    if not words(edited.text):
        failed = "it has nothing but marks of a program" if SPECIAL.search(text) is not None else failed
        failed = "it has nothing but a model's reasoning" if REASONS.search(text) is not None else failed
    if failed:
        return Claims(text="", begins=(), ends=(), refusals=(), failed=failed)
    set_apart = _sentences_apart(edited, forms.texts, question)
    if "(" in edited.text:
        edited.apply(
            [_behind(edited.text, measure, other) for measure, other, right in conversions(edited.text) if right]
        )
    if question:
        edited.apply(_asked_for(edited.text, forms.texts, question))
    derived = _derived(edited.text, forms.texts, question)
    follows += [Given(*edited.place(piece.begin, piece.end), why) for piece, why in derived]
    edited.apply([piece for piece, _ in derived])
    edited.apply(in_their_form(edited.text, forms))
    spelled = list(forms.spellings.of(edited.text))
    doubts += [
        Link(
            *edited.place(name.begin, name.end),
            f"{edited.text[name.begin : name.end]}: the source has {name.theirs}",
            False,
        )
        for name in spelled
        if name.slip
    ]
    edited.apply([Piece(name.begin, name.end, name.theirs) for name in spelled])
    edited.sub(EMPTY)
    edited.finish()
    # Arrays, because a run holds the claims of all rows that it is going to score.
    return Claims(
        text=edited.text,
        begins=array("i", edited.begins),
        ends=array("i", edited.ends),
        refusals=tuple(set_apart),
        links=made_up(text, forms.texts) if forms.texts and WEB.search(text) is not None else (),
        given=follows,
        doubts=doubts,
    )


def _sentences_apart(edited: Edited, others: Sequence[str], question: str) -> list[Refusal]:
    """Remove politeness, questions, repetitions and words that introduce a claim from a text, and return its refusals.

    Args:
        edited: the text, which is changed.
        others: the texts of the source.
        question: the question that the text answers. "Yes" and "No" alone become a statement that answers it.

    Returns:
        The refusals, with their places in the original text.
    """
    set_apart: list[Refusal] = []
    seen: set[tuple[str, ...]] = set()
    pieces: list[Piece] = []
    whole = edited.text
    spans = sentence_spans(whole)
    if _BEFORE_SMALL.search(whole) is not None:
        spans = [part for span in spans for part in _parted(whole, *span, question)]
    for begin, end in spans:
        first = begin
        while (lead := LEAD.match(whole, begin, end)) is not None and lead.end() > begin:
            pieces.append(Piece(begin, lead.end(), ""))
            begin = lead.end()
        sentence = whole[begin:end]
        name = tuple(words(sentence))
        if (
            not name
            or name in seen
            or (len(sentence) < SHORT and POLITE.fullmatch(sentence))
            or (sentence.rstrip().endswith("?") and not _is_quoted(sentence))
        ):
            pieces.append(Piece(begin, end, ""))
            continue
        seen.add(name)
        refused = refusals(sentence, question)
        if refused and facts(tuple(others)).of(sentence, question) is not None:
            refused = []  # a record has it: "the plan has no support"
        for refusal in refused:
            first_of_it, last = begin + refusal.begin, begin + refusal.end
            place = edited.place(first_of_it, last)
            set_apart.append(refusal._replace(begin=place[0], end=place[1]))
            pieces.append(Piece(first_of_it, last, ""))
        if not refused and first < begin and whole[begin].islower():  # the sentence begins here now
            pieces.append(Piece(begin, begin + 1, whole[begin].upper()))
        elif not refused and (match := _YES_NO.fullmatch(whole, begin, end)) is not None:
            pieces.append(Piece(begin, end, statement(question, not re.search("no", match[1].lower()))))
    edited.apply(pieces)
    return set_apart


def _parted(text: str, begin: int, end: int, question: str) -> list[tuple[int, int]]:
    """Return the parts of a sentence that is left out, if a claim before or behind may be left out with it.

    For `sentence_spans`, "it opens at nine. do you need more?" is one sentence, because no capital letter begins the
    question. Its end makes it a question, but its beginning is a claim, and beside a refusal likewise. Other sentences
    are not parted: when all in small letters were, the probabilities separated the labels of BEGIN and of audited
    dialogue worse.

    Args:
        text: the text.
        begin: where the sentence begins, in characters of the text.
        end: where the sentence ends.
        question: the question that the text answers.

    Returns:
        Begin and end of each part. Together the parts are the sentence.
    """
    sentence = text[begin:end]
    marks = list(_BEFORE_SMALL.finditer(text, begin, end))
    if not (marks and (sentence.rstrip().endswith("?") or refusals(sentence, question))):
        return [(begin, end)]
    is_small = sentence.lstrip()[:1].islower()
    parts: list[tuple[int, int]] = []
    for mark in marks:
        ends = is_small and (not _is_shortened(mark[1]) or _ASKS.match(text, mark.end()) is not None)
        if ends or not mark[1]:  # no word, as in "at nine . do you need more ?"
            parts.append((begin, mark.end()))
            begin = mark.end()
    return [*parts, (begin, end)]


def _is_shortened(word: str) -> bool:
    """Return whether a full stop after a word may belong to the word, as after "e.g" and "approx"."""
    bare = word.strip("()[]\"'“”‘’").lower()
    return bare in _SHORTENED or (not bare[-1:].isdigit() and (len(bare) < 2 or "." in bare))


def _is_quoted(sentence: str) -> bool:
    """Return whether a sentence quotes the question at its end, in a quotation that the sentence does not close."""
    sign = "“" if "“" in sentence else '"'
    before, _, quoted = sentence.rpartition(sign)
    is_open = "”" not in quoted if sign == "“" else sentence.count(sign) % 2 == 1
    return is_open and before[-1:].isspace() and bool(words(before)) and bool(words(quoted))


def claim_ends(text: str) -> list[int]:
    """Return where the claims of a text end. A claim is a sentence; after a colon it goes on in the next sentence.

    Args:
        text: the claims of an answer (`Claims.text`), or the part of an answer that is written so far.

    Returns:
        Indexes of characters, ascending, without the end of the last claim.
    """
    return [end for end in sentence_ends(text) if not text[:end].rstrip().endswith(":")]


def _behind(text: str, measure: Quantity, other: Quantity) -> Piece:
    """Return the change that removes a conversion in brackets, such as "(26 miles)" after "42 km".

    The conversion follows from the measure before it, and so it is no claim of its own.

    Args:
        text: the text.
        measure: the measure before the brackets.
        other: the measure in brackets.
    """
    return Piece(measure.end, text.index(")", other.end) + 1, "")


def _records(text: str, forms: Forms) -> list[Told]:
    """Return sentences for the parts of a text that are records, with numbers as the source writes them."""
    written: dict[float, str] = {}
    for quantity, form in zip(forms.equal.of, forms.written, strict=True):
        written.setdefault(quantity.written, form)
    return record_claims(text, written, forms.texts)


def _asked_for(text: str, others: Sequence[str], question: str) -> list[Piece]:
    """Return changes that put the values of the source in place of values that the question asked for.

    If the question asks for a time limit of 30, the answer may have "timeout=30" where the source has "timeout=10". The
    change writes 10, so that this value is no difference from the source.

    Args:
        text: the answer.
        others: the texts of the source.
        question: the question.
    """
    asked = quantities(question)
    pieces = list(_set(text, others, question))
    for quantity in quantities(text) if asked else ():
        key = _KEY.search(text[max(0, quantity.begin - _KEY_LENGTH) : quantity.begin])
        if key is None or not any(quantity.written == other.written for other in asked):
            continue
        there = re.compile(rf"(?<!\w){re.escape(key[1])}[\"']?\s?[=:]\s?(-?\d[\d.]*)")
        set_there = next((match for other in others if (match := there.search(other)) is not None), None)
        if set_there is not None:
            pieces.append(Piece(quantity.begin, quantity.end, set_there[1].rstrip(".")))
    return sorted(pieces)


def _set(text: str, others: Sequence[str], question: str) -> Iterator[Piece]:
    """Yield the changes of `_asked_for` for True and False: keep_ratio=False gets the value that the source has.

    The question must name a word of the key, such as "ratio".
    """
    asked = set(words(question))
    for match in _SWITCH.finditer(text) if asked else ():
        if not _CALLED.search(text[max(0, match.start() - _KEY_LENGTH) : match.start()]):
            continue  # a condition, and no argument of a call
        there = re.compile(rf"(?<!\w){re.escape(match['key'])}\s?=\s?({_TRUTH})\b")
        set_there = next((other_match for other in others if (other_match := there.search(other)) is not None), None)
        if set_there is not None and asked & {word.lower() for word in match["key"].split("_") if len(word) > 2}:
            yield Piece(*match.span("value"), set_there[1])


def _derived(text: str, others: Sequence[str], question: str) -> list[tuple[Piece, str]]:
    """Return a change for each sentence that follows from the source, with the reason why it follows.

    The change replaces the sentence by the words of the source from which it follows.
    """
    known_facts = facts(tuple(others))
    readings = ((begin, end, known_facts.of(text[begin:end], question)) for begin, end in sentence_spans(text))
    changes = []
    for begin, end, derived in readings:
        if derived is not None and derived.follows:
            read = derived.words if derived.words[-1:] in ".!?" else f"{derived.words}."
            changes.append((Piece(begin, begin + len(text[begin:end].rstrip()), read), derived.reason))
    return changes
