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
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from nlgauge.faithfulness.derived import facts
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.quantities import (
    CONVERTED,
    IDENTIFIERS,
    EqualQuantities,
    conversions,
    is_share,
    quantities,
    same,
)
from nlgauge.faithfulness.record_claims import Told, record_claims
from nlgauge.faithfulness.refusals import Refusal, refusals
from nlgauge.faithfulness.spelling import Spellings
from nlgauge.faithfulness.statements import statement
from nlgauge.maths.text import sentence_ends, sentence_spans, words

_FILE = r"(?:[\w./-][\w ./-]*)?\w\.(?:pdf|md|html?|docx?|txt|csv|json|xlsx?|pptx?|ya?ml|eml|log)\b[^\])\n]{0,40}"
_SOURCE = (
    r"(?:source|src|document|doc|passage|reference|ref|page|pp?\.|chunk|context|footnote|note|id|section"
    r"|sec\.|s)"
)
_MARK = rf"(?:{_SOURCE}[\s_.:#-]*)?\^?\d+[a-z]?\^?"
_MARKS = rf"{_MARK}(?:\s?(?:[,;&–-]|and)\s?{_MARK})*(?:(?:†|:\d+)[^\]】]{{0,300}})?"
_LINKED = r"(?:source|link|here|read more|more|details|see|ref(?:erence)?|website|page|[^\w\n]{0,5}\d+[^\w\n]{0,5})"
_URL = r"(?:https?://|(?<!\.)www\.)(?:[^\s<>()\[\]]|\([^\s<>()]{0,300}\)){0,1000}(?:[^\s<>()\[\].,;:!?'\"]|\([^\s<>()]{0,300}\))"
_ADDRESS = r"\([^)\n]{0,1000}\)"
"""An address behind a link's words. Every repetition of a layout ends soon, so that time grows with length alone"""
_NOT_A_LIST = r"(?<![:=])(?<![:=] )(?<!\bin )(?<!\bto )(?<!\bis )(?<!range )(?<!between )(?<!interval )(?<!array )"
_GROUP = "group"
_REASONING = "think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad"
_LAYOUT: Sequence[tuple[str, str]] = (
    # what a model tells itself, and not the reader
    (rf"(?is)[<\[]\|?({_REASONING})\|?[>\]](?:.*?[<\[]\|?/\1\|?[>\]]\s*|.*\Z)", ""),
    (rf"(?is)\A.*[<\[]\|?/(?:{_REASONING})\|?[>\]]\s*", ""),  # of which a chat template has written the begin
    (r"(?i)</?(?:answer|final(?:_answer)?|response|output)>|<\|[\w/ ]{1,30}\|>|</?s>", ""),
    (r"(?m)^[ \t]*\[\^?[\w-]+\]:\s*\S.*$", ""),  # definitions of links and notes
    (
        r"(?im)^[^\w\n]{0,9}(?:sources?|references|citations?)[^\w\n]{0,5}:[ \t]*(?:\n[ \t]*(?:[-*•]|\d+[.)]"
        r"|\[\d+\]).*){1,200}\s*\Z",
        "",
    ),
    (
        rf"(?im)^[^\w\n]{{0,9}}(?:sources?|references?|see|cf\.|read more"
        rf"|more)[^\w\n]{{0,5}}:?[^\w\n]{{0,5}}(?:{_URL}|{_FILE}"
        rf"|\[[^\]\n]{{0,300}}\]{_ADDRESS}|{_MARKS})[^\w\n]{{0,9}}$",
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
    (rf"!\[[^\]\n]{{0,300}}\]{_ADDRESS}", ""),
    (
        rf"(?i)(?<!\])\(\s*(?:(?:see|source|from|via|more)\s*)?(?::\s*)?(?:\[[^\]\n]{{0,300}}\]{_ADDRESS}|<?{_URL}>?)\s*\)",
        "",
    ),
    (rf"(?i)\[{_LINKED}\]{_ADDRESS}", ""),
    (rf"(?<=[.!?])(\s*)\[[^\]\n]{{0,300}}\]{_ADDRESS}(?=\s*(?:\n|\Z))", ""),  # a link behind the sentence
    (rf"\[([^\[\]\n]{{0,300}})\]{_ADDRESS}", _GROUP),
    (r"\[(?![^\w\]\n]{0,9}\d+\W{0,9}\])([^\[\]\n]{1,300})\]\[[^\[\]\n]{0,99}\]", _GROUP),
    (rf"(?i)\(?(?:\b(?:see|source|more|read more|details)\b[^.\n]{{0,20}}?:?\s*)<?{_URL}>?\)?", ""),
    (rf"<{_URL}>", ""),
    (rf"(?<=[.!?])\s*{_URL}(?=\s*(?:\n|\Z))", ""),
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
    (r"\*\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*\*", _GROUP),
    (r"\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*", _GROUP),
    (r"(?<!\w)__(?=\S)(?![a-z_]+__)(.{1,500}?)(?<=\S)__(?!\w)", _GROUP),
    (r"~~(?=\S)(.{1,500}?)(?<=\S)~~", _GROUP),
    (r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])", _GROUP),
    (r"(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)", _GROUP),
    (r"`([^`\n]+)`", _GROUP),
    (r"[\U0001f300-\U0001faff\u2728\u26a0\u2139]\ufe0f?[ ]?|[\u2705\u274c][ ]?(?=\w)", ""),
)
"""Patterns in the order in which they apply, each with what remains: nothing, characters, or its first group"""
_BEFORE_RECORDS = 3
"""Patterns that apply before what is written as records is read"""
_SPECIAL = re.compile(r"<\|[\w/ ]{1,30}\|>|</?s>")
_REASONS = re.compile(rf"[<\[]\|?/?(?:{_REASONING})\|?[>\]]", re.IGNORECASE)
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
    r"|here(?:['’]s| is| are) (?:what|the|a|your|my|some)\b[^.!?\n\d]{0,60}:|null|-|—|okay|ok|got it"
    r"|understood)\W*",
    re.IGNORECASE,
)
"""A whole sentence that claims nothing"""
_SHORT = 300
"""Characters of the longest sentence that is looked at whole for politeness"""
_YES_NO = re.compile(
    r"\W*(yes|yep|yeah|sure|certainly(?! not)|absolutely(?! not)|of course(?! not)|indeed|no|nope|not at all"
    r"|certainly not"
    r"|absolutely not|of course not)(?:,? (?:(?:it|they|you|we|he|she|there|that|this|i) (?:is|are|was|were|do|does|did"
    r"|has|have|had"
    r"|can|could|may|must|should|will|would)|that['’]s right|it['’]s not))?(?: ?not|n?['’]t)?\W*",
    re.IGNORECASE,
)
_WEB = re.compile(
    rf"(?i)(?<![\w@/]){_URL}|(?<![\w.+-])(?:mailto:)?[\w+-]{{1,40}}(?:\.[\w+-]{{1,40}}){{0,4}}@[\w-]{{1,40}}(?:\.[\w-]{{1,40}}){{1,4}}"
)
_CITED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i)\[(?:source|more|details|see|ref(?:erence)?|[^\w\n]{{0,5}}\d+[^\w\n]{{0,5}})\]{_ADDRESS}",
        r"(?m)^[ \t]*\[\^?[\w-]+\]:\s*\S.*$",
        r"(?im)^[^\w\n]{0,9}(?:sources?|references?|citations?|see|\[?\d+\]?)[^\w\n]{1,5}.*$",
        rf"(?<=[.!?])(\s*)(?:\[[^\]\n]{{0,300}}\]{_ADDRESS}|<?{_URL}>?)(?=\s*(?:\n|\Z))",
        rf"(?<!\])\(\s*(?:(?:see|source|from|via|more)\s*)?(?::\s*)?(?:\[[^\]\n]{{0,300}}\]{_ADDRESS}|<?{_URL}>?)\s*\)",
    )
)
"""Where an address is a mark of a source"""
_PROGRAM = re.compile(
    r"\W*(?:(?:undefined|null|nil|nan|nonetype|object object|todo|tbd|fixme)\W*\Z"
    r"|(?:fatal |internal |api |server |http |runtime |openai |model |unknown |unexpected )*"
    r"(?:\w+error|error|exception)\b\s*(?:\d{3}\b|[\]:!–-]|\Z|occurred|generating|calling|while|during|code)"
    r"|traceback \(most recent call last\)"
    r"|(?:http |status )?(?:code |status )?(?:408|429|500|502|503|504)\b[\s:–-]*(?:\Z|error|too many"
    r"|internal|bad|service|gateway)"
    r"|(?:(?:the |your |api )?(?:request|connection|call|generation|operation) )?(?:timed out|timeout)\b\W*\Z"
    r"|(?:the )?(?:request|connection|call|generation|completion|response) (?:has |was |is )?(?:failed|aborted"
    r"|cancelled|canceled|refused|reset|empty|interrupted)\b"
    r"|(?:rate limit|quota|context length|maximum context length|token limit) (?:was |has been |is )?(?:exceeded"
    r"|reached)"
    r"|(?:service|server|model) (?:is )?(?:temporarily |currently )?(?:unavailable|overloaded)"
    r"|(?:failed|unable) to (?:generate|fetch|parse|connect|load|get a response)\b"
    r"|internal server error|bad gateway|too many requests|empty response|no response\W*\Z)",
    re.IGNORECASE,
)
"""What a program writes where a model gave no answer"""
_NEVER_LAST = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "or",
        "of",
        "because",
        "than",
        "between",
        "their",
        "its",
        "your",
        "our",
        "whose",
        "every",
        "nor",
    ]
)
"""Words after which an English sentence goes on"""
_GOES_ON = frozenset(
    [
        *("about", "after", "as", "at", "before", "by", "during", "for", "from", "in", "into", "on", "over", "through"),
        *("to", "under", "until", "with", "without", "is", "are", "was", "were", "has", "have", "will", "can", "be"),
        *("that", "which", "who", "when", "if", "not", "to", "more", "all", "both", "this", "these", "his", "her"),
    ]
)
"""Words after which most sentences go on"""
_NOT_AVAILABLE = re.compile(r"\W*(?:n/?a|not available|not applicable|no data)\W*", re.IGNORECASE)
_TRUTH = "True|False|true|false"
_SWITCH = re.compile(rf"(?<!\w)(?P<key>[A-Za-z_]\w*)\s?=\s?(?P<value>{_TRUTH})\b")
_CALLED = re.compile(r"\w\((?:[^()]*,\s?)?$")
_KEY_LENGTH = 60
_KEY = re.compile(r"([A-Za-z_][\w-]*)[\"']?\s?[=:]\s?$")
"""The name of a parameter before its value"""
_TIMES = tuple(
    (re.compile(rf"\b{said}\b"), re.compile(rf"\b{there}\b"), there)
    for pair in (("two times", "twice"), ("once", "one time"))
    for said, there in (pair, pair[::-1])
)
"""Two forms of the same: what is looked for, and what others write"""
_TIMES_SAID = re.compile(r"\b(?:once|twice|one time|two times)\b")
_ROUGHLY = re.compile(r"\b(?:about|around|roughly|approximately|some|nearly|almost|ca\.)\s$", re.IGNORECASE)
_FORMS = 100
"""Equal quantities of other texts of which the first gives a quantity its form"""
_EMPTY = re.compile(r"\([ \t]*\)")


