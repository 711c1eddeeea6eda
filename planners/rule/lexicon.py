"""The words of household instructions that the looser reading knows, by what they do in a sentence."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from perception.colours import COLOUR_WORDS
from perception.names import canonical, normalise, vocabulary
from planners.common_sense import CONTAINERS, LARGE, ROOMS, SMALL, SURFACES


class Kind(StrEnum):
    """What a word or a run of words does in a sentence."""

    THING = "thing"
    PLACE = "place"
    EVERYTHING = "everything"
    REST = "the rest"
    NUMBER = "number"
    PRONOUN = "pronoun"
    THERE = "there"
    HERE = "here"
    DOOR = "door"
    TO = "to"
    AT = "at"
    FROM = "from"
    NEAR = "near"
    WITH = "with"
    BESIDES = "except"
    TAKE = "take"
    MOVE = "move"
    VISIT = "visit"
    CLEAR = "clear"
    FREE = "free"
    APPLIANCE = "appliance"
    CLOSE = "close"
    OPEN = "open"
    SWAP = "swap"
    JOIN = "join"
    ADD = "add"
    LAY = "lay"
    TOTAL = "total"
    STAY = "stay"
    IS = "is"
    HAS = "has"
    MUST = "must"
    NOT = "not"
    PERSON = "I"
    ASK = "want"
    AND = "and"
    COMMA = ","
    COLON = ":"
    STOP = "."
    BEYOND = "beyond"
    FILLER = "filler"
    UNKNOWN = "unknown"


_WORDS = {
    Kind.PRONOUN: "it|them|they|those|these|that|this|both|each|all|one|another|either|the one|all of them|both of them"
    "|all of it|each of them|every one of them|one of them|another one|which",
    Kind.THERE: "there|in there|on there|over there|therein|thereon",
    Kind.HERE: "here|over here|in here",
    Kind.DOOR: "door|doors|the door|the doors|its door|every door|any door|all doors|their doors",
    Kind.REST: "the rest|everything else|anything else|all else|the others|the other things|the remainder",
    Kind.EVERYTHING: "everything|whatever|anything",
    Kind.TO: "to|into|onto|over to|over into|over onto|back to|back into|back onto|on to|in to|up to|towards|across to",
    Kind.AT: "in|on|at|inside|within|on top of|upon|atop|by|back in|back on|over on|over in|down on|down in",
    Kind.FROM: "from|out of|off|of|from inside|from within|from on|outside of",
    Kind.NEAR: "beside|next to|near|close to|behind|under|in front of|around|against|between|above|below|towards",
    Kind.WITH: "with|together with|along with|as well as|plus",
    Kind.BESIDES: "except|except for|but not|apart from|but for|besides|other than|excluding",
    Kind.TAKE: "take|get|fetch|grab|pick|pick up|find|search|look for|choose|select|taking|take out|get out",
    Kind.MOVE: "put|place|move|bring|carry|store|transfer|drop|deliver|leave|return|stow|stash|collect"
    "|gather|hide|keep|stick|pop|serve|line|arrange|distribute|throw|lift|shift|hand"
    "|bringing|putting|moving|let|have|position|slide|drag|rest|sort|give",
    Kind.VISIT: "come|wait|walk|drive|navigate|visit|head|wait for me|go and wait|come back",
    Kind.CLEAR: "clear|empty|tidy|clear out|clear off|clear up|tidy up|empty out|unload",
    Kind.FREE: "free|cleared|emptied|vacated|freed|defrosted|sold|cleaned|painted|repaired|selling|defrosting",
    Kind.CLOSE: "close|closes|closed|closing|shut|shuts|shutting|close up|shut up|closed up",
    Kind.OPEN: "open|opened|opens",
    Kind.SWAP: "swap|exchange|switch|change places|changes places|swap places|swaps places|trade places|trades places"
    "|switch places|interchange|change place",
    Kind.JOIN: "join|joins",
    Kind.LAY: "lay|set|prepare|load|stock|decorate",
    Kind.ADD: "add",
    Kind.TOTAL: "exactly|in all|in total|altogether|fill up to|top up to|stock up to|fill it up to|make it",
    Kind.STAY: "stay|stays|stay there|stays there|stay where it is|stays where it is|stay put|stays put|remains|remain"
    "|alone|where they are|where it is",
    Kind.IS: "is|are|am|was|were|has been|have been|had been|'s|lies|lie|stands|stand|sits|sit|left|has got|got lost"
    "|have no business|has no business|do not belong|does not belong|is kept|are kept|there is|there are",
    Kind.HAS: "has|holds|contains|contain|hold",
    Kind.MUST: "must|should|shall|ought|ought to|has to|have to|needs to|need to|be|to be|belong|belongs|wanted|needed"
    "|supposed|had better|would be|will be|can be|go|goes|may|could|can",
    Kind.NOT: "not|no|never|nothing|none|without|neither|nor|nobody|cannot",
    Kind.PERSON: "i|we",
    Kind.ASK: "love|wants|want|need|wish|ask|expect|hope|would like|could do with|would love|like|would have",
    Kind.AND: "and|but|then|so|and then|and so|or so|as well|also|too|next|afterwards|after that|finally|yet",
    Kind.BEYOND: "if|unless|until|or|instead|whether|otherwise|else|number|how many|how much|when|whenever"
    "|while|before|after|once|as long as|in case|provided|when there is|when there are",
    Kind.FILLER: "the|a|an|some|any|my|your|our|his|her|their|its|every|something|someone|please|now|again|you|me|us"
    "|him|robot|homie|hey|hi|hello|ok|okay|would|will|will do|do|does|did|doing|done|just|only|really|very|quite|rather"
    "|still|already|ready|first|later|soon|tonight|today|tomorrow|outside|indoors|somewhere|anywhere|away|up|down"
    "|out|over|back|around|ends|ended|end|being|used|help|try|make sure|see|look|looks|like|for|because|as|at all"
    "|off|together|to cool|needs|need|stay|stays|spoil|keep|keeps|kept|block|blocks|dry|cold|cool|warm|nice|better"
    "|best|well|straight|right|however|since|what|whichever|there is|there are|found|finds|that is|long|much|more"
    "|quickly|lost|got|left|to|wait|of|belong|mind|careful|long enough|got lost|are wanted|two of them|said|says"
    "|everyone|own|were|went|come|comes|fit|fits|pieces|none of it|mine|yours|thanks|thank|even|though|odd|good"
    "|make|feel|feels|welcome|guest|guests|children|kids|wife|husband|friend|friends|mother|father|family|people",
}
_APPLIANCES = {
    "fridge": "chill|refrigerate|freeze|cool|cool down|cooled|chilled|refrigerated|keep cold|kept cold|keep cool",
    "microwave": "heat|heat up|warm up|microwave|reheat|heated",
    "sink": "wash|rinse|wash up|washing|rinsing|washed",
}
NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "both": 2,
    "single": 1,
    "couple": 2,
    "pair": 2,
}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split("|"))


KINDS_OF = _set("kind|kinds|type|types|sort|sorts|piece|pieces|variety|varieties")
DETERMINERS = _set("the|a|an|some|any|my|your|our|his|her|their|its|this|that|these|those|every|each|all|another")
ADJECTIVES = _set("different|other|open|opened|closed|whole|used|remaining|more|various|several|citrus|last|nice|tasty")
EVERY_THING = _set("thing|item|object|stuff|belonging")
LONGEST = 5
"""Words of the longest name or phrase."""


@cache
def phrases() -> dict[str, tuple[Kind, str]]:
    """Every word and run of words that is no name: what it does, and for appliances which one. A word in two lists
    has the meaning of the first."""
    found: dict[str, tuple[Kind, str]] = {}
    for appliance, text in _APPLIANCES.items():
        found |= dict.fromkeys(text.split("|"), (Kind.APPLIANCE, appliance))
    for kind, text in _WORDS.items():
        for word in text.split("|"):
            found.setdefault(word, (kind, word))
    return found


@cache
def thing_names() -> frozenset[str]:
    """Canonical names, nicknames and class words of things that can be carried."""
    words = vocabulary()
    found = set(words.classes) | set(words.nicknames) | set(SMALL)
    found |= {name for members in (*words.classes.values(), *words.nicknames.values()) for name in members}
    found |= {normalise(spelling) for spelling in words.synonyms} | {canonical(one) for one in words.synonyms.values()}
    found |= {one.removesuffix(" can") for one in found if one.startswith("tomato")} | {"mustard"}
    return frozenset(one for one in found if not _of_furniture(one)) - {"appliance", "chair", "armchair", "food"} | {
        "food"
    }


def _of_furniture(name: str) -> bool:
    last = canonical(name).split()[-1]
    return last in {one.split()[-1] for one in (*CONTAINERS, *SURFACES, *LARGE, *ROOMS)} or canonical(name) in ROOMS


def is_thing(text: str) -> bool:
    """Whether a run of words is a name of something that can be carried."""
    return normalise(text) in thing_names() or canonical(text) in thing_names()


def is_place(text: str) -> bool:
    """Whether a run of words is a name of a piece of furniture or of a room."""
    return canonical(text) in {*CONTAINERS, *SURFACES, *ROOMS, *LARGE, "kitchen counter", "kitchen sink"} or (
        canonical(text) in vocabulary().nicknames and _of_furniture(text)
    )


def is_kind_of(words: str, label: str) -> bool:
    """Whether words name a thing of a class: `tomato soup` is a can, `red box` is a box; a sugar box is no class."""
    kinds = vocabulary().classes.get(canonical(label).split()[-1] if label else "", frozenset())
    if canonical(label) in kinds or canonical(label) in vocabulary().nicknames:
        return False
    return bool(kinds & {canonical(words), *vocabulary().nicknames.get(canonical(words), ())})


def kinds_of(label: str) -> tuple[str, ...]:
    """The kinds that a class word such as `fruit` means, in a fixed order; none for any other name."""
    return tuple(sorted(kind for kind in vocabulary().classes.get(canonical(label), ()) if is_kind_of(kind, label)))


def is_adjective(word: str) -> bool:
    """Whether a word may stand before a name and says more about it."""
    words = vocabulary()
    return word in ADJECTIVES or word in words.fillers or word in words.colours or word in COLOUR_WORDS
