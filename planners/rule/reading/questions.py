"""Parser of questions about the home: locations, counts, states. An instruction is a single question or none."""

from __future__ import annotations

from planners.common_sense import is_container, is_room
from planners.rule.reading import lexicon
from planners.rule.reading.nouns import Cursor, Kind, Noun, noun
from planners.rule.reading.orders import Ask, Item, Place

_HAS_ANYONE_LEFT = frozenset(
    f"{have} {left}"
    for have, left in (
        *((f"{has} {who}", "left") for has in ("has", "have") for who in ("anyone", "anybody", "someone", "somebody")),
        *((f"did {who}", "leave") for who in ("anyone", "anybody", "someone", "somebody", "i", "we", "you")),
        *((f"have {who}", "left") for who in ("i", "we", "you")),
    )
)

_TELL = ("tell me", "see", "check", "find out", "say", "look", "have a look", "let me know")
_PREFACES = frozenset(
    (
        *(
            f"{can} you {please}{tell}"
            for can in ("can", "could", "would")
            for please in ("", "please ")
            for tell in _TELL
        ),
        *(f"{please}{tell}" for please in ("", "please ") for tell in _TELL),
        *(
            "do you know",
            "i want to know",
            "i would like to know",
            "i need to know",
            "i wonder",
            "hey",
            "hello",
            "please",
        ),
        *("robot", "homie", "excuse me", ",", "for me"),
    )
)
_WHETHER = frozenset(("if", "whether"))
_HAVE = frozenset(("do we have", "have we got", "do i have", "have i got", "is there", "are there", "do we still have"))
_HAVE_IN_SENTENCE = frozenset(("there is", "there are", "we have", "we still have", "i have", "we have got"))
_AT_HOME = frozenset(("left", "around", "here", "at home", "in the house", "in the home", "in this house", "there"))


def question(cursor: Cursor) -> Ask | None:
    """Parse all words as a question; None, with the cursor where it was, if they are not one."""
    start = cursor.at
    cursor.skip(_PREFACES)
    asks_whether = bool(cursor.take(_WHETHER))
    answer_rules = (_whereabouts, _count, _contents, _existence, _left_on, _state_or_place)
    rules = (_question_after_whether,) if asks_whether else answer_rules
    begin = cursor.at
    for rule in rules:
        answerable = rule(cursor)
        cursor.skip(_AT_HOME | {"please", "now", "at the moment", "right now", ","})
        if answerable is not None and all(word == "." for word in cursor.words[cursor.at :]):
            cursor.at = len(cursor.words)
            return answerable
        cursor.at = begin
    cursor.at = start
    return None


def strange(cursor: Cursor) -> str:
    """Return the words of a question about a known object that are not understood, as in `is the fridge humming?`; ""
    if the text is not such a question."""
    cursor.skip(_PREFACES)
    asks_whether = bool(cursor.take(_WHETHER))
    noun_phrase = noun(cursor) if asks_whether or cursor.take({"is", "are"}) else None
    if (
        noun_phrase is None
        or noun_phrase.kind not in (Kind.THING, Kind.PLACE)
        or (asks_whether and not cursor.take({"is", "are"}))
    ):
        return ""
    return cursor.rest()


def _whereabouts(cursor: Cursor) -> Ask | None:
    """Parse `where is the apple?`, `which room is the pear in?`, `where can I find the keys?`, `where the apple is`."""
    room = cursor.take({"which room", "what room", "in which room", "in what room"})
    if not (room or cursor.take({"where", "where in the house", "whereabouts"})):
        return None
    cursor.take(
        {"can i find", "do i find", "could i find", "did i leave", "did i put", "do we keep", "are", "is", "have"}
    )
    item = _single_item(noun(cursor))
    cursor.take({"are", "is", "in", "kept"})
    cursor.take({"in"})
    return None if item is None else Ask("where", item)


def _count(cursor: Cursor) -> Ask | None:
    """Parse `how many apples are there in the fridge?`, `count the mugs`."""
    if not cursor.take({"how many", "count", "count how many", "what is the number of"}):
        return None
    noun_phrase = noun(cursor)
    cursor.take({"are there", "are", "is there", "do we have", "have we got", "there are", "do you see", "can you see"})
    if (state := _state(cursor)) and (countable := _single_item(noun_phrase)) is not None:
        place = _place(cursor)
        return None if place is None or not _is_room_or_home(place) else Ask("count", countable, place, state)
    item, place = _countable_item(noun_phrase), _place(cursor)
    return None if item is None or place is None else Ask("count", item, place)


def _contents(cursor: Cursor) -> Ask | None:
    """Parse `what is in the fridge?`."""
    if not cursor.take({"what is", "what are", "what things are", "what lies", "what do we have", "what have we got"}):
        return None
    place = _place(cursor)
    return Ask("contents", Item("", None), place) if place is not None and place.words else None


def _question_after_whether(cursor: Cursor) -> Ask | None:
    """Parse `(tell me whether) there is a banana in the fridge`, `(see if) the fridge is open`."""
    start = cursor.at
    existence = _existence(cursor, _HAVE_IN_SENTENCE)
    if existence is None:
        cursor.at = start
        existence = _state_or_place(cursor, inverted=False)
    return existence


