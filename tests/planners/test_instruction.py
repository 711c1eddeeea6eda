"""Household sentences, among them those of EMMOE's tasks (paper, appendix), and what they are read as."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orders import bring

from perception.names import normalise
from planners.rule.reading.instruction import NotUnderstood, parse_instruction
from planners.rule.reading.orders import (
    Bring,
    CloseUp,
    Fetch,
    IfThere,
    Item,
    OpenUp,
    Order,
    Place,
    Return,
    Stock,
    Swap,
    Visit,
    names_in,
)

SENTENCES: list[tuple[str, list[Order]]] = [
    ("put the apple on the table", [bring("apple", "table")]),
    ("Put the green can in the fridge.", [bring("green can", "fridge", inside=True)]),
    ("put the green_can on the brown_table to the fridge",
     [bring("green can", "fridge", source="brown table", inside=True)]),
    ("find an apple, open the fridge, put it in, and close it",
     [OpenUp("fridge"), bring("apple", "fridge", inside=True), CloseUp("fridge")]),
    ("Find one apple. Put it in the red bowl.", [bring("apple", "red bowl", inside=True)]),
    ("fetch the mug and put it on the sofa", [bring("mug", "sofa")]),
    ("take the sponge to the sink", [bring("sponge", "sink")]),
    ("bring me a banana", [Fetch(Item("banana")), Return()]),
    ("bring the banana to the kitchen", [bring("banana", "kitchen counter")]),
    ("pick up the lemon", [Fetch(Item("lemon"))]),
    ("search a blue can for me", [Visit("blue can")]),
    ("look for the mug", [Visit("mug")]),
    ("go to the living room", [Visit("living room")]),
    ("Move to the kitchen", [Visit("kitchen")]),
    ("open the door of the fridge", [OpenUp("fridge")]),
    ("open the fridge and the drawer", [OpenUp("fridge"), OpenUp("drawer")]),
    ("please shut the drawer!", [CloseUp("drawer")]),
    ("open the microwave, put the bowl inside and close the microwave",
     [OpenUp("microwave"), bring("bowl", "microwave", inside=True), CloseUp("microwave")]),
    ("open the drawer and put the sponge in it", [OpenUp("drawer"), bring("sponge", "drawer", inside=True)]),
    ("put all the cans on the kitchen counter", [bring("can", "kitchen counter", count=None)]),
    ("put the cans on the table", [bring("can", "table", count=None)]),
    ("put two apples in the bowl", [bring("apple", "bowl", count=2, inside=True)]),
    ("find two kinds of fruit and put them on the tvstand", [bring("fruit", "tvstand", count=2)]),
    ("put the apple and the banana on the brown table",
     [bring("apple", "brown table"), bring("banana", "brown table")]),
    ("store the sugar box, the cracker box and the mug in the cabinet",
     [bring(item, "cabinet", inside=True) for item in ("sugar box", "cracker box", "mug")]),
    ("put all lemons and apples on the sofa to the tvstand",
     [bring(item, "tvstand", count=None, source="sofa") for item in ("lemon", "apple")]),
    ("put the apple in the fridge and the banana on the table",
     [bring("apple", "fridge", inside=True), bring("banana", "table")]),
    ("put the bowl on the wood_table and the apple on the kitchen_counter to the kitchen sink",
     [bring("bowl", "kitchen sink", source="wood table"), bring("apple", "kitchen sink", source="kitchen counter")]),
    ("move the bowl from the shelf to the desk", [bring("bowl", "desk", source="shelf")]),
    ("take the apple out of the fridge and put it on the table", [bring("apple", "table", source="fridge")]),
    ("find the bowl in the drawer and put it to the kitchen sink", [bring("bowl", "kitchen sink", source="drawer")]),
    ("put the bowl on the table in the living room", [bring("bowl", "living room table")]),
    ("put all fruit in the living_room to the fridge",
     [bring("fruit", "fridge", count=None, source="living room", inside=True)]),
    ("freeze the strawberry", [bring("strawberry", "fridge", inside=True)]),
    ("refrigerate all lemons in the kitchen drawer",
     [bring("lemon", "fridge", count=None, source="kitchen drawer", inside=True)]),
    ("clean up the table and put all items in the fridge",
     [bring("", "fridge", count=None, source="table", inside=True)]),
    ("clean the wood table and put all items except mug to the sofa",
     [bring("", "sofa", count=None, source="wood table", excluded=("mug",))]),
    ("put everything in the sink onto the kitchen counter", [bring("", "kitchen counter", count=None, source="sink")]),
    ("find two bowls in the room and put them in the sink", [bring("bowl", "sink", count=2, inside=True)]),
    ("go to the kitchen, then put the red box into the drawer and put the red can into the fridge",
     [Visit("kitchen"), bring("red box", "drawer", inside=True), bring("red can", "fridge", inside=True)]),
    ("Could you please get the apple from the counter and bring it to the sofa?",
     [bring("apple", "sofa", source="counter")]),
    ("prepare two bowls on the brown table", [bring("bowl", "brown table", count=2)]),
]  # fmt: skip


FREELY_SAID: list[tuple[str, list[Order]]] = [
    ("apple and pear go on the desk", [bring("apple", "desk"), bring("pear", "desk")]),
    ("the bowl belongs in the sink", [bring("bowl", "sink", inside=True)]),
    ("lemon to the sofa, plum into the fridge", [bring("lemon", "sofa"), bring("plum", "fridge", inside=True)]),
    ("bowl, spoon and the crackers should be on the table",
     [bring(item, "table") for item in ("bowl", "spoon", "cracker")]),
    ("the tuna, the soup and the meat can, all to the stove",
     [bring(item, "stove") for item in ("tuna", "soup", "meat can")]),
    ("what is the mug doing in the drawer? Take it to the sink and leave no door open",
     [bring("mug", "sink", source="drawer", inside=False), CloseUp("drawer")]),
    ("the sponge out of the drawer goes to the sink", [bring("sponge", "sink", source="drawer")]),
    ("everything on the desk goes into the cabinet, nothing left open",
     [bring("", "cabinet", count=None, source="desk", inside=True), CloseUp("cabinet")]),
    ("cans on the desk go into the cabinet, anything else stays",
     [bring("can", "cabinet", count=None, source="desk", inside=True)]),
    ("swap the mug and the bowl", [Swap(Item("mug"), Item("bowl"))]),
    ("the pear in the fridge and the lemon change places", [Swap(Item("pear", source="fridge"), Item("lemon"))]),
    ("the fridge should have three pieces of fruit in it", [Stock(Item("fruit", 3), Place("fridge", True))]),
    ("please put two different cans on the stove", [bring("can", "stove", count=2)]),
    ("I am in the bedroom, come here with the mug", [Fetch(Item("mug")), Visit("bedroom")]),
    ("if there is a mug in the sink, put it in the cabinet, otherwise put the bowl on the stove",
     [IfThere(Item("mug"), Place("sink"), (bring("mug", "cabinet", source="sink", inside=True),),
              (bring("bowl", "stove"),))]),
    ("if there is no apple in the fridge, put one in",
     [IfThere(Item("apple"), Place("fridge"), (), (bring("apple", "fridge", inside=True),))]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "orders"), FREELY_SAID, ids=[text for text, _ in FREELY_SAID])
def test_what_the_grammar_does_not_cover_is_read_more_freely(text: str, orders: list[Order]) -> None:
    assert list(parse_instruction(text)) == orders


@pytest.mark.parametrize(("text", "orders"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_sentences(text: str, orders: list[Order]) -> None:
    assert list(parse_instruction(text)) == orders


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dance a tango",
        "apple",
        "put it on the table",
        "put on the table",
        "put everything in the fridge",
        "check if there are apples in the fridge and put one into it if not",
        "keep the number of red boxes on the yellow table to 5",
        "do not open the fridge",
        "put the apple or the pear on the table",
        "put the apple on the table and sing a song",
        "clean up the sink and put fruit to the fridge other items to the kitchen counter",
        "prepare the ingredients to make a fruit salad",
        "apple, hammer and pear on the sofa",
        "the soup pot goes on the stove",
        "put the fruit on the sofa, not in the fridge",
        "put an apple in the fridge and another one in the bowl",
        "if there is a mug in the sink, put it in the cabinet, otherwise put the bowl there",
        "wash the bowl on the kitchen counter",
        "clean the sofa",
        "put the apple",
        "put the apple next to the sofa",
        "the apple is on the table",
        "if it rains, put the apple on the sofa",
        "when the mug is in the sink, close the fridge",
        "give the apple to the dog",
        "put an apple in each bowl",
        "the apple goes where the pear is",
        "soup first: the bowl goes into the microwave",
    ],
)
def test_what_is_not_understood_gives_nothing(text: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_instruction(text)


def understood(text: str) -> tuple[Order, ...]:
    try:
        return parse_instruction(text)
    except NotUnderstood:
        return ()


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    understood(text)


@pytest.mark.parametrize(
    ("text", "orders"), [*SENTENCES, *FREELY_SAID], ids=[text for text, _ in [*SENTENCES, *FREELY_SAID]]
)
def test_no_word_is_passed_over(text: str, orders: list[Order]) -> None:
    """A word that is not known changes what is read or makes it refused, wherever it stands."""
    words = text.split()
    for strange in ("zorp", "under"):
        for at in range(len(words) + 1):
            more = " ".join([*words[:at], strange, *words[at:]])
            assert list(understood(more)) != orders, more


PLACES = ("fridge", "table", "kitchen", "drawer", "bowl")
THINGS = (
    "the apple",
    "all cans",
    "two lemons",
    "everything",
    "it",
    "them",
    "the rest",
    "a hammer",
    "the green one",
    "fruit",
    "the mug",
)
CLAUSES = (
    *(
        "put {0} in the {1}",
        "find {0}",
        "bring {0} to the {1}",
        "bring {0} from the {1} to the {2}",
        "open the {1}",
        "close it",
    ),
    *(
        "{0} goes in the {1}",
        "{0} should be on the {1}",
        "swap {0} and {0}",
        "if there is {0} in the {1}",
        "otherwise",
        "not {0}",
    ),
    *(
        "take {0} out of the {1}",
        "{0} stays",
        "close the {1}",
        "everything except {0}",
        "go to the {1}",
        "clear the {1}",
    ),
    *("the {1} should have three {0} in it", "{0} is in the {1}", "{0} to the {1}", "put {0} in", "and", "which"),
)
clauses = st.builds(
    lambda clause, thing, *places: clause.format(thing, *places),
    st.sampled_from(CLAUSES),
    st.sampled_from(THINGS),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
)
texts = st.lists(st.tuples(clauses, st.sampled_from((" and ", ", ", ". ", " then ", " "))), max_size=4).map(
    lambda parts: "".join(f"{clause}{after}" for clause, after in parts)
)
MEANT = {"fridge", "kitchen counter"}
"""What chilling stands for, and bringing to the kitchen."""


@given(texts)
@settings(deadline=None, max_examples=100)
def test_orders_name_only_what_the_text_names(text: str) -> None:
    spoken = set(normalise(text).split())
    for name in names_in(understood(text)):
        assert name in MEANT or set(name.split()) <= spoken


@given(texts)
@settings(deadline=None, max_examples=100)
def test_orders_always_say_what_and_where(text: str) -> None:
    for order in understood(text):
        match order:
            case Bring(item, place) | Stock(item, place):
                assert place.words
                assert item.words or (item.source and item.count is None)
            case Fetch(item):
                assert item.words or item.source
            case Swap(first, other):
                assert first.words
                assert other.words
            case IfThere(item, place, then, otherwise):
                assert item.words
                assert place.words
                assert then or otherwise
            case Visit(name) | OpenUp(name) | CloseUp(name):
                assert name


@pytest.mark.parametrize(
    "text",
    [
        "put the apple in the sink\nopen the fridge",
        "put the apple in the sink.\r\n\r\nopen the fridge\r\n",
        "- put the apple in the sink\n- open the fridge",
        "put the apple\nin the sink. open the fridge",
        "put the apple in the sink\nand open\nthe fridge",
    ],
)
def test_a_line_is_a_sentence_or_the_text_is_wrapped(text: str) -> None:
    assert parse_instruction(text) == (bring("apple", "sink", inside=True), OpenUp("fridge"))


@pytest.mark.parametrize(
    "text",
    [
        "before you put the lemon in the sink\nput the apple on the table",
        "do not put the apple in the sink\nput the lemon in the sink",
        "if there is no apple\nput the lemon in the sink",
        "put the apple in the sink\nor the bowl",
        "put the apple in the sink\nunless it is dirty",
    ],
)
def test_a_line_that_is_no_sentence_is_none(text: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_instruction(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "put the apple or the pear on the table",
            "do not know where the apple is to go and do not understand 'or the pear on the table'",
        ),
        (
            "put the apple next to the sofa",
            "do not understand 'next to the sofa'",
        ),
        (
            "move the apple 10 cm to the left",
            "do not know where the apple is to go and do not understand '10 cm to the left'",
        ),
        ("put the apple", "do not know where the apple is to go"),
        ("put the apple, then open the fridge", "do not know where the apple is to go"),
    ],
)
def test_the_words_that_are_not_understood_are_named(text: str, reason: str) -> None:
    with pytest.raises(NotUnderstood) as refusal:
        parse_instruction(text)
    assert str(refusal.value) == reason
