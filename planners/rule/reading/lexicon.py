"""The words of household instructions by their role in a sentence. Words without a role are not understood."""

from __future__ import annotations

from functools import cache, lru_cache

from perception.colours import COLOUR_WORDS
from perception.names import canonical, normalise, vocabulary
from planners.common_sense import CONTAINERS, LARGE, ROOMS, SMALL, SURFACES


def _set(words: str) -> frozenset[str]:
    """Split a text into the phrases between its bars."""
    return frozenset(word.strip() for word in words.split("|"))


# ---------------------------------------------------------------- verbs

SET_DOWN = _set("""
    put | place | set | lay | store | leave | stow | stash | stick | pop | hide | keep | drop | serve | arrange
    | prepare | stack | put down | set down | put back | leave out | add
""")
"""Verbs after which `in` and `on` name the destination: `put the mug on the desk`."""
BRING = _set("""
    move | bring | carry | transfer | deliver | return | collect | gather | bring back | carry over | move over
    | get | clear | clear away
""")
"""Verbs after which only `to`, `into` and `onto` name the destination: `bring the mug on the desk` is ambiguous."""
GATHER = _set("collect|gather|gather up|gather together")
"""Verbs that need no destination if another order gives it."""
TAKE = _set("""
    pick up | pick | grab | fetch | take | take out | retrieve | hold | choose | select | go get | go and get
    | go fetch | go and fetch
""")
"""Verbs after which `in` and `on` name the source."""
FIND = _set("find|look for|search for|search|locate")
HAND = _set("bring|get|fetch|give|hand|grab|pass")
"""Verbs after which `me` is the recipient."""
VISIT = _set("go|walk|drive|navigate|head|move|come|roll|go back|come back|go over|come over|go and wait|go and stay")
WAIT = _set("wait|stay|go and wait|go and stay|wait for me|go and wait for me|stay for me")
CALL_AT = _set("visit|approach|look in at|stop by at|call at|look at|start in|begin in|end in|end up in|finish in")
CHILL = _set("chill|refrigerate|freeze|cool|cool down")
"""Verbs that mean putting an object into the fridge."""
CLEAR = _set("clear|empty|tidy|clean|clear up|clear off|clear out|tidy up|clean up|clean off|free|unload")
CLOSE = _set("close|shut|close up|shut up|push shut")
CLOSING = _set("closing|shutting")
OPEN = _set("open|open up")
SWAP = _set("swap|exchange|switch|trade|interchange")
CHANGE_PLACES = _set("change places|swap places|trade places|switch places|exchange places|change place")
SWITCHES = {
    **dict.fromkeys(("turn on", "switch on", "power on"), "Turn on"),
    **dict.fromkeys(("turn off", "switch off", "power off", "power down", "shut off"), "Turn off"),
}
"""Verbs whose particle may follow the name: `switch the stove off`."""
USES = {
    **dict.fromkeys(("wash", "wash up", "rinse", "rinse off", "do the washing up of"), "Wash"),
    **dict.fromkeys(("fill", "fill up"), "Fill"),
    **dict.fromkeys(("heat", "heat up", "warm", "warm up", "microwave"), "Heat"),
    **dict.fromkeys(("slice", "slice up", "cut", "cut up", "chop", "chop up"), "Slice"),
    **dict.fromkeys(("wipe", "wipe down", "wipe off", "scrub"), "Wipe"),
    **dict.fromkeys(("follow", "go after"), "Follow"),
}
"""Other household verbs, with their actions."""
BY_MEANS = {
    "Wash": _set("in the sink|at the sink|in the washbasin|with water|under the tap|under running water"),
    "Fill": _set("with water|at the sink|in the sink|with water at the sink|with tap water|up|up with water"),
    "Heat": _set("in the microwave|up|up in the microwave"),
    "Slice": _set("with a knife|with the knife|up|into slices"),
    "Wipe": _set("with a sponge|with the sponge|clean|down"),
}
"""Adverbials that add nothing to these verbs."""
ANY_VERB = SET_DOWN | BRING | TAKE | FIND | HAND | VISIT | WAIT | CALL_AT | CHILL | CLEAR | CLOSE | OPEN | SWAP

