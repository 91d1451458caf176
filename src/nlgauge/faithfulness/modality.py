"""Answers that tell as done what the source only plans, or tell as shown what it only claims.

"The council built a pool" has nearly the words of a source that says "The council plans to build a pool". "Tests showed
that the lamp is waterproof" has nearly the words of "The seller claims that the lamp is waterproof". A model that reads
words sees neither difference. The rules here know some frames of English, and say nothing about all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.stems import LONGEST, WORD, negated, short_sentences, stem_of

_EVENT = r"\s+(?=(?P<event>[^.;:!?]+))"
_PLANNED = re.compile(
    r"\b(?P<marker>(?:plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|hop(?:es?|ed|ing)|aim(?:s|ed|ing)?|want(?:s|ed)?"
    r"|expect(?:s|ed)?|due|scheduled|set|(?<!you're )(?<!you are )going|agreed|promis(?:es?|ed)|tr(?:y|ies|ied)"
    r"|prepar(?:es?|ed|ing)|offer(?:s|ed)?|threaten(?:s|ed)?|ready|yet|permission|licen[cs]e|works?|efforts?|attempts?"
    r"|refus(?:es?|ed)|declin(?:es?|ed)|fail(?:s|ed)?|forgot|needs?|ha(?:s|ve)|ought"
    r"|(?<!job )(?<!goal )(?<!task )(?<!idea )(?<!point )(?<!aim )(?:is|are)) to(?: be)?"
    r"|(?:was|were) to have(?: been)?|(?:will|shall|should|must)(?! not\b)(?: be)?"
    r"|th(?:inks?|inking|ought) (?:about|of)"
    r"|(?:promis|hop|expect|propos|plans?|scheme|draft|bill|sa(?:y|id))\w*\b[^.;:!?]{0,60}\bwould(?! not\b)(?: be)?"
    r"|propos(?:es?|ed|ing|als? (?:for|of))|consider(?:s|ed|ing)?|plan(?:s|ned)? (?:for|of)"
    rf"|(?:scheduled|planned|due) for|call(?:s|ed)? for){_EVENT}",
    re.IGNORECASE,
)
"""Words before an event that is still to come, or that did not come. "Was to" and "would" alone are left out, since the
event may have come"""
_SAID = re.compile(
    r"\b(?P<marker>(?:(?:accused|suspected|charged)(?: by [\w ]{1,30})? (?:of|with)"
    r"|(?:rumou?r|legend|tradition) has it(?: that)?|allegedly|supposedly|reportedly|reputedly"
    r"|according to (?:the|its|their|his|her) (?:maker|seller|owner|manufacturer|producer|neighbou?rs|label|brochure),)"
    r"(?P<clause>)"
    r"|(?:claim|alleg|believ|suspect|assum|argu|think|thought|suggest|rumou?r|promis|insist|fear|say|said)"
    r"(?:e?s|e?d|ing|e)?(?P<clause_of> that\b| to(?: be)?\b"
    r"|(?=\s+(?:the|an?|its?|his|her|their|they|s?he|we|this)\s))?)"
    rf"{_EVENT}",
    re.IGNORECASE,
)
"""Words before something that somebody says or thinks"""
_DOUBTED = re.compile(
    r"(?:claim(?:s|ed)?|alleg(?:es?|ed)|believes?|suspect(?:s|ed)?|insist(?:s|ed)?|fear(?:s|ed)?|rumou?red) that\b"
    r"|(?:alleged|believed|suspected) to\b|accused|suspected (?:by|of)|charged|rumou?r has|legend has|\w+ly\Z",
    re.IGNORECASE,
)
"""The words of `_SAID` by which a source leaves open whether something is true. "Said" is not among them, because most
people repeat as a fact what somebody said"""
_SHOWS = (
    r"show(?:s|ed|n)?|prov(?:es?|ed|en)|found|confirm(?:s|ed)?|demonstrat(?:es?|ed)|establish(?:es|ed)?|reveal(?:s|ed)?"
    r"|measured|verified|proof"
)
_EVIDENT = re.compile(rf"\b(?P<marker>{_SHOWS}|convicted)(?: that| of)?{_EVENT}", re.IGNORECASE)
"""Words before something that somebody has shown"""
_CALLED_SHOWN = re.compile(rf"\b(?:(?:{_SHOWS}) (?:that|(?P<of>to))|convicted of){_EVENT}", re.IGNORECASE)
"""Words by which an answer says that a statement is shown"""
_SUPPOSED = re.compile(r"\b(?:if|unless|whether|you|suppose)\b", re.IGNORECASE)
"""Words of a supposition or a question, which state nothing"""
_OPEN = re.compile(
    r"\b(?:will|would|shall|should|(?-i:may)|might|could|can|must|to be|if|unless|until|plan\w*|inten[dt]\w*"
    r"|hop(?:e|es|ed|ing)|aim\w*|want\w*|expect\w*|due|schedul\w*|going|set to|propos\w*|consider\w*|suggest\w*"
    r"|agree\w*|promis\w*|tr(?:y|ies|ied|ying)|offer\w*|claim\w*|alleg\w*|believ\w*|belief|suspect\w*|suspicion"
    r"|suppos\w*|assum\w*|argu\w*|thinks?|thought|rumou?r\w*|insist\w*|fear\w*|says?|said|told|tells|according"
    r"|report\w*|announc\w*|accus\w*|charged|decid\w*|likely|perhaps|possib\w*|probab\w*|apparent\w*|seem\w*"
    r"|appear\w*|prepar\w*|threat\w*|ready|yet|being)\b|[\"“?]",
    re.IGNORECASE,
)
"""Words by which an answer, too, leaves open whether something is true or will be done, or names the speaker"""
_PAST = """
bear: bore borne; become: became become; bend: bent; bind: bound; blow: blew blown; dig: dug; forbid: forbade
forbidden; forget: forgot forgotten; freeze: froze frozen; grind: ground; light: lit; overcome: overcame;
shake: shook shaken; shine: shone; shrink: shrank shrunk; slide: slid; spin: spun; stick: stuck; sweep: swept;
swear: swore sworn; tear: tore torn; undergo: underwent undergone; wake: woke woken; weave: wove woven; wind: wound;
begin: began begun; break: broke broken; bring: brought; build: built; buy: bought;
catch: caught; choose: chose chosen; come: came come; cut: cut; deal: dealt; draw: drew drawn;
drive: drove driven; eat: ate eaten; fall: fell fallen; feed: fed; fight: fought; find: found; fly: flew flown;
get: got gotten; give: gave given; go: went gone; grow: grew grown; hang: hung; hear: heard; hide: hid hidden;
hit: hit; hold: held; hurt: hurt; keep: kept; know: knew known; lay: laid; lead: led; leave: left; lend: lent;
let: let; lose: lost; make: made; meet: met; pay: paid; put: put; quit: quit; rebuild: rebuilt; resell: resold;
ride: rode ridden; ring: rang rung; rise: rose risen; run: ran run; say: said; see: saw seen; seek: sought;
sell: sold; send: sent; set: set; shoot: shot; shut: shut; sing: sang sung; sink: sank sunk; sleep: slept;
speak: spoke spoken; spend: spent; split: split; spread: spread; stand: stood; steal: stole stolen; strike: struck;
swim: swam swum; take: took taken; teach: taught; tell: told; throw: threw thrown; wear: wore worn; win: won;
withdraw: withdrew withdrawn; write: wrote written
"""
_VERBS = {
    form: verb.strip()
    for verb, forms in (line.split(":") for line in _PAST.replace("\n", " ").split(";"))
    for form in forms.split()
}
"""For each irregular form of the past, its verb"""
_NOT_PAST = re.compile(r"\b(?:is|are|be|being|to|gets?)\s+(?:(?:\w+ly|always|often|also|never)\s+)?\Z", re.IGNORECASE)
"""Words before a participle of something that is done now, or is to be done"""
_OF_A_THING = re.compile(r"(?:\b(?:the|an?|this|these|its|their|your)\s+|,\s*)\Z", re.IGNORECASE)
"""Words before a participle that may belong to a thing, as in "the painted door" """
_UNCHANGED = frozenset(["cut", "hit", "hurt", "let", "put", "quit", "set", "shut", "split", "spread"])
_ORDERED = re.compile(r"(?:^\W*|[,;:]\s*|\b(?:and|or|then|you|they|we|I|to)\s+)\Z", re.IGNORECASE)
"""Words before a verb of `_UNCHANGED` that may be no past, as in "and cut the bread" """
_IS_PLANNED = re.compile(
    r"(?P<thing>[^,.;:!?]{1,120}?) (?:is|are|has been|have been) (?:being )?"
    r"(?P<marker>planned|intended|proposed|considered|expected)(?P<rest> (?:for|in|by|on|at) [^,.;:!?]{1,80})?[.!]?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_LIKE_HOW = frozenset(
    ["reply", "apply", "supply", "rely", "comply", "imply", "multiply", "fly", "ally", "family", "july"]
)
"""Words in "-ly" that are no adverbs"""
_PLAN, _SAYING = "the source has it as planned: “{}”", "the source has it only as said: “{}”"
_AGAIN = re.compile(r"\w\s+(?:it|them|this|that|so)\b", re.IGNORECASE)
"""A verb and a pronoun for a thing that was named before, as in "built it" """
_DID_SO = re.compile(r"\b(?:did|done|does) (?:so|it|this|that)\b", re.IGNORECASE)
_MOST_TOLD = 60
"""The most frames of a kind, and the most sentences for each verb in the past, that are compared"""
_MOST_OTHERS = 300
"""The most sentences of a source that is searched for a sentence that says a doubted thing without a doubt"""
_ENOUGH = 2 / 3
"""The share of the words of an answer's sentence that the sentence of the source must have"""


