# ruff: noqa: E501
"""Tasks about all objects at a place, or all of a class, and exchanges."""

from __future__ import annotations

from suites.authoring.homie_100.entry import Entry, errand

ALL = [
    Entry("clear-table-sofa", "l", "clear the {table}: everything on it goes to the sofa", errand("3*@table>sofa")),
    Entry(
        "clear-tv-stand",
        "hl",
        "both things on the {tv_stand} block my view, put them into the fridge for the time being and close it",
        errand("2*@tv_stand>fridge -fridge"),
    ),
    Entry(
        "table-but-mug",
        "lh",
        "free the {table} except for the mug, which stays; the rest goes into the {cabinet}, and shut that",
        errand("=mug@table 2*@table>cabinet -cabinet"),
        added="mug@table",
    ),
    Entry(
        "table-fruit-only",
        "lh",
        "look at the {table}: fruit from it belongs in the fridge, what is no fruit stays. Fridge closed, please",  # codespell:ignore
        errand("2*fruit@table>fridge =@table -fridge"),
    ),
    Entry(
        "open-cabinet-cans",
        "l",
        "cans on the {table} go into the {open_cabinet}, which stands open and has to be closed then; leave anything else alone",
        errand("2*can@table>open.cabinet =@table -open.cabinet"),
        opened="cabinet",
    ),
    Entry(
        "empty-fridge",
        "hl",
        "could you empty the fridge onto the {table} and close it again?",
        errand("2*@fridge>table -fridge"),
        start="bedroom",
    ),
    Entry(
        "defrost",
        "hl",
        "the fridge is going to be defrosted. Whatever is in it can wait on the sofa. Do not leave it open",
        errand("3*@fridge>sofa -fridge"),
    ),
    Entry(
        "empty-drawer",
        "hl",
        "a drawer jams because of the two things inside; lay them on the {table} and push it shut",
        errand("2*@drawer>table -drawer"),
    ),
    Entry(
        "sink-empty",
        "hl",
        "nobody can wash up like this: all that is in the sink has to come out, onto the {table}",
        errand("3*@sink>table"),
        added="mug@sink apple@sink sponge@sink",
    ),
    Entry(
        "kitchen-fruit",
        "l",
        "bring all the fruit there is in the kitchen to the sofa",
        errand("3*fruit@kitchen>sofa"),
        start="kitchen",
    ),
    Entry(
        "living-cans",
        "lh",
        "cans have no business in the living room: every one of them goes to the stove",
        errand("3*can@living_room>stove"),
    ),
    Entry(
        "living-fruit-fridge",
        "lh",
        "any fruit in the living room would keep better in the fridge. Close it afterwards",
        errand("2*fruit@living_room>fridge -fridge"),
    ),
    Entry(
        "fridge-swap",
        "lh",
        "the apple has been in the fridge long enough. It changes places with the banana; shut the fridge",
        errand("apple@fridge>at.banana banana>fridge -fridge"),
    ),
    Entry(
        "cabinet-swap",
        "l",
        "the mug in the cupboard and the bowl outside change places, and the cupboard ends up closed",
        errand("mug@cabinet>at.bowl bowl>at.mug -*"),
        start="kitchen",
    ),
]