# ---------------------------------------------------------------- where

INTO = _set("""
    to | into | onto | over to | over into | over onto | back to | back into | back onto | on to | in to | up to
    | across to | out onto | off to
""")
AT = _set("in|on|at|inside|within|on top of|back in|back on|over on|over in|down on|upon")
FROM = _set("from|out of|off|off of|from inside|from on|from within|out from|away from")
ON_TOP = _set("on top of | over on top of | up on top of | on")
INSIDE = _set("in|into|inside|within|back in|back into|in to|over into|over in")
NEAR = _set("""
    next to | beside | besides | near | close to | behind | under | underneath | below | above | over | in front of
    | around | against | between | by | to the left of | to the right of | left of | right of | towards | toward
""")
PARTICLES = _set("up|out|over|down|back|away|off")
THERE = _set("there|in there|on there|over there|into there")
HERE = _set("here|to me|over here|to us|to where i am")

# ---------------------------------------------------------------- states and subjects

IS = _set("""
    is | are | was | were | lies | lie | stands | stand | sits | sit | is lying | are lying | is standing
    | are standing | is kept | are kept | is still | has been | have been | was put | were put | was left | were left
    | have no business | has no business | do not belong | does not belong | was put away | were put away
""")
STATES = {
    **dict.fromkeys(("on", "switched on", "turned on", "powered on", "running"), "on"),
    **dict.fromkeys(("off", "switched off", "turned off", "powered off"), "off"),
    **dict.fromkeys(("dirty", "muddy", "soiled", "stained", "filthy"), "dirty"),
    **dict.fromkeys(("clean", "spotless"), "clean"),
    **dict.fromkeys(("full", "filled", "full of water", "filled with water"), "filled"),
    "empty": "empty",
}
"""Words for states, with the words that planners see."""
GOES = _set("""
    go | goes | belong | belongs | should go | must go | has to go | have to go | needs to go | need to go
    | is to go | are to go | can go | may go | should be | must be | has to be | have to be | needs to be | need to be
    | ought to be | is to be | are to be | shall be | should be put | must be put | has to be put | have to be put
    | is to be put | are to be put | should be brought | is to be brought | are to be brought | is wanted | are wanted
    | is needed | are needed | should lie | should stand | should move | moves | move | can wait | may wait
    | would be better | would keep better | is better off | are better off
""")
ENDS_UP = _set("""
    end up | ends up | ended up | get | gets | lands | land | arrive | arrives | finds its way | find their way
    | makes it | make it | comes | come | is put | are put | is brought | are brought | is moved | are moved
""")
HAS = _set("has|have|holds|hold|contains|contain")
SHOULD_HAVE = _set("""
    should have | should hold | should contain | must have | must hold | must contain | has to have | needs
    | is to have | is to hold
""")
THERE_SHOULD_BE = _set("have|make sure there are|make sure there is|there should be|there are to be|there must be")
SEE_TO = _set("make sure|make sure that|see that|see to it that|ensure that|check that|make sure you leave")
JOINS = _set("join it|joins it|join them|joins them|should join it|should join them")
NEEDS = _set("need|needs")
STAYS = _set("stay|stays|remain|remains|can stay|may stay|should stay|is to stay")
WHERE_IT_IS = _set("where it is|where they are|there|here|put|alone|as it is|as they are|in place|untouched")
OPENED = _set("open|opened|standing open|wide open")
CLOSED = _set("closed|shut|closed again|shut again")
THAT_IS = _set("""
    that is | that are | which is | which are | that lies | that lie | that stands | that stand | that sits
    | that sit | lying | standing | sitting | that was left | that you find | that you see | there is | there are
    | that somebody put | that somebody has put | that someone put | that someone left | that i left | that i put
    | i left | i put
""")
DOORS = _set("door|doors|drawer door")
DOOR_OF = _set("the door of|the door to|the doors of|the doors to")
ALL_DOORS = _set("""
    the doors | all doors | all the doors | every door | everything | everything that you open | them | them all
    | both | the two | both of them | the two of them
""")
ONE_DOOR = _set("the door|it|that|this|its door|that one")
ANY_DOOR = _set("anything|any door|any doors|either|either of them")
EXCEPT = _set("except|except for|but not|apart from|but for|other than|excluding|not|and not|with the exception of")
WANT = _set("want|want to have|would like|would like to have|would love|would love to have|need|fancy|could do with")
MAY_HAVE = _set("can i have|could i have|may i have|can we have|could we have|may we have|can i get|could i get")
AM = _set("""
    am | are | will be | am sitting | are sitting | am lying | are lying | am standing | am waiting | are waiting
    | am working | are working | am still | am now | sit | am currently
""")
ELSEWHERE = _set("upstairs|downstairs|outside|inside|away|out|abroad|somewhere|over there|there|next door|elsewhere")
TO_BE_MOVED = _set("""
    to be | to go | to lie | to stand | moved | put | placed | brought | to be put | to be moved | to be brought
    | carried | taken
""")
SOMEBODY = _set("""
    my kid | my kids | guests | the guests | my guests | the kids | the children | dinner | lunch | breakfast | supper
    | it | the weather
""")
"""Subjects of mere remarks, if no object is mentioned."""
PEOPLE = _set("i|we|someone|somebody|nobody|everyone|everybody")
LEFT = _set("left|put|forgot|have left|have put|have|saw|have seen|keep|must have left")
ORDERING = _set("""
    before | after | until | till | unless | while | whenever | when | once | as soon as | instead | rather | without
    | except | if | otherwise | or | neither | nor | every time | always | nothing | nobody | by the time
""")
"""Words for the sequence, condition or manner of an order. They are never skipped."""
ASKING = ORDERING | _set(
    "not|no|you|never|should|must|prefer|want|need|would|could|expect|hope|wish|ask|demand|insist|had better|please"
)
"""Words that may express a request. A clause without them that mentions no object is only a statement."""
BEFORE = _set("before | but before | but only before | and before")
AFTER = _set("""
    after | once | when | as soon as | only after | but only after | only once | only when | right after
    | directly after | immediately after | whenever
""")
"""Words before a clause that comes first in time."""
DOER = _set("you | we | i | you have | we have | i have | you are | having | you are done | you are finished with")
REASON = _set("so that | so | because | since | as | in order that | for | cause")
"""Words before a reason after an order."""

