"""Rules for English: its stopwords, and which texts are clearly not English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

_STOPWORDS = """
a an the this that these those such each every either neither both all any some few more most other another own same
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us our
ours ourselves they them their theirs themselves who whom whose which what am is are was were be been being have has had
having do does did doing done will would shall should can could might must ought cannot of in on at by for with about
against between into through during before after above below to from up down out off over under within without upon onto
toward towards among as than and or but nor so yet if unless because although though while whereas whether until since
when where why how not no very too also just only even then there here now again once further
s t d m n o ll re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn shan shouldn couldn mustn needn ain
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""English stopwords in lower case. "don't" is listed as two words, don and t. "may" is left out, since it is also a
month"""


def is_stopword(word: str) -> bool:
    """Return whether a word is a stopword, ignoring case and spaces around it."""
    return word.strip().lower() in STOPWORDS


_LETTERS, _FEWEST_WORDS, _HITS = 12, 6, 3
"""The least numbers of letters and of words in a text that is checked, and of frequent words of another language"""
_MARKED, _MARKED_WORDS = 0.3, 8
"""The least share of words with letters that English does not have, and the least number of words for this check"""
_RUN = re.compile(r"[^\W\d_]{2,}")
_LISTS = """
English: a about after all an and any are as at be been before but by can could did do does for from had has have he
 her him his how i if in into is it its me more most my no not of on or our out over she so some than that
 the their them then there these they this those to up was we were what when where which who why will with
 would yes you your
German: ab aber alle am auch auf aus bei beim bis das dass dem den der des die durch ein eine einem einen einer er es
 für gegen haben hat hatte ich ihre im ist kein keine können mehr mit nach nachdem nicht noch nur oder ohne
 sein seine seit sich sie sind um und uns unter vom von vor waren wenn werden wie wir wird wurde wurden zu zum
 zur über
French: après au aussi aux avait avant avec ce ces cette chez comme dans depuis des deux dont du elle elles est et il
 ils la le les leur leurs mais nous ont ou où par pas plus pour que qui sans sont sous sur tout très une vous été
 être
Spanish: al cada como con cuando del desde el en entre era es esta este está fue ha han hasta hay la las le lo los muy
 más no para pero por porque que se sin sobre son su sus también un una y ya
Italian: al alla anche che come con dal dalla dei del della delle di dopo e era gli ha hanno il la le lo ma nel nella
 nelle non per perché più prima questa questo se si sono un una è
Portuguese: a ao as com como da das de do dos e em foi mais mas nas nos não o os ou para pela pelo por que se seu sua
 são também um uma é
Dutch: aan bij dat de deze die dit door een en er hebben heeft het hij is maar met naar niet nog om ook op te uit
 van voor was werd wij worden wordt ze zij zijn
Swedish: att av de den det där efter eller en ett från för han har hon inte kan med men när och om på sig ska som
 till var vi vid är
Polish: ale być był była dla jak jego jest która który nie o od oraz po przez się są że
Turkish: ama bir bu da daha de değil en gibi ile için kadar ne olan olarak sonra var ve çok
"""
_FREQUENT: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in (line.split(": ") for line in _LISTS.strip().replace("\n ", " ").split("\n"))
}
_ENGLISH = _FREQUENT["English"]
_OWN = {
    name: frozenset(word for word in words - _ENGLISH if len(word) > 1)
    for name, words in _FREQUENT.items()
    if name != "English"
}


def foreign(text: str) -> str | None:
    """Return the language or script of a text that is clearly not English, such as 'German' or 'Cyrillic'.

    By its script, a text is not English if fewer than half of its letters are Latin. By its words, it is not English if
    it has at least three frequent words of another language, if these are at least a quarter of its words, and if they
    are at least three times as many as its frequent English words. Two such words are enough if the text has no
    frequent English word, and a word with letters that English does not have. A text is also not English if none of its
    words is a frequent English word, and three of ten have such letters.

    Args:
        text: the text.

    Returns:
        The name, or None for a text that may be English.
    """
    letters = [sign for sign in text[:2000] if sign.isalpha()]
    if len(letters) < 3:
        return None
    scripts = Counter(
        "Latin" if sign < "\u0250" else unicodedata.name(sign, "UNKNOWN").split()[0].title() for sign in letters
    )
    script, most = scripts.most_common(1)[0]
    if script != "Latin" and scripts["Latin"] * 2 < len(letters):
        wide = script in _DENSE
        return _CALLED.get(script, script) if most >= (_LETTERS if not wide else 3) else None
    words = [word.lower() for word in _RUN.findall(text[:4000])]
    if len(words) < _FEWEST_WORDS:
        return None
    english = sum(word in _ENGLISH for word in words)
    name, hits = max(
        ((name, sum(word in frequent for word in words)) for name, frequent in _OWN.items()),
        key=lambda counted: counted[1],
    )
    # Names do not count.
    marked = sum(not word.isascii() and word[0].islower() for word in _RUN.findall(text[:4000]))
    needed = _HITS - (not english and marked > 0)
    if hits >= needed and hits * 4 >= len(words) and hits >= 3 * english:
        return name
    enough = len(words) >= _MARKED_WORDS and marked >= _MARKED * len(words) and not english
    return "a Latin script, and no English word" if enough else None


_DENSE = frozenset({"Cjk", "Hiragana", "Katakana", "Hangul"})
"""Scripts in which a few characters can be a sentence"""
_CALLED = {"Cjk": "Chinese characters"}
"""The names by which readers know scripts that Unicode names otherwise"""
