r"""What an answer claims: the text without what people and programs put around a claim.

Taken off are links, citation marks ([1], [doc-2], [^1^], (source: returns.pdf)), Markdown and HTML, marks of lists,
greetings, closing phrases, questions to the reader and sentences that repeat an earlier one. Sentences that say
that something is not in the source are set apart (`nlgauge.faithfulness.refusals`). A quantity that a source has in
another form (9 p.m. for 21:00) gets the source's form. Every character of the result has its place in the original
text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from nlgauge.faithfulness.quantities import IDENTIFIERS, Quantity, quantities, same
from nlgauge.faithfulness.refusals import Refusal, refusals
from nlgauge.maths.text import sentence_ends, words

_FILE = r"[\w ./-]*\w\.(?:pdf|md|html?|docx?|txt|csv|json|xlsx?|pptx?|ya?ml|eml|log)\b[^\])\n]{0,40}"
_SOURCE = (
    r"(?:source|src|document|doc|passage|reference|ref|page|pp?\.|chunk|context|footnote|note|id|section"
    r"|sec\.|s)"
)
_MARK = rf"(?:{_SOURCE}[\s_.:#-]*)?(?:\^?\d+[a-z]?\^?(?:†[^\]】]*|:\d+[^\]】]*)?)"
_MARKS = rf"{_MARK}(?:\s?(?:[,;&–-]|and)\s?{_MARK})*"
_LINKED = r"(?:source|link|here|read more|more|details|see|ref(?:erence)?|website|page|[^\w\n]{0,5}\d+[^\w\n]{0,5})"
_URL = r"(?:https?://|www\.)(?:[^\s<>()\[\]]|\([^\s<>()]*\))*(?:[^\s<>()\[\].,;:!?'\"]|\([^\s<>()]*\))"
_NOT_A_LIST = r"(?<![:=])(?<![:=] )(?<!\bin )(?<!\bto )(?<!\bis )(?<!range )(?<!between )(?<!interval )(?<!array )"
_GROUP = "group"
_LAYOUT: Sequence[tuple[str, str]] = (
    (r"(?m)^[ \t]*\[\^?[\w-]+\]:\s*\S.*$", ""),  # definitions of links and notes
    (
        r"(?im)^[^\w\n]{0,9}(?:sources?|references|citations?)[^\w\n]{0,5}:[ \t]*(?:\n[ \t]*(?:[-*•]|\d+[.)]"
        r"|\[\d+\]).*)+\s*\Z",
        "",
    ),
    (
        rf"(?im)^[^\w\n]{{0,9}}(?:sources?|references?|see|cf\.|read more"
        rf"|more)[^\w\n]{{0,5}}:?[^\w\n]{{0,5}}(?:{_URL}|{_FILE}"
        rf"|\[[^\]\n]*\]\([^)\n]*\)|{_MARKS})[^\w\n]{{0,9}}$",
        "",
    ),
    (r"(?m)^[ \t]*(?:```|~~~).*$", ""),
    (r"(?m)^[ \t]*(?:[-*_=]\s?){3,}$", ""),
    (r"(?m)^[ \t]*\|?(?:[ \t]{0,9}:?-{2,}:?[ \t]{0,9}\|)+(?:[ \t]{0,9}:?-{2,}:?[ \t]{0,9})?$", ""),
    (r"(?m)^[ \t]{0,9}\|[ \t]*|[ \t]{0,9}\|[ \t]*$", ""),
    (r"[ \t]{1,20}\|[ \t]{1,20}", ", "),
    (r"(?i)<sup>[^<]*</sup>", ""),
    (r"(?i)<(?:br|/p|/li|/h\d|/tr|/div)\b[^>]*>", "\n"),
    (
        r"(?i)</?(?:a|b|i|em|strong|p|ul|ol|li|span|div|sub|h\d|code|pre|table|thead|tbody|tr|t[dh]|cite|u|mark|br"
        r"|blockquote)\b[^>]*>",
        "",
    ),
    (r"!\[[^\]\n]*\]\([^)\n]*\)", ""),
    (rf"(?i)(?<!\])\(\s*(?:see|source|from|via|more)?\s*:?\s*(?:\[[^\]\n]*\]\([^)\n]*\)|<?{_URL}>?)\s*\)", ""),
    (rf"(?i)\[{_LINKED}\]\([^)\n]*\)", ""),
    (r"(?<=[.!?])(\s*)\[[^\]\n]*\]\([^)\n]*\)(?=\s*(?:\n|\Z))", ""),  # a link behind the sentence
    (r"\[([^\[\]\n]{0,300})\]\([^)\n]*\)", _GROUP),
    (r"\[(?![^\w\]\n]{0,9}\d+\W{0,9}\])([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,99}\]", _GROUP),
    (rf"(?i)\(?(?:\b(?:see|source|more|read more|details)\b[^.\n]{{0,20}}?:?\s*)<?{_URL}>?\)?", ""),
    (rf"<{_URL}>", ""),
    (rf"(?<=[.!?])\s*{_URL}(?=\s*(?:\n|\Z))", ""),
    (rf"(?i){_NOT_A_LIST}\[\s*{_MARKS}\s*\]", ""),
    (r"【[^】\n]*】", ""),
    (r"\[\^[\w-]+\^?\]|(?<=[\w.,;:!?)])(?:\^\d+(?:,\d+)*\^?|\s?\^\d+(?:,\d+)*\^)(?=[\s.,;:]|\Z)", ""),
    (r"(?<=[.!?,;)\]”\"])[¹²³⁴-⁹]+", ""),
    (rf"(?i)[\[(]\s*(?:sources?\s*:?\s*)?(?:see\s+)?{_FILE}\s*[\])]", ""),
    (r"(?i)\(\s*(?:sources?|see|according to|cf\.|ref(?:erence)?s?)\b\s*:?\s*[^()\n]{0,80}\)", ""),
    (r"(?i)\(\s*(?:source|src|document|doc|passage|page|pp?\.|chunk|footnote)\s?[\w.#-]*\d[\w.,; #-]*\)", ""),
    (r"(?i)\[(?:citation needed|source|ref|quelle|link)\]", ""),
    (r"(?im)^[ \t]*#{1,6}[ \t]+(?:(?!.*\b(?:no|not|never|free)\b)[^\W\d]+(?: [^\W\d]+){0,2}$)?", ""),  # a title
    (r"(?m)^[ \t]*(?:>[ \t]?)+", ""),
    (r"(?m)^[ \t]*(?:[-*+•‣◦·–—☐☑✓✔✗→][ \t]+|\(?\d{1,2}[.)][ \t]+|\(?[a-z][.)][ \t]+)(?:\[[ xX]\][ \t]+)?", ""),
    (r"\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*", _GROUP),
    (r"\*\*(?=\S)(.+?)(?<=\S)\*\*", _GROUP),
    (r"(?<!\w)__(?=\S)(?![a-z_]+__)(.+?)(?<=\S)__(?!\w)", _GROUP),
    (r"~~(?=\S)(.+?)(?<=\S)~~", _GROUP),
    (r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])", _GROUP),
    (r"(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)", _GROUP),
    (r"`([^`\n]+)`", _GROUP),
    (r"[\U0001f300-\U0001faff\u2728\u26a0\u2139]\ufe0f?[ ]?|[\u2705\u274c][ ]?(?=\w)", ""),
)
"""Patterns in the order in which they apply, each with what remains: nothing, characters, or its first group"""
_COMPILED = tuple((re.compile(pattern), remains) for pattern, remains in _LAYOUT)
_LEAD = re.compile(
    r"\s*(?:(?:according to|based on|as (?:stated|described|mentioned|noted|per|given) in|per|from|in|going by)\s+"
    r"(?:the |this |these |your |all )?(?:[\w'’-]+ ){0,2}?(?:source|passage|document|context|text|information"
    r"|article|excerpt"
    r"|material|snippet|search result|result)s?(?: (?:number )?[\w.-]*\d\w*| [A-E]\b)?(?: (?:provided|given"
    r"|above|below"
    r"|that you (?:gave|provided|sent)(?: me)?|supplied|retrieved))?\s*[,:]\s*"
    r"|(?:the |this |your )?(?:[\w'’-]+ )?(?:source|passage|document|context|text|article|excerpt)s? ?(?:\d+ )?"
    r"(?:says?|states?|mentions?|notes?|explains?|indicates?|tells? us|confirms?|specif(?:y|ies)) that\s+"
    r"|(?:i['’]?m|i am|we are|we['’]re) (?:very |so )?(?:sorry|afraid)[,.]? (?!(?:of|to|for|about)\b)(?:but |that )?"
    r"|(?:sorry|apologies|unfortunately|i apologi[sz]e)[,.] (?:but |that )?"
    r"|(?:sure|certainly|of course|absolutely|hi|hello|hey|hi there|hello there|good (?:morning|afternoon"
    r"|evening|day))"
    r"(?: [A-Z][\w'’-]+)?\s*[,!]\s+|here(?:['’]s| is| are) (?:what|the answer|a summary|your answer"
    r"|the information)[^.:!?\n]*:\s*)",
    re.IGNORECASE,
)
"""What stands before a claim"""
_POLITE = re.compile(
    r"\W*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings)(?: [\w'’-]+){0,2}"
    r"|(?:many )?(?:thanks|thank you)(?: (?:very much|so much|a lot|again))?(?: for (?:your|the|asking|reaching"
    r"|contacting|waiting)\b[^.!?\n\d]{0,60})?|(?:great|good) question|(?:i['’]?m |i am |i['’]?d be "
    r"|we['’]?re )?(?:happy|glad|pleased) to (?:help"
    r"|assist)\b[^.!?\n]{0,40}"
    r"|(?:i|we)?\s?hope (?:this|that|it)(?: all)? (?:helps|answers|clears|clarifies|was)\b[^.!?\n]{0,50}"
    r"|(?:please )?(?:let (?:me|us) know|(?:feel free|don['’]t hesitate|do not hesitate) to (?:ask|contact"
    r"|reach|call|write|get)"
    r"|reach out)\b[^.!?\n\d]{0,120}"
    r"|if you (?:have|need) (?:any |more |other |further |additional )*(?:questions?|help|information|details"
    r"|assistance"
    r"|anything else)\b,? ?(?:(?:please )?(?:let|feel|ask|just|do not|don['’]t|i['’]m|we['’]re"
    r"|reach)\b[^.!?\n\d]{0,90})?"
    r"|(?:is|are) there (?:anything|something|any other)\b[^.!?\n]{0,80}|(?:can|may|could) i help\b[^.!?\n]{0,60}"
    r"|(?:have a (?:nice|great|good|lovely|pleasant)|enjoy your (?:stay|day|visit|trip)"
    r"|wishing you)\b[^.!?\n\d]{0,40}|you['’]re welcome\b[^.!?\n]{0,20}"
    r"|(?:best|kind|warm)?\s*regards\b[^.!?\n]{0,60}|sincerely\b[^.!?\n]{0,40}|yours (?:sincerely|faithfully"
    r"|truly)\b[^.!?\n]{0,40}"
    r"|cheers\b[^.!?\n]{0,20}"
    r"|here(?:['’]s| is| are) (?:what|the|a|your|my|some)\b[^.!?\n\d]{0,60}:|n/?a|null|-|—|okay|ok|got it"
    r"|understood)\W*",
    re.IGNORECASE,
)
"""A whole sentence that claims nothing"""
_SHORT = 300
"""Characters of the longest sentence that is looked at whole for politeness"""
_YES_NO = re.compile(
    r"\W*(yes|yep|yeah|sure|certainly(?! not)|absolutely(?! not)|of course(?! not)|indeed|no|nope|not at all"
    r"|certainly not"
    r"|absolutely not|of course not)(?:,? (?:it (?:is|does|has|can)|they (?:are|do)|you (?:can|may|do)"
    r"|that['’]s right))?(?: not|n['’]t)?\W*",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:.*[.,;:]\s)?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
    r"(?:n['’]t)? ([^?]+)\?+\s*",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY = re.compile(r"\([ \t]*\)")


@dataclass(frozen=True)
class Claims:
    """What a text claims, with the place of each character in the original text."""

    text: str
    """Empty if it claims nothing"""
    begins: Sequence[int]
    """[characters]"""
    ends: Sequence[int]
    """[characters]"""
    refusals: Sequence[Refusal]
    """What the text says is not in the source, with places in the original text"""

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Return the characters [begin, end) of the original text from which characters of this one come."""
        return (self.begins[begin], self.ends[end - 1]) if end > begin else (0, 0)