# ---------------------------------------------------------------- optional words

POLITE = _set("""
    please | kindly | can you | could you | would you | will you | would you please | can you please
    | could you please | i want you to | we want you to | i need you to | i would like you to | we would like you to
    | you should | you must | you need to | you have to | you can | help me | help me to | your task is to | try to
    | be so kind and | be so kind as to | be a dear and | hey | hi | hello | ok | okay | robot | homie | hey robot
    | now | so | well | do not forget to | remember to | make sure to | make sure that you | make sure you
    | be sure to | just | also | next | finally | lastly | yes | go ahead and | you may | good morning | good evening
    | listen | i need your help | tonight | today | only | would you mind | do you mind | can somebody | can someone
    | could somebody | could someone | can anybody | can anyone | could anybody | could anyone | would somebody
    | would someone | will somebody | will someone | somebody please | someone please | i was wondering if you could
    | i wonder if you could | would it be possible to | would it be possible for you to | is it possible to
    | is it possible for you to | it would be nice if you could | it would be great if you could
    | it would be lovely if you could | it would be good if you could | i would appreciate it if you could
    | i would be grateful if you could | i would be glad if you could | may i ask you to | i would ask you to
    | i would love you to | i want you to please | please could you | please can you | please would you
    | while you are at it | if you do not mind | if you would | if possible | if you could | if it is no trouble
    | you could | would you be so kind as to | would you be so kind and | your job is to | for me
    | could i ask you to | can i ask you to | let's | let us | how about | why do not you | thx | pls | plz | thanks
    | excuse me | dear robot | dear homie | oh | be quick and | hurry and
""")
"""Optional words before an order."""
ASIDE = _set("""
    please | now | again | too | also | as well | thanks | thank you | thanks a lot | thank you very much | for me
    | for us | for now | for later | for dinner | for lunch | for breakfast | for supper | for dessert | for the party
    | for the time being | afterwards | afterward | at the end | in the end
    | when you are done | when you are finished | once you are done | when done | behind you | this time | right away
    | thx | pls | plz | asap | and thank you | and thanks | to keep it fresh | to keep them fresh | to stay fresh
    | to keep it cold | to keep it cool | if you do not mind | if you would | if possible | if you can | if you could
    | would you
    | will you | can you | could you | if that is ok | if that is okay | if it is no trouble | when you get a minute
    | when you have a minute | when you have a moment | at once | immediately
    | quickly | carefully | gently | slowly | safely | to cool | to cool down | to chill
    | to keep it cool | to keep cool | of course | in your hand | in the home | in the house | in this house
    | in this home | in the room | in the apartment | ok | okay | robot | homie | dear | already
    | anyway | together | when you have time | when you can | when you get a chance | if you please | somewhere
    | by hand | no hurry | there is no hurry | that is all | to eat | to drink | finally | my friend | buddy
    | long enough | all day | since yesterday | tonight | today
""")
"""Optional words anywhere else in an order."""
LIST = _set("and|,|, and|as well as|plus|along with|together with")
"""Words between the names of a list."""
THEN = _set("""
    and | then | and then | but | after that | and after that | afterwards | and afterwards
    | as well as | plus | next | and also | only then | and only then | and when that is done | when that is done
    | once that is done | once that is closed
""")
"""Words between orders."""

