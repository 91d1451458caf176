r"""Patterns of layout, links, citation marks and greetings around claims, and a text from which they are removed.

Every character of the edited text has its place in the original text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from nlgauge.maths.text import words

_FILE = r"(?:[\w./-][\w ./-]*)?\w\.(?:pdf|md|html?|docx?|txt|csv|json|xlsx?|pptx?|ya?ml|eml|log)\b[^\])\n]{0,40}"
_SOURCE = (
    r"(?:source|src|document|doc|passage|reference|ref|page|pp?\.|chunk|context|footnote|note|id|section"
    r"|sec\.|s)"
)
_MARK = rf"(?:{_SOURCE}[\s_.:#-]*)?\^?\d+[a-z]?\^?"
_MARKS = rf"{_MARK}(?:\s?(?:[,;&–-]|and)\s?{_MARK})*(?:(?:†|:\d+)[^\]】]{{0,300}})?"
_LINKED = r"(?:source|link|here|read more|more|details|see|ref(?:erence)?|website|page|[^\w\n]{0,5}\d+[^\w\n]{0,5})"
URL = r"(?:https?://|(?<!\.)www\.)(?:[^\s<>()\[\]]|\([^\s<>()]{0,300}\)){0,1000}(?:[^\s<>()\[\].,;:!?'\"]|\([^\s<>()]{0,300}\))"
ADDRESS = r"\([^)\n]{0,1000}\)"
"""An address behind the words of a link. Each repetition in these patterns has a limit, so that the time that they take
grows only in proportion to the length of a text"""
_NOT_A_LIST = r"(?<![:=])(?<![:=] )(?<!\bin )(?<!\bto )(?<!\bis )(?<!range )(?<!between )(?<!interval )(?<!array )"
GROUP = "group"
_REASONING = "think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad"
_PATTERNS: Sequence[tuple[str, str]] = (
    # the reasoning of a model, which is not meant for the reader
    (rf"(?is)[<\[]\|?({_REASONING})\|?[>\]](?:.*?[<\[]\|?/\1\|?[>\]]\s*|.*\Z)", ""),
    (rf"(?is)\A.*[<\[]\|?/(?:{_REASONING})\|?[>\]]\s*", ""),  # reasoning whose begin mark a chat template has written
    (r"(?i)</?(?:answer|final(?:_answer)?|response|output)>|<\|[\w/ ]{1,30}\|>|</?s>", ""),
    (r"(?m)^[ \t]*\[\^?[\w-]+\]:\s*\S.*$", ""),  # definitions of links and notes
    (
        r"(?im)^[^\w\n]{0,9}(?:sources?|references|citations?)[^\w\n]{0,5}:[ \t]*(?:\n[ \t]*(?:[-*•]|\d+[.)]"
        r"|\[\d+\]).*){1,200}\s*\Z",
        "",
    ),
    (
        rf"(?im)^[^\w\n]{{0,9}}(?:sources?|references?|see|cf\.|read more"
        rf"|more)[^\w\n]{{0,5}}:?[^\w\n]{{0,5}}(?:{URL}|{_FILE}"
        rf"|\[[^\]\n]{{0,300}}\]{ADDRESS}|{_MARKS})[^\w\n]{{0,9}}$",
        "",
    ),
    (r"(?m)^[ \t]*(?:```|~~~).*$", ""),
    (r"(?m)^[ \t]*(?:[-*_=]\s?){3,}$", ""),
    (r"(?m)^[ \t]*\|?(?:[ \t]{0,9}:?-{2,}:?[ \t]{0,9}\|)+(?:[ \t]{0,9}:?-{2,}:?[ \t]{0,9})?$", ""),
    (r"(?m)^[ \t]{0,9}\|[ \t]*|[ \t]{0,9}\|[ \t]*$", ""),
    (r"[ \t]{1,20}\|[ \t]{1,20}", ", "),
    (r"(?i)<sup>[^<]*</sup>", ""),
    (r"(?i)<(?:br|/p|/li|/h\d|/tr|/div)\b[^<>]*>", "\n"),
    (
        r"(?i)</?(?:a|b|i|em|strong|p|ul|ol|li|span|div|sub|h\d|code|pre|table|thead|tbody|tr|t[dh]|cite|u|mark|br"
        r"|blockquote)\b[^<>]*>",
        "",
    ),
    (rf"!\[[^\]\n]{{0,300}}\]{ADDRESS}", ""),
    (
        rf"(?i)(?<!\])\(\s*(?:(?:see|source|from|via|more)\s*)?(?::\s*)?(?:\[[^\]\n]{{0,300}}\]{ADDRESS}|<?{URL}>?)\s*\)",
        "",
    ),
    (rf"(?i)\[{_LINKED}\]{ADDRESS}", ""),
    (rf"(?<=[.!?])(\s*)\[[^\]\n]{{0,300}}\]{ADDRESS}(?=\s*(?:\n|\Z))", ""),  # a link behind the sentence
    (rf"\[([^\[\]\n]{{0,300}})\]{ADDRESS}", GROUP),
    (r"\[(?![^\w\]\n]{0,9}\d+\W{0,9}\])([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,99}\]", GROUP),
    (rf"(?i)\(?(?:\b(?:see|source|more|read more|details)\b[^.\n]{{0,20}}?:?\s*)<?{URL}>?\)?", ""),
    (rf"<{URL}>", ""),
    (rf"(?<=[.!?])\s*{URL}(?=\s*(?:\n|\Z))", ""),
    (rf"(?i){_NOT_A_LIST}\[\s*{_MARKS}\s*\]", ""),
    (r"【[^】\n]{0,300}】", ""),
    (r"\[\^[\w-]+\^?\]|(?<=[\w.,;:!?)])(?:\^\d+(?:,\d+)*\^?|\s?\^\d+(?:,\d+)*\^)(?=[\s.,;:]|\Z)", ""),
    (r"(?<=[.!?,;)\]”\"])[¹²³⁴-⁹]+", ""),
    (rf"(?i)[\[(]\s*(?:sources?\s*(?::\s*)?)?(?:see\s+)?{_FILE}\s*[\])]", ""),
    (r"(?i)\(\s*(?:sources?|see|according to|cf\.|ref(?:erence)?s?)\b\s*(?::\s*)?[^()\n]{0,80}\)", ""),
    (r"(?i)\(\s*(?:source|src|document|doc|passage|page|pp?\.|chunk|footnote)\s?(?:[^\W\d]|[.#-])*\d[\w.,; #-]*\)", ""),
    (r"(?i)\[(?:citation needed|source|ref|quelle|link)\]", ""),
    (r"(?im)^[ \t]*#{1,6}[ \t]+(?:(?!.*\b(?:no|not|never|free)\b)[^\W\d]+(?: [^\W\d]+){0,2}$)?", ""),  # a title
    (r"(?m)^[ \t]*(?:>[ \t]?)+", ""),
    (r"(?m)^[ \t]*(?:[-*+•‣◦·–—☐☑✓✔✗→][ \t]+|\(?\d{1,2}[.)][ \t]+|\(?[a-z][.)][ \t]+)(?:\[[ xX]\][ \t]+)?", ""),
    (r"\*\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*\*", GROUP),
    (r"\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*", GROUP),
    (r"(?<!\w)__(?=\S)(?![a-z_]+__)(.{1,500}?)(?<=\S)__(?!\w)", GROUP),
    (r"~~(?=\S)(.{1,500}?)(?<=\S)~~", GROUP),
    (r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])", GROUP),
    (r"(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)", GROUP),
    (r"`([^`\n]+)`", GROUP),
    (r"[\U0001f300-\U0001faff\u2728\u26a0\u2139]\ufe0f?[ ]?|[\u2705\u274c][ ]?(?=\w)", ""),
)
"""Patterns in the order in which they apply, each with its replacement: nothing, characters, or its first group"""
BEFORE_RECORDS = 3
"""The number of patterns that apply before records are read"""
SPECIAL = re.compile(r"<\|[\w/ ]{1,30}\|>|</?s>")
REASONS = re.compile(rf"[<\[]\|?/?(?:{_REASONING})\|?[>\]]", re.IGNORECASE)
LAYOUT = tuple((re.compile(pattern), remains) for pattern, remains in _PATTERNS)
LEAD = re.compile(
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
"""Words that introduce a claim, such as "according to the passage," """
POLITE = re.compile(
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
    r"|here(?:['’]s| is| are) (?:what|the|a|your|my|some)\b[^.!?\n\d]{0,60}:|null|-|—|okay|ok|got it"
    r"|understood)\W*",
    re.IGNORECASE,
)
"""A whole sentence that claims nothing, such as a greeting"""
SHORT = 300
"""The most characters of a sentence that can be nothing but a greeting or thanks"""
EMPTY = re.compile(r"\([ \t]*\)")


class Piece(NamedTuple):
    begin: int
    end: int
    remains: str


class Edited:
    """A text that is edited, with the place of each of its characters in the original text.

    Args:
        text: the original text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.begins = list(range(len(text)))
        self.ends = list(range(1, len(text) + 1))

    def sub(self, pattern: re.Pattern[str], remains: str = "") -> None:
        """Replace all matches of a pattern.

        Args:
            pattern: the pattern.
            remains: the characters that replace a match. With `GROUP`, a match is replaced by its first group, whose
                characters keep their places in the original text.
        """
        pieces: list[Piece] = []
        for match in pattern.finditer(self.text):
            if remains == GROUP:
                pieces += [Piece(match.start(), match.start(1), ""), Piece(match.end(1), match.end(), "")]
            else:
                pieces.append(Piece(*match.span(), remains))
        self.apply(pieces)

    def apply(self, pieces: Sequence[Piece]) -> None:
        """Replace pieces of the text, which must be in order and not overlap."""
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

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Return begin and end in the original text of the characters [begin, end) of the edited text."""
        return self.begins[begin], self.ends[end - 1]

    def finish(self) -> None:
        """Remove spaces at both ends, and end the last sentence with a full stop."""
        last = len(self.text.rstrip())
        first = len(self.text) - len(self.text.lstrip())
        self.text, self.begins, self.ends = self.text[first:last], self.begins[first:last], self.ends[first:last]
        if not words(self.text):
            self.text, self.begins, self.ends = "", [], []
        elif self.text[-1].isalnum() or self.text[-1] in ")]\"'”’%":
            self.begins.append(self.begins[-1])
            self.ends.append(self.ends[-1])
            self.text += "."
