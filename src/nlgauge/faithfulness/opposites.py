"""English antonyms, and words that express different degrees."""

from __future__ import annotations

from collections.abc import Mapping

_OPPOSITES = """
rose fell; rises falls; rise fall; rising falling; risen fallen; increased decreased; increases decreases;
increase decrease; increasing decreasing; grew shrank; grows shrinks; grow shrink; growing shrinking; growth decline;
gained lost; gains losses; gain loss; won lost; wins loses; win lose; winner loser; climbed dropped; climbs drops;
raised lowered; raises lowers; raise lower; expanded contracted; expansion contraction; improved worsened;
improves worsens; improve worsen; improvement deterioration; strengthened weakened; strengthens weakens;
stronger weaker; strong weak; doubled halved; accelerated slowed; widened narrowed; heated cooled; warmed cooled;
warmer cooler; warm cold; hot cold; hotter colder; lengthened shortened; longer shorter; long short; deepened eased;
more fewer; more less; most least; many few; higher lower; highest lowest; high low; larger smaller; largest smallest;
large small; bigger smaller; biggest smallest; big small; taller shorter; older younger; oldest youngest; old new;
newer older; newest oldest; early late; earlier later; earliest latest; first last; before after; begins ends;
began ended; begin end; beginning end; start end; started ended; starts ends; started finished; opened closed;
opens closes; open closed; opening closing; opening closure; arrived left; arrives leaves; arrival departure;
entered left; entry exit; joined left; joins leaves; accepted rejected; accepts rejects; accept reject;
approved rejected; approves rejects; approve reject; approval rejection; agreed refused; agrees refuses;
allowed banned; allows bans; allow ban; permitted prohibited; permits prohibits; legal illegal; lawful unlawful;
supported opposed; supports opposes; support oppose; supporters opponents; supporting opposing; for against;
praised criticised; praised condemned; confirmed denied; confirms denies; confirm deny; admitted denied;
remembered forgot; success failure; succeeded failed; succeeds fails; successful unsuccessful; passed failed;
possible impossible; able unable; likely unlikely; certain uncertain; sure unsure; safe dangerous; safer riskier;
safely dangerously; healthy ill; sick healthy; alive dead; born died; birth death; survived died; survivors victims;
wet dry; light heavy; light dark; lighter heavier; bright dim; deep shallow; wide narrow; wider narrower; thick thin;
thicker thinner; full empty; filled emptied; hard soft; loud quiet; fast slow; faster slower; quickly slowly;
quick slow; easy difficult; easier harder; easily barely; simple complex; cheap expensive; cheaper dearer; rich poor;
richer poorer; good bad; better worse; best worst; positive negative; advantage disadvantage; advantages drawbacks;
benefit harm; beneficial harmful; useful useless; helped hindered; north south; northern southern;
northwest southeast; northeast southwest; east west; eastern western; left right; upper lower; top bottom;
above below; over under; up down; upstairs downstairs; upstream downstream; upwards downwards; inside outside;
indoors outdoors; inner outer; internal external; front back; forward backward; ahead behind; near far;
nearest farthest; public private; male female; men women; man woman; boys girls; boy girl; father mother;
fathers mothers; son daughter; sons daughters; brother sister; brothers sisters; husband wife; uncle aunt; king queen;
actor actress; friend enemy; friends enemies; ally opponent; attacked defended; attacks defends; bought sold;
buys sells; buy sell; buyer seller; buyers sellers; purchase sale; borrowed lent; gave received; gives receives;
sent received; imports exports; imported exported; added removed; adds removes; add remove; included excluded;
includes excludes; include exclude; including excluding; built demolished; created destroyed; creates destroys;
installed removed; appeared disappeared; present absent; presence absence; pushed pulled; attached detached;
connected disconnected; locked unlocked; covered uncovered; visible hidden; known unknown; famous obscure;
popular unpopular; common rare; frequently rarely; often rarely; often seldom; usually rarely; always never;
everyone nobody; everybody nobody; everything nothing; all none; both neither; majority minority; major minor;
maximum minimum; permanent temporary; permanently temporarily; voluntary compulsory; mandatory optional;
required optional; necessary unnecessary; formal informal; official unofficial; paid unpaid; guilty innocent;
true false; real fake; right wrong; correct incorrect; correctly wrongly; urban rural; ancient modern;
domestic foreign; national local; day night; morning evening; daily weekly; weekly monthly; monthly yearly;
summer winter; spring autumn; sunrise sunset; dawn dusk; automatically manually; automatic manual; online offline;
free paid; single married; married divorced; hired dismissed; promoted demoted; employed unemployed;
employment unemployment; profit loss; profits losses; surplus deficit; credit debt; income expenses;
upgraded downgraded; black white; renewed cancelled; delayed advanced; postponed advanced; extended shortened;
ascending descending; ascended descended; sank rose; floated sank; froze melted; frozen thawed; tightened loosened;
tighter looser; sharpened dulled; sweet bitter; voted abstained; retreated advanced; surrendered resisted; peace war;
victory defeat; victories defeats; winners losers; optimistic pessimistic; happy unhappy; satisfied dissatisfied;
pleased annoyed; calm stormy; sunny cloudy; clear unclear
"""  # The words of a pair have the same form, so that replacing one by the other keeps a sentence grammatical.

STRENGTHS: tuple[tuple[str, ...], ...] = (
    ("all", "most", "some", "few"),
    ("every", "almost every"),
    ("at least", "at most", "exactly"),
    ("more than", "less than", "exactly"),
    ("over", "under"),
    ("nearly", "well over"),
    ("always", "sometimes", "never"),
    ("usually", "always", "rarely"),
    ("often", "always", "rarely"),
    ("only", "mainly"),
    ("must", "may", "need not"),
    ("may", "will", "cannot"),
    ("might", "will", "cannot"),
    ("can", "cannot", "must"),
    ("could", "would", "could not"),
    ("should", "must", "need not"),
    ("planned to", "refused to"),
    ("is planned to", "has begun to"),
    ("plans to", "refuses to", "has managed to"),
    ("hopes to", "refuses to"),
    ("is expected to", "is certain to", "is not expected to"),
    ("are expected to", "are certain to", "are not expected to"),
    ("was expected to", "was not expected to"),
    ("failed to", "managed to"),
    ("managed to", "failed to"),
    ("tried to", "managed to", "refused to"),
    ("was proposed", "was adopted", "was rejected"),
    ("is thought to", "is known to"),
    ("is believed to", "is known to"),
    ("suggests", "proves"),
    ("suggest", "prove"),
    ("suggested", "proved"),
    ("probably", "certainly"),
    ("possibly", "certainly"),
    ("partly", "wholly"),
    ("some", "all", "none"),
    ("several", "all", "two"),
    ("once", "twice"),
    ("both", "only one"),
)
"""Sets of quantifiers and modals. The words of a set stand for different degrees or different certainty"""


def _pairs() -> Mapping[str, tuple[str, ...]]:
    opposites: dict[str, dict[str, None]] = {}
    for pair in _OPPOSITES.replace("\n", ";").split(";"):
        if pair.strip():
            word, other = pair.split()
            opposites.setdefault(word, {})[other] = None
            opposites.setdefault(other, {})[word] = None
    return {word: tuple(others) for word, others in opposites.items()}


OPPOSITES: Mapping[str, tuple[str, ...]] = _pairs()
"""For each word, in lower case, its antonyms"""
