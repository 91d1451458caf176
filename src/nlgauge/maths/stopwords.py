"""English stopwords. The list is part of the package, so that scoring needs no download."""

_LIST = """
a an the this that these those such each every either neither both all any some few more most other another own same
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us our
ours ourselves they them their theirs themselves who whom whose which what am is are was were be been being have has had
having do does did doing done will would shall should can could might must ought cannot of in on at by for with about
against between into through during before after above below to from up down out off over under within without upon onto
toward towards among as than and or but nor so yet if unless because although though while whereas whether until since
when where why how not no very too also just only even then there here now again once further
s t d m n o ll re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn shan shouldn couldn mustn needn ain
"""
STOPWORDS = frozenset(_LIST.split())
"""In lower case. "don't" is in it as two words, don and t. "may" is not in it, because it is also a month"""


def is_stopword(word: str) -> bool:
    """Whether a word is a stopword, ignoring case and spaces around it."""
    return word.strip().lower() in STOPWORDS