def _existence(cursor: Cursor, beginnings: frozenset[str] = _HAVE) -> Ask | None:
    """Parse `is there a banana in the fridge?`, `do we have any milk?`."""
    if not cursor.take(beginnings):
        return None
    cursor.take({"still", "any", "also", "already"})
    if cursor.take({"anything", "something"}):
        place = _place(cursor, vessels=True)
        if place is not None and lexicon.is_thing(place.words):
            return Ask("holds", Item(place.words))
        return Ask("contents", Item("", None), place) if place is not None and place.words else None
    item = _countable_item(noun(cursor))
    place = _place(cursor)
    return None if item is None or place is None else Ask("there", item, place)


def _state_or_place(cursor: Cursor, *, inverted: bool = True) -> Ask | None:
    """Parse `is the fridge open?`, `is the apple in the fridge?`, `is the lamp on?`; not inverted: `the lamp is on`."""
    noun_phrase = noun(cursor) if not inverted or cursor.take({"is", "are"}) else None
    if noun_phrase is None:
        return None
    if noun_phrase.kind is Kind.PLACE and is_container(noun_phrase.words):
        cursor.take(lexicon.DOORS)
    start = cursor.at
    room = _place(cursor) or Place("")
    if not is_room(room.words):
        cursor.at, room = start, Place("")
    if not (inverted or cursor.take({"is", "are"})):
        return None
    cursor.take({"still", "already"})
    return _state_question(cursor, noun_phrase, room) or (None if room.words else _open_or_place(cursor, noun_phrase))


def _left_on(cursor: Cursor) -> Ask | None:
    """Parse `has anyone left the stove on?`."""
    noun_phrase = noun(cursor) if cursor.take(_HAS_ANYONE_LEFT) else None
    return (
        None
        if noun_phrase is None
        else _state_question(cursor, noun_phrase, Place("")) or _open_or_place(cursor, noun_phrase, doors=True)
    )


def _state(cursor: Cursor) -> str:
    """Parse a state before a full stop, a comma or a place; "" if other words follow."""
    start = cursor.at
    state = lexicon.STATES.get(cursor.take(lexicon.STATES.keys()), "")
    if state and (cursor.over or cursor.words[cursor.at] in (".", ",") or cursor.sees(lexicon.AT | _AT_HOME)):
        return state
    cursor.at = start
    return ""


def _state_question(cursor: Cursor, noun_phrase: Noun, room: Place) -> Ask | None:
    """Parse whether an object is on, dirty or filled; furniture cannot be filled or empty here."""
    start, state, item = cursor.at, _state(cursor), _single_item(noun_phrase)
    is_filling = state in ("filled", "empty")
    if not state or item is None or (is_filling and noun_phrase.kind is Kind.PLACE):
        cursor.at = start
        return None
    place = _place(cursor) if not room.words else room
    return None if place is None or not _is_room_or_home(place) else Ask("state", item, place, state)


def _is_room_or_home(place: Place) -> bool:
    """Return whether a place is a room or the whole home."""
    return not place.words or is_room(place.words)


def _open_or_place(cursor: Cursor, noun_phrase: Noun, *, doors: bool = False) -> Ask | None:
    """Parse whether a container is open or closed, or an object is at a place.

    Args:
        cursor: After the noun phrase.
        noun_phrase: The container or object.
        doors: Only parse whether a container is open or closed.
    """
    if noun_phrase.kind is Kind.PLACE and noun_phrase.count == 1 and is_container(noun_phrase.words):
        container = Place(noun_phrase.words, True)
        if cursor.take(lexicon.OPENED):
            return Ask("open", Item(""), container)
        return Ask("closed", Item(""), container) if cursor.take(lexicon.CLOSED) else None
    item, place = _single_item(noun_phrase), None if doors else _place(cursor, vessels=True)
    return None if item is None or place is None or not place.words else Ask("there", item, place)


def _single_item(noun_phrase: Noun | None) -> Item | None:
    """Return the noun as the item of a question; None if it cannot be one."""
    if (
        noun_phrase is None
        or not noun_phrase.words
        or noun_phrase.numbered
        or noun_phrase.other
        or noun_phrase.words.endswith(" one")
    ):
        return None
    return Item(noun_phrase.words)


def _countable_item(noun_phrase: Noun | None) -> Item | None:
    item = _single_item(noun_phrase)
    return item if noun_phrase is not None and noun_phrase.kind in (Kind.THING, Kind.UNKNOWN) else None


def _place(cursor: Cursor, *, vessels: bool = False) -> Place | None:
    """Parse the place that follows; one without words if none follows, None if it is not understood.

    Args:
        cursor: Before the place.
        vessels: Whether it may be a portable object that contains others.
    """
    start = cursor.at
    preposition = cursor.take(lexicon.AT | {"inside of"})
    if not preposition or cursor.sees({"the house", "the home", "this house", "total", "all"}):
        cursor.at = start
        cursor.take({"in total", "in all", "in the house", "in the home", "in this house"})
        return Place("")
    place_noun = noun(cursor)
    kinds = (Kind.PLACE, Kind.THING) if vessels else (Kind.PLACE,)
    if place_noun is None or place_noun.kind not in kinds or place_noun.count != 1 or place_noun.other:
        return None
    words = place_noun.words
    if cursor.take({"in", "of"}) and (room := noun(cursor)) is not None and room.kind is Kind.PLACE:
        words = f"{room.words} {words}"
    return Place(words, preposition in lexicon.INSIDE)
