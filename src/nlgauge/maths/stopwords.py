"""English words that carry grammar and little else. Ours, so that a score never waits for a download."""

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
"""In lower case. "don't" stands as its two words, don and t; "may" is not among them: it is a month too"""


def is_stopword(word: str) -> bool:
    """Whether a word, without the spaces around it and without case, is one of them."""
    return word.strip().lower() in STOPWORDS