# ---------------------------------------------------------------- conditions

IF = _set("if|in case|see if|see whether|check if|check whether|look if|look whether")
IF_THERE_IS = frozenset(f"{words} there {verb}" for words in IF for verb in ("is", "are")) | _set(
    "if you find|if you see"
)
SEARCH = _set("check|search|inspect|look in|look into|look inside|have a look in|have a look into")
SO = _set("then|if so|if yes|if there is|if there are|if there is one|if it is|,|.|:")
WITHOUT = _set("if there is no|if there are no|if you find no|if you see no|without|without any")
ELSE = _set("""
    otherwise | or else | else | if not | if there is none | if there are none | if there is not | if there are not
    | if you find none | if you see none | if you find nothing | if you do not find one | if you do not find any
    | if there is nothing | if it is not | if there is not one
""")

# ---------------------------------------------------------------- noun phrases

DETERMINERS = _set("the|a|an|some|any|my|your|our|his|her|their|its|this|that|these|those")
EVERY = _set("all|every|each|all of|each of|every one of|every single")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS = {
    f"{before}{word}{after}": number
    for number, word in enumerate(_NUMBERS, 1)
    for before, after in (("", ""), ("", " of"), ("exactly ", ""), ("any ", ""), ("the ", ""), ("any ", " of"))
    if (before, word) != ("the ", "one")
} | {"both": 2, "both of": 2, "a couple of": 2, "a pair of": 2, "a single": 1}
KINDS_OF = _set("""
    kinds of | types of | sorts of | pieces of | piece of | kind of | different kinds of | different | various
    | kinds | sorts
""")
"""Words after a number (`three kinds of fruit`), without effect: different kinds of a class are brought anyway."""
HARMLESS = _set("nearest|closest|nearby|nice|tasty|fresh|ripe|lovely|good")
"""Adjectives without effect: the robot takes the nearest object anyway."""
EVERYTHING = _set("""
    everything | whatever | anything | all things | all the things | all items | all the items | all objects
    | all the objects | all stuff | all the stuff | the things | the items | the objects | the stuff | every thing
    | every item | every object | each item | each thing | each object | all of the things | all of the items
    | all that | all there is | what | both things | the two things | all of it | all that you find
""")
REST = _set("""
    the rest | everything else | anything else | all else | the others | the other things | the other items
    | all the rest | all other things | all other items | the remaining things | the remaining items | the rest of it
    | the rest of them | the other ones
""")
IT = _set("it|that|this|that one|this one|one|one that you find|the one that you find|any that you find")
THEM = _set("""
    them | those | these | all of them | both of them | both | the two | they | the two of them | each of them
    | every one of them | them both | them all | it all
""")
_PEOPLE = _set("""
    daughter | son | wife | husband | mother | father | mom | mum | dad | kids | kid | children | child | guest | guests
    | friend | friends | neighbour | neighbor | person | man | woman | boy | girl | baby | people | dog | cat
""")
NO_NAMES = _PEOPLE | _set("""
    left | right | top | bottom | middle | centre | center | corner | side | front | back | floor | ground | same
    | rest | way | place | spot | room | house | home | edge | one | ones | end | inside | outside | air | light
    | door | doors | you | me | us | him | her | else | other | others | thing | things | way | time | first | second
    | third | last | upper | lower | stuff | number | half | dog | cat | trash | rubbish | garbage
""")
"""Words that are never an unknown name: the robot does not search for `the middle`."""
LONGEST = 6
"""Maximum number of words of a phrase or name."""