class _Frame(NamedTuple):
    """A sentence by which something is planned, said or shown."""

    text: str
    marker: str
    """The words for planning, saying or showing, such as "plans to" """
    stems: frozenset[str]
    """The stems of the sentence"""
    event: frozenset[str]
    """The stems of the words after the marker, which say what is planned, said or shown"""
    verb: str
    """The stem of the first word after the marker"""
    clause: bool
    """Whether a statement follows the marker, and not the name of a thing"""


class ModalSource:
    """A source, prepared for the rules of plans and claims.

    To bound the time, only the first plans and the first claims of the source are used.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._short = short_sentences(texts)
        self._planned = list(islice(_frames(self._short, _PLANNED), _MOST_TOLD))
        self._said = list(islice(_frames(self._short, _SAID), _MOST_TOLD))

    def __bool__(self) -> bool:
        return bool(self._planned or self._said)

    def difference(self, sentence: str) -> str | None:
        """Return why a sentence differs from the source: it tells a plan as done, or a claim as shown or as a fact.

        Args:
            sentence: a sentence of an answer.

        Returns:
            The difference in words, for the reader; None if there is none.
        """
        if len(sentence) > LONGEST or negated(sentence):
            return None
        if (shown := _CALLED_SHOWN.search(sentence)) is not None and not _SUPPOSED.search(sentence):
            of = sentence[: shown.start()] if shown["of"] else ""  # "is shown to be", of what stands before
            return self._not_shown(frozenset(_stems(f"{of} {shown['event']}")))
        return None if _OPEN.search(sentence) else self._not_done(sentence) or self._left_open(sentence)

    def follows(self, sentence: str) -> str | None:
        """Return the sentence of the source from which it follows that a thing is planned.

        Args:
            sentence: a sentence of an answer, such as "A pool is planned for 2027", which follows from "The council
                plans to build a pool in 2027".

        Returns:
            The sentence of the source; None if the answer states no plan, or if the source does not have the plan.
        """
        if not self._planned or len(sentence) > LONGEST or (said := _IS_PLANNED.fullmatch(sentence.strip())) is None:
            return None
        thing, rest = (frozenset(_stems(said[name] or "")) for name in ("thing", "rest"))
        marker = _stem(said["marker"].lower())
        for frame in self._planned if thing and not negated(sentence) else ():
            if next(_stems(frame.marker), "") == marker and thing <= frame.event and rest <= frame.event:
                return frame.text.strip()
        return None

    def _not_done(self, sentence: str) -> str | None:
        """Return why a sentence differs: it tells a plan as done, and the source has only the plan; None otherwise."""
        done = frozenset(_in_the_past(sentence, certain=True)) if self._planned else frozenset()
        others = frozenset(_stems(sentence)) - done
        for frame in self._planned if done and others else ():
            if frame.verb not in done or len(others & frame.stems) < _ENOUGH * len(others):
                continue
            told = self._told.get(frame.verb, [])
            came = len(told) >= _MOST_TOLD or any(stems is None or others & stems for stems in told)
            # What was to come in a year is told later as done in it.
            dated = not told and set(_YEAR.findall(sentence)) & set(_YEAR.findall(frame.text))
            return None if came or dated or _DID_SO.search(frame.text) else _PLAN.format(frame.marker)
        return None

    def _left_open(self, sentence: str) -> str | None:
        """Return why a sentence differs: it tells as a fact what the source has as a claim alone; None otherwise."""
        said = frozenset(_stems(sentence))
        for frame in self._said if len(said) > 1 and len(self._short) <= _MOST_OTHERS else ():
            if (
                _DOUBTED.match(frame.marker) is None
                or _SUPPOSED.search(frame.text)
                or not said <= frame.stems
                or _EVIDENT.search(frame.text)
            ):
                continue
            whole = re.search(r"(?:of|with|ly|to)\Z", frame.marker) is not None  # what it is said of stands before
            if frame.verb not in said if whole else not said <= frame.event or 2 * len(said) < len(frame.event):
                continue
            others = (stems for text, stems in self._stems if text != frame.text and not negated(text))
            if any(len(said & stems) >= _ENOUGH * len(said) for stems in others):
                return None
            return _SAYING.format(frame.marker)
        return None

    def _not_shown(self, event: frozenset[str]) -> str | None:
        """Return why a sentence differs: it tells as shown what the source only says; None otherwise.

        Args:
            event: the stems of what the sentence tells as shown.
        """
        for frame in self._said if len(event) > 1 else ():
            if frame.clause and len(event & frame.event) >= _ENOUGH * len(event):
                shown = any(len(event & other.stems) >= _ENOUGH * len(event) for other in self._shown)
                return None if shown else _SAYING.format(frame.marker)
        return None

    @cached_property
    def _shown(self) -> list[_Frame]:
        return list(islice(_frames(self._short, _EVIDENT), _MOST_TOLD))

    @cached_property
    def _stems(self) -> list[tuple[str, frozenset[str]]]:
        """All short sentences of the source, each with its stems."""
        return [(text, frozenset(_stems(text))) for text in self._short]

    @cached_property
    def _told(self) -> dict[str, list[frozenset[str] | None]]:
        """For each verb, the stems of each sentence that has this verb in the past.

        For a sentence with a pronoun, such as "she built it", there is None in place of stems.
        """
        told: dict[str, list[frozenset[str] | None]] = {}
        for text in self._short:
            stems = None if _AGAIN.search(text) else frozenset(_stems(text))
            for verb in set(_in_the_past(text)):
                if len(held := told.setdefault(verb, [])) < _MOST_TOLD:
                    held.append(stems)
        return told


def _frames(texts: Iterable[str], pattern: re.Pattern[str]) -> Iterator[_Frame]:
    """Yield the frames of sentences: each match of the pattern that the sentence does not deny."""
    for text in texts:
        for match in pattern.finditer(text):
            begin = max(text.rfind(sign, 0, match.start()) for sign in ";:") + 1
            if negated(text[begin : match.end("event")]):
                continue
            event = list(_stems(match["event"]))
            yield _Frame(
                text=text,
                marker=match["marker"],
                stems=frozenset(_stems(text)),
                event=frozenset(event),
                verb=event[0] if event else "",
                clause=any(name.startswith("clause") and of is not None for name, of in match.groupdict().items()),
            )


def _in_the_past(text: str, certain: bool = False) -> Iterator[str]:
    """Yield the stems of the verbs of a text that are in the past; with `certain`, only of those that certainly are."""
    for match in WORD.finditer(text):
        word = match.group().lower()
        past = word in _VERBS or (len(word) > 3 and word.endswith("ed") and not is_stopword(word))
        before = text[max(0, match.start() - 30) : match.start()] if past else ""
        if not past or _NOT_PAST.search(before):
            continue
        if not (certain and (_OF_A_THING.search(before) or (word in _UNCHANGED and _ORDERED.search(before)))):
            yield _stem(word)


def _stems(text: str) -> Iterator[str]:
    """Return the stems of a text's words, without stop-words and adverbs. Past forms have the stem of their verb."""
    words = (word.lower() for word in WORD.findall(text))
    content = (word for word in words if word in _VERBS or not is_stopword(word))
    return (_stem(word) for word in content if not word.endswith("ly") or word in _LIKE_HOW)


def _stem(word: str) -> str:
    """Return the stem of a word. "Built" and "building" have the stem of "build", "planned" that of "plan"."""
    word = _VERBS.get(word, word)
    stem = stem_of(word[:-2] if word.endswith("ened") else word)
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls"
    return stem[:-1] if doubled else stem