class Link(NamedTuple):
    """An address that no other text has, or another difference that is found before the claims are read."""

    begin: int
    end: int
    reason: str
    sure: bool
    """Whether other texts have addresses, of which this is none"""


class Given(NamedTuple):
    """What follows from other texts by a calculation or by a key, and not by reading."""

    begin: int
    end: int
    why: str
    """From which words it follows"""


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
    links: Sequence[Link] = ()
    """The addresses that no other text has, with places in the original text"""
    given: Sequence[Given] = ()
    """What follows from the other texts, with places in the original text"""
    doubts: Sequence[Link] = ()
    """What may be another value than that of the other texts, with places in the original text"""
    failed: str = ""
    """Why the text is no answer, but what a program writes when there is none"""

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Return the characters [begin, end) of the original text from which characters of this one come."""
        return (self.begins[begin], self.ends[end - 1]) if end > begin else (0, 0)

    def near(self, begin: int, end: int) -> tuple[int, int]:
        """Return characters of this text that come from [begin, end) of the original one, or stand nearest."""
        first, last = (min(bisect_left(self.begins, at), max(len(self.text) - 1, 0)) for at in (begin, end - 1))
        return first, max(last, first + 1)


class Forms(NamedTuple):
    """How the sources of an answer write their quantities."""

    equal: EqualQuantities
    written: Sequence[str]
    """The characters of each quantity"""
    texts: Sequence[str]
    """The sources"""
    spellings: Spellings
    """Their words"""


class _Piece(NamedTuple):
    begin: int
    end: int
    remains: str


def claims(text: str, forms: Forms | None = None, question: str = "") -> Claims:
    """Return what a text claims.

    Args:
        text: an answer, in any layout.
        forms: the quantities of its sources (`forms_of`); equal quantities of the answer get the form that these have.
            None without a source.
        question: the question that the text answers. "Yes" and "No" alone are read as its statement.

    Returns:
        The claims with the place of each character in the original text, and the refusals; or why the text is no
        answer.
    """
    forms = forms_of(()) if forms is None else forms
    edited = _Edited(text)
    for pattern, group in _COMPILED[:_BEFORE_RECORDS]:
        edited.sub(pattern, group)
    whole = edited.text.strip()
    told = _records(edited.text, forms) if "\n" in whole or whole[:1] in ("{", "[", "<") else []
    given = [
        Given(edited.begins[one.begin], edited.ends[one.end - 1], one.sentence.strip()) for one in told if one.given
    ]
    doubts = [Link(edited.begins[one.begin], edited.ends[one.end - 1], one.reason, False) for one in told if one.reason]
    edited.apply([_Piece(one.begin, one.end, one.sentence) for one in told])
    for pattern, group in _COMPILED[_BEFORE_RECORDS:]:
        edited.sub(pattern, group)
    edited.sub(_EMPTY)
    failed = _failed(edited.text.strip(), forms.texts, question)
    if not words(edited.text):
        failed = "it has nothing but marks of a program" if _SPECIAL.search(text) is not None else failed
        failed = "it has nothing but a model's reasoning" if _REASONS.search(text) is not None else failed
    if failed:
        return Claims(text="", begins=(), ends=(), refusals=(), failed=failed)
    set_apart: list[Refusal] = []
    seen: set[tuple[str, ...]] = set()
    pieces: list[_Piece] = []
    whole = edited.text
    for begin, end in sentence_spans(whole):
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
        if found and facts(tuple(forms.texts)).of(whole[begin:end], question) is not None:
            found = []  # a record has it: "the plan has no support"
        for one in found:
            set_apart.append(one._replace(begin=edited.begins[begin + one.begin], end=edited.ends[begin + one.end - 1]))
            pieces.append(_Piece(begin + one.begin, begin + one.end, ""))
        if not found and first < begin and whole[begin].islower():  # the sentence begins here now
            pieces.append(_Piece(begin, begin + 1, whole[begin].upper()))
        elif not found and (match := _YES_NO.fullmatch(whole, begin, end)) is not None:
            pieces.append(_Piece(begin, end, statement(question, not re.search("no", match[1].lower()))))
    edited.apply(pieces)
    if "(" in edited.text:
        edited.apply([_behind(edited.text, one, other) for one, other, right in conversions(edited.text) if right])
    if question:
        edited.apply(_asked_for(edited.text, forms.texts, question))
    derived = _derived(edited.text, forms.texts, question)
    given += [Given(edited.begins[one.begin], edited.ends[one.end - 1], why) for one, why in derived]
    edited.apply([one for one, _ in derived])
    edited.apply(_in_their_form(edited.text, forms))
    spelled = list(forms.spellings.of(edited.text))
    doubts += [
        Link(
            edited.begins[one.begin],
            edited.ends[one.end - 1],
            f"{edited.text[one.begin : one.end]}: the source has {one.theirs}",
            False,
        )
        for one in spelled
        if one.slip
    ]
    edited.apply([_Piece(one.begin, one.end, one.theirs) for one in spelled])
    edited.sub(_EMPTY)
    edited.finish()
    # Arrays, because a run holds the claims of all rows that it is going to score.
    return Claims(
        text=edited.text,
        begins=array("i", edited.begins),
        ends=array("i", edited.ends),
        refusals=tuple(set_apart),
        links=_made_up(text, forms.texts) if forms.texts and _WEB.search(text) is not None else (),
        given=given,
        doubts=doubts,
    )


def _made_up(text: str, others: Sequence[str]) -> list[Link]:
    """Return the addresses of a text that no other text has.

    Marks of sources are none, unless the sources have addresses.
    """
    links = list(_WEB.finditer(text))
    there = {_address(match.group()) for other in others for match in _WEB.finditer(other)}
    homes = {address.partition("/")[0] for address in there}
    cited = bytearray(len(text))
    for pattern in _CITED if not there else ():
        for match in pattern.finditer(text):
            cited[match.start() : match.end()] = b"1" * (match.end() - match.start())
    found = []
    for match in links:
        address = _address(match.group())
        if address not in there and address not in homes and not cited[match.start()]:
            reason = f"{match.group()}: the source does not have this address"
            found.append(Link(*match.span(), reason, bool(there)))
    return found


def _address(link: str) -> str:
    """Return an address in the form in which two are compared."""
    plain = re.sub(r"\A(?:https?://)?(?:www\.)?|\Amailto:", "", link.lower())
    return plain.partition("#")[0].partition("?")[0].rstrip("/.,;:")


def _failed(text: str, others: Sequence[str], question: str) -> str:
    """Return why a text is no answer; nothing if it may be an answer, or if another text has the same words."""
    said = words(text[:_SHORT])
    if not said:
        return ""
    if question and len(text) < 2 * len(question) and words(text) == words(question):
        return "it repeats the question"
    if (match := _PROGRAM.match(text)) is not None:
        there = f" {' '.join(word for other in others for word in words(other))} "
        return (
            ""
            if f" {' '.join(words(match.group()))} " in there
            else "it is what a program writes in place of an answer"
        )
    if not question and _NOT_AVAILABLE.fullmatch(text) is not None:
        return "it says alone that there is none"
    last = re.search(r"[^\W\d_]+\Z", text[-_SHORT:])
    if last is not None and last.group() in _GOES_ON and len(said) > 2:
        ending = " ".join(words(text)[-3:])
        if any(re.search(rf"\b{re.escape(ending)} \w", " ".join(words(other))) for other in others):
            return "it breaks off"  # where the source goes on
    if last is not None and (last.group().lower() if len(said) == 1 else last.group()) in _NEVER_LAST:
        return "it breaks off" if len(said) > 1 else "it is a single word"
    return ""


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


def claim_ends(text: str) -> list[int]:
    """Return where the claims of a text end: its sentences, but what ends with a colon goes on in the next one.

    Args:
        text: what a text claims, or as much of an answer as there is.

    Returns:
        Indexes of characters, ascending; not the end of the last claim.
    """
    return [end for end in sentence_ends(text) if not text[:end].rstrip().endswith(":")]


def _behind(text: str, one: Quantity, other: Quantity) -> _Piece:
    """Return the same measure in another unit, with its brackets.

    It follows from the measure, and is no claim of its own.
    """
    return _Piece(one.end, text.index(")", other.end) + 1, "")


def _records(text: str, forms: Forms) -> list[Told]:
    """Return what is written as records, as sentences with numbers as others write them."""
    written: dict[float, str] = {}
    for one, form in zip(forms.equal.of, forms.written, strict=True):
        written.setdefault(one.written, form)
    return record_claims(text, written, forms.texts)


def _asked_for(text: str, others: Sequence[str], question: str) -> list[_Piece]:
    """Return changes by which a value that the question asks for is that of the source under its key.

    Such a value is timeout=30.
    """
    given = quantities(question)
    pieces = list(_set(text, others, question))
    for one in quantities(text) if given else ():
        key = _KEY.search(text[max(0, one.begin - _KEY_LENGTH) : one.begin])
        if key is None or not any(one.written == other.written for other in given):
            continue
        there = re.compile(rf"(?<!\w){re.escape(key[1])}[\"']?\s?[=:]\s?(-?\d[\d.]*)")
        found = next((match for other in others if (match := there.search(other)) is not None), None)
        if found is not None:
            pieces.append(_Piece(one.begin, one.end, found[1].rstrip(".")))
    return sorted(pieces)


def _set(text: str, others: Sequence[str], question: str) -> Iterator[_Piece]:
    """Yield changes by which a switch that the question asks for, such as keep_ratio=False, is as in the source."""
    asked = set(words(question))
    for match in _SWITCH.finditer(text) if asked else ():
        if not _CALLED.search(text[max(0, match.start() - _KEY_LENGTH) : match.start()]):
            continue  # a condition, and no argument of a call
        there = re.compile(rf"(?<!\w){re.escape(match['key'])}\s?=\s?({_TRUTH})\b")
        found = next((other_match for other in others if (other_match := there.search(other)) is not None), None)
        if found is not None and asked & {word.lower() for word in match["key"].split("_") if len(word) > 2}:
            yield _Piece(*match.span("value"), found[1])


def _derived(text: str, others: Sequence[str], question: str) -> list[tuple[_Piece, str]]:
    """Return changes by which sentences that follow from other texts get the words from which they follow, and why."""
    known = facts(tuple(others))
    found = ((begin, end, known.of(text[begin:end], question)) for begin, end in sentence_spans(text))
    changes = []
    for begin, end, one in found:
        if one is not None and one.follows:
            read = one.words if one.words[-1:] in ".!?" else f"{one.words}."
            changes.append((_Piece(begin, begin + len(text[begin:end].rstrip()), read), one.reason))
    return changes


def _in_their_form(text: str, theirs: Forms) -> list[_Piece]:
    """Return changes by which quantities get the form of equal ones in other texts, where those have no equal form."""
    forms = {form.casefold() for form in theirs.written}
    pieces: list[_Piece] = []
    for said, there, form in _TIMES if _TIMES_SAID.search(text) else ():
        if any(there.search(other) for other in theirs.texts) and not any(said.search(other) for other in theirs.texts):
            pieces += [_Piece(*match.span(), form) for match in said.finditer(text)]
    for one in quantities(text):
        written = text[one.begin : one.end]
        if (_loose(one) and not is_share(text, one)) or one.kind in IDENTIFIERS or written.casefold() in forms:
            continue
        near = islice(theirs.equal.same(one), _FORMS)
        first = min((number for number in near if _equal(one, theirs.equal.of[number])), default=None)
        if first is None and _ROUGHLY.search(text[max(0, one.begin - 20) : one.begin]) and one.kind in CONVERTED:
            first = next((n for n, other in enumerate(theirs.equal.of[:_FORMS]) if _converted(one, other)), None)
        if first is not None:
            pieces.append(_Piece(one.begin, one.end, theirs.written[first]))
    return pieces


def forms_of(others: Iterable[str]) -> Forms:
    """Return the quantities of texts, each form of each once."""
    texts = tuple(others)
    found = (
        (one, other[one.begin : one.end])
        for other in texts
        for one in quantities(other)
        if one.kind == "percent" or not _loose(one)
    )
    once = {(one._replace(begin=0, end=0), form): None for one, form in found}
    return Forms(EqualQuantities([one for one, _ in once]), [form for _, form in once], texts, Spellings(texts))


def _loose(one: Quantity) -> bool:
    """Return whether a quantity is an expression like "a minute"; noon and midnight are times as others are."""
    return one.weak and one.kind != "clock"


def _converted(one: Quantity, other: Quantity) -> bool:
    """Return whether a measure is about another one in another unit, as 42 km is 26 miles."""
    if one.kind != other.kind or one.kind == "temperature" or not (one.written > 0 and other.written > 0):
        return False
    a, b = one.value[0] or 0.0, other.value[0] or 0.0
    units = abs(a / one.written - b / other.written) > 1e-9 * abs(b / other.written)
    return units and abs(a - b) <= 0.03 * abs(b)


def _equal(one: Quantity, other: Quantity) -> bool:
    """Return whether one quantity can be written as another.

    It has the same value in the same precision, read in the same way. A temperature can be of another scale.
    """
    ambiguous = one.kind != "date" and not (one.other is None and other.other is None)
    if one.kind != other.kind or ambiguous or not same(one, other):
        return False
    if one.kind == "date":
        return one.value == other.value
    whole = all((a is None) == (b is None) for a, b in zip(one.value, other.value, strict=True))
    converted = one.kind == "temperature" and bool(one.unit and other.unit)
    return whole and (one.kind not in ("money", "temperature") or one.unit == other.unit or converted)