def all_of(text: str) -> Claims:
    """Return a text as it is, as its claims."""
    return Claims(text, range(len(text)), range(1, len(text) + 1), ())


Form: TypeAlias = tuple[Quantity, str]
"""A quantity, and how a text writes it"""


class _Piece(NamedTuple):
    begin: int
    end: int
    remains: str


def claims(text: str, forms: Sequence[Form] = (), question: str = "") -> Claims:
    """Return what a text claims.

    Args:
        text: an answer, in any layout.
        forms: the quantities of its sources (`forms_of`). Equal ones of the answer get the form that these have.
        question: the question that the text answers. "Yes" and "No" alone are read as its statement.
    """
    edited = _Edited(text)
    for pattern, group in _COMPILED:
        edited.sub(pattern, group)
    edited.sub(_EMPTY)
    set_apart: list[Refusal] = []
    seen: set[tuple[str, ...]] = set()
    pieces: list[_Piece] = []
    whole = edited.text
    for begin, end in _sentences(whole):
        first = begin
        while (lead := _LEAD.match(whole, begin, end)) is not None and lead.end() > begin:
            pieces.append(_Piece(begin, lead.end(), ""))
            begin = lead.end()
        sentence = whole[begin:end]
        name = tuple(words(sentence))
        if (
            not name
            or name in seen
            or (len(sentence) < _SHORT and _POLITE.fullmatch(sentence))
            or sentence.rstrip().endswith("?")
        ):
            pieces.append(_Piece(begin, end, ""))
            continue
        seen.add(name)
        found = refusals(whole[begin:end], question)
        for one in found:
            set_apart.append(one._replace(begin=edited.begins[begin + one.begin], end=edited.ends[begin + one.end - 1]))
            pieces.append(_Piece(begin + one.begin, begin + one.end, ""))
        if not found and first < begin and whole[begin].islower():  # the sentence begins here now
            pieces.append(_Piece(begin, begin + 1, whole[begin].upper()))
        elif not found and (match := _YES_NO.fullmatch(whole, begin, end)) is not None:
            pieces.append(_Piece(begin, end, _statement(question, not re.search("no", match[1].lower()))))
    edited.apply(pieces)
    edited.apply(_in_their_form(edited.text, forms))
    edited.sub(_EMPTY)
    edited.finish()
    # Arrays, because a run holds the claims of all rows that it is going to score.
    return Claims(edited.text, array("i", edited.begins), array("i", edited.ends), tuple(set_apart))


