"""Household sentences, among them those of EMMOE's tasks (paper, appendix), and what they are read as."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planners.instruction import parse_instruction
from planners.orders import Bring, CloseUp, Errand, Fetch, OpenUp, Place, Visit
from planners.phrases import Item


def bring(
    words: str, place: str, *, count: int | None = 1, source: str = "", besides: str = "", inside: bool = False
) -> Bring:
    return Bring(Item(words, count, source, besides), Place(place, inside))


SENTENCES: list[tuple[str, list[Errand]]] = [
    ("put the apple on the table", [bring("apple", "table")]),
    ("Put the green can in the fridge.", [bring("green can", "fridge", inside=True)]),
    ("put the green_can on the brown_table to the fridge",
     [bring("green can", "fridge", source="brown table", inside=True)]),
    ("find an apple, open the fridge, put it in, and close it",
     [OpenUp("fridge"), bring("apple", "fridge", inside=True), CloseUp("fridge")]),
    ("Find one apple. Put it in the red bowl.", [bring("apple", "red bowl", inside=True)]),
    ("fetch the mug and put it on the sofa", [bring("mug", "sofa")]),
    ("take the sponge to the sink", [bring("sponge", "sink")]),
    ("bring me a banana", [Fetch(Item("banana"))]),
    ("bring the banana to the kitchen", [bring("banana", "kitchen counter")]),
    ("pick up the lemon", [Fetch(Item("lemon"))]),
    ("put the apple", [Fetch(Item("apple"))]),
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
     [bring(one, "cabinet", inside=True) for one in ("sugar box", "cracker box", "mug")]),
    ("put all lemons and apples on the sofa to the tvstand",
     [bring(one, "tvstand", count=None, source="sofa") for one in ("lemon", "apple")]),
    ("put the apple in the fridge and the banana on the table",
     [bring("apple", "fridge", inside=True), bring("banana", "table")]),
    ("put the bowl on the wood_table and the apple on the kitchen_counter to the kitchen sink",
     [bring("bowl", "kitchen sink", source="wood table"), bring("apple", "kitchen sink", source="kitchen counter")]),
    ("put an apple in the fridge and another one in the bowl",
     [bring("apple", "fridge", inside=True), bring("apple", "bowl", inside=True)]),
    ("move the bowl from the shelf to the desk", [bring("bowl", "desk", source="shelf")]),
    ("take the apple out of the fridge and put it on the table", [bring("apple", "table", source="fridge")]),
    ("find the bowl in the drawer and put it to the kitchen sink", [bring("bowl", "kitchen sink", source="drawer")]),
    ("put the bowl on the table in the living room", [bring("bowl", "living room table")]),
    ("put all fruit in the living_room to the fridge",
     [bring("fruit", "fridge", count=None, source="living room", inside=True)]),
    ("freeze the strawberry", [bring("strawberry", "fridge", inside=True)]),
    ("refrigerate all lemons in the kitchen drawer",
     [bring("lemon", "fridge", count=None, source="kitchen drawer", inside=True)]),
    ("wash the bowl on the kitchen counter", [bring("bowl", "sink", source="kitchen counter", inside=True)]),
    ("clean up the table and put all items in the fridge",
     [bring("", "fridge", count=None, source="table", inside=True)]),
    ("clean the wood table and put all items except mug to the sofa",
     [bring("", "sofa", count=None, source="wood table", besides="mug")]),
    ("put everything in the sink onto the kitchen counter", [bring("", "kitchen counter", count=None, source="sink")]),
    ("clean the sofa", [bring("", "kitchen counter", count=None, source="sofa")]),
    ("find two bowls in the room and put them in the sink", [bring("bowl", "sink", count=2, inside=True)]),
    ("go to the kitchen, then put the red box into the drawer and put the red can into the fridge",
     [Visit("kitchen"), bring("red box", "drawer", inside=True), bring("red can", "fridge", inside=True)]),
    ("Could you please get the apple from the counter and bring it to the sofa?",
     [bring("apple", "sofa", source="counter")]),
    ("prepare two bowls on the brown table", [bring("bowl", "brown table", count=2)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "errands"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_sentences(text: str, errands: list[Errand]) -> None:
    assert list(parse_instruction(text)) == errands


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
        "what is in the fridge?",
    ],
)
def test_what_is_not_understood_gives_nothing(text: str) -> None:
    assert parse_instruction(text) == ()


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_text_is_read(text: str) -> None:
    parse_instruction(text)


VOCABULARY = (
    *("put", "find", "open", "close", "go", "bring", "clean", "to", "in", "on", "from", "inside", "back", "up"),
    *("all", "the", "two", "another", "one", "it", "them", "everything", "items", "except", "and", "then", ",", "."),
    *("apple", "cans", "fridge", "table", "kitchen"),
)


@given(st.lists(st.sampled_from(VOCABULARY), max_size=14))
@settings(deadline=None)
def test_errands_always_say_what_and_where(words: list[str]) -> None:
    for errand in parse_instruction(" ".join(words)):
        match errand:
            case Bring(item, place):
                assert place.words
                assert item.words or (item.source and item.count is None)
            case Fetch(item):
                assert item.words or item.source
            case Visit(name) | OpenUp(name) | CloseUp(name):
                assert name
