"""Tasks of fewer than ten subtasks."""

from __future__ import annotations

from suites.authoring.homie_100.choices import choose
from suites.authoring.homie_100.entry import Entry, errand

SHORT = [
    Entry("lemon-sofa", "", "carry the lemon over to the sofa", errand("lemon>sofa")),
    Entry("plum-chilled", "h", "chill the plum for me and mind the fridge door", errand("plum>fridge -fridge")),
    Entry(
        "sponge-drawer",
        "l",
        "one of the drawers has a sponge in it: lay it on a kitchen counter",
        errand("sponge@drawer>kitchen_counter"),
    ),
    Entry("wait-bedroom", "", "drive to the bedroom and stay there", errand("@bedroom")),
    Entry(
        "bring-apple",
        "h",
        "I am in the living room, come here with the apple in your hand",
        errand("^apple @living_room", wrong={"comes with another fruit": "^pear @living_room"}),
        start="bedroom",
    ),
    Entry(
        "meat-from-fridge",
        "",
        "take the meat can out of the fridge, put it on the {table} and shut the fridge",
        errand("potted_meat_can@fridge>table -fridge"),
        start="kitchen",
    ),
    Entry(
        "pear-tuna-swap",
        "l",
        "swap the pear and the tuna can: each goes to where the other one is now",
        errand(
            "pear>at.tuna_fish_can tuna_fish_can>at.pear",
            wrong={"puts both where the pear was": "tuna_fish_can>at.pear pear>sofa pear>at.pear"},
        ),
    ),
    Entry(
        "mug-microwave",
        "h",
        "I want to warm up my mug, the microwave is open already: put it in and close that",
        errand("mug>microwave -microwave"),
        opened="microwave",
    ),
    Entry(
        "close-all",
        "hl",
        "somebody has left things open all over this home, go round and close every one of them",
        errand("-*"),
        opened="fridge drawer cabinet",
    ),
    Entry(
        "bowl-on-sofa",
        "l",
        "take the bowl that is on the sofa to the stove; the other bowl stays where it is",
        errand("bowl@sofa>stove !bowl@kitchen_counter>stove", counts={"bowl": 2}),
        added="bowl@sofa bowl@kitchen_counter",
    ),
    Entry(
        "blue-mug",
        "h",
        "I am in the kitchen and would like the blue mug, not the white one. Come and hold it for me",
        errand("^blue.mug @kitchen", counts={"mug": 2}, wrong={"comes with the white mug": "^white.mug @kitchen"}),
        start="living room",
        added="blue.mug@desk white.mug@table",
    ),
    Entry("edible-tv", "o", "put something one can eat on the tv stand", choose(1, "food", "tv_stand")),
    Entry(
        "bedside-fruit",
        "oh",
        "I sleep better with a piece of fruit beside my bed, put one on the nightstand",
        choose(1, "fruit", "nightstand"),
    ),
    Entry(
        "two-apples-desk",
        "",
        "both apples that are on the {table} belong on the desk",
        errand("2*apple@table>desk"),
        added="apple@table apple@table",
    ),
    Entry("open-fridge", "h", "I have my hands full, would you hold the fridge open for me?", errand("+fridge")),
    Entry(
        "rounds",
        "",
        "look in at the bathroom first, then wait for me in the kitchen",
        errand("@bathroom | @kitchen", wrong={"~only goes to the kitchen": "@kitchen"}),
    ),
]