class _Edited:
    """A text that changes, with the place of each of its characters in the original."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.begins = list(range(len(text)))
        self.ends = list(range(1, len(text) + 1))

    def sub(self, pattern: re.Pattern[str], remains: str = "") -> None:
        """Replace all matches. A first group that remains has its places."""
        pieces: list[_Piece] = []
        for match in pattern.finditer(self.text):
            if remains == _GROUP:
                pieces += [_Piece(match.start(), match.start(1), ""), _Piece(match.end(1), match.end(), "")]
            else:
                pieces.append(_Piece(*match.span(), remains))
        self.apply(pieces)

    def apply(self, pieces: Sequence[_Piece]) -> None:
        """Replace pieces that are in order and do not overlap."""
        text: list[str] = []
        begins: list[int] = []
        ends: list[int] = []
        at = 0
        for begin, end, remains in pieces:
            if begin == end:
                continue
            first, last = self.begins[begin], self.ends[end - 1]
            if not remains and (end == len(self.text) or self.text[end] in " \t\n.,;:!?)"):
                begin = at + len(self.text[at:begin].rstrip(" \t"))  # no space before nothing
            text += [self.text[at:begin], remains]
            begins += [*self.begins[at:begin], *[first] * len(remains)]
            ends += [*self.ends[at:begin], *[last] * len(remains)]
            at = end
        if at:
            self.text = "".join([*text, self.text[at:]])
            self.begins = begins + self.begins[at:]
            self.ends = ends + self.ends[at:]

    def finish(self) -> None:
        """Take spaces off both ends, and end the last sentence."""
        last = len(self.text.rstrip())
        first = len(self.text) - len(self.text.lstrip())
        self.text, self.begins, self.ends = self.text[first:last], self.begins[first:last], self.ends[first:last]
        if not words(self.text):
            self.text, self.begins, self.ends = "", [], []
        elif self.text[-1].isalnum() or self.text[-1] in ")]\"'”’%":
            self.begins.append(self.begins[-1])
            self.ends.append(self.ends[-1])
            self.text += "."


def _sentences(text: str) -> list[tuple[int, int]]:
    ends = [0, *sentence_ends(text), len(text)]
    return [(begin, end) for begin, end in pairwise(ends) if end > begin]


def _statement(question: str, agreed: bool) -> str:
    """A question that can be answered by yes, as a statement: 'Is breakfast included?' is 'Breakfast included'."""
    if (asked := _ASKED.fullmatch(question.strip())) is None:
        return ""
    said = asked[1].strip()
    return f"{said[0].upper()}{said[1:]}." if agreed else f"It is not true that {said}."


def _in_their_form(text: str, theirs: Sequence[Form]) -> list[_Piece]:
    """Changes by which quantities get the form of equal ones in other texts, where those have no equal form."""
    forms = {form.casefold() for _, form in theirs}
    pieces: list[_Piece] = []
    for one in quantities(text):
        written = text[one.begin : one.end]
        if _loose(one) or one.kind in IDENTIFIERS or written.casefold() in forms:
            continue
        form = next((form for other, form in theirs if _equal(one, other)), None)
        if form is not None:
            pieces.append(_Piece(one.begin, one.end, form))
    return pieces


def forms_of(others: Iterable[str]) -> list[Form]:
    """Return the quantities of texts, each as it is written there."""
    return [(one, other[one.begin : one.end]) for other in others for one in quantities(other) if not _loose(one)]


def _loose(one: Quantity) -> bool:
    """Return whether a quantity is an expression like "a minute"; noon and midnight are times as others are."""
    return one.weak and one.kind != "clock"


def _equal(one: Quantity, other: Quantity) -> bool:
    """Return whether one quantity can be written as another: the same value in the same precision, read in the same
    way. A temperature can be of another scale.
    """
    ambiguous = one.kind != "date" and not (one.other is None and other.other is None)
    if one.kind != other.kind or ambiguous or not same(one, other):
        return False
    if one.kind == "date":
        return one.value == other.value
    whole = all((a is None) == (b is None) for a, b in zip(one.value, other.value, strict=True))
    converted = one.kind == "temperature" and bool(one.unit and other.unit)
    return whole and (one.kind not in ("money", "temperature") or one.unit == other.unit or converted)