@cache
def thing_names() -> frozenset[str]:
    """Return canonical names, nicknames and class words of portable objects."""
    words = vocabulary()
    names = set(words.classes) | set(words.nicknames) | set(SMALL)
    names |= {name for members in (*words.classes.values(), *words.nicknames.values()) for name in members}
    names |= {normalise(spelling) for spelling in words.synonyms} | {
        canonical(name) for name in words.synonyms.values()
    }
    names |= {name.removesuffix(" can") for name in names if name.startswith("tomato")} | {"mustard"}
    return frozenset(name for name in names if not _is_furniture_part(name)) - {"appliance", "chair", "armchair"}


def _is_furniture_part(name: str) -> bool:
    last = canonical(name).split()[-1]
    return last in {words.split()[-1] for words in (*CONTAINERS, *SURFACES, *LARGE, *ROOMS)} or canonical(name) in ROOMS


@lru_cache(maxsize=10_000)
def is_thing(text: str) -> bool:
    """Return whether words name a portable object."""
    return normalise(text) in thing_names() or canonical(text) in thing_names()


@lru_cache(maxsize=10_000)
def is_place(text: str) -> bool:
    """Return whether words name a piece of furniture or a room."""
    return canonical(text) in {*CONTAINERS, *SURFACES, *ROOMS, *LARGE, "kitchen counter", "kitchen sink"} or (
        canonical(text) in vocabulary().nicknames and _is_furniture_part(text)
    )


def is_colour(word: str) -> bool:
    """Return whether a word is a colour or a material."""
    return word in vocabulary().colours or word in COLOUR_WORDS


def is_kind_of(words: str, label: str) -> bool:
    """Return whether words name an object of a class: `tomato soup` is a can, `red box` is a box; `sugar box` is not a
    class."""
    kinds = vocabulary().classes.get(canonical(label).split()[-1] if label else "", frozenset())
    if canonical(label) in kinds or canonical(label) in vocabulary().nicknames:
        return False
    return bool(kinds & {canonical(words), *vocabulary().nicknames.get(canonical(words), ())})


VESSELS = (
    "bowl",
    "mug",
    "cup",
    "glass",
    "pot",
    "pan",
    "plate",
    "pitcher",
    "basket",
    "vase",
    "bucket",
    "skillet",
    "tray",
)
"""Portable objects into which others can be put."""


def is_vessel(words: str) -> bool:
    """Return whether other objects can be put into a portable object of this name."""
    return canonical(words).split()[-1] in VESSELS or is_kind_of(words, "dish")


def kinds_of(label: str) -> tuple[str, ...]:
    """Return the kinds of a class word such as `fruit`, in a fixed order; empty for any other name."""
    return tuple(sorted(kind for kind in vocabulary().classes.get(canonical(label), ()) if is_kind_of(kind, label)))


@cache
def phrases() -> frozenset[str]:
    """Return every phrase with a meaning of its own, except names."""
    phrase_tables = (
        ANY_VERB,
        INTO,
        AT,
        FROM,
        NEAR,
        PARTICLES,
        THERE,
        HERE,
        IS,
        GOES,
        HAS,
        SHOULD_HAVE,
        STAYS,
        OPENED,
        CLOSED,
        THAT_IS,
    )
    further_tables = (EXCEPT, ASIDE, THEN, EVERY, EVERYTHING, REST, IT, THEM, DETERMINERS, CHANGE_PLACES, CLOSING)
    return frozenset().union(
        *phrase_tables,
        *further_tables,
        NUMBERS,
        _set("if|otherwise|else|with|who|which|where|when|while|until|or|no|none"),
    )
