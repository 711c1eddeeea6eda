"""Tasks that leave the choice of objects open, or give only their number."""

from __future__ import annotations

from suites.authoring.homie_100.choices import choose, replenish
from suites.authoring.homie_100.entry import Entry

CHOICE = [
    Entry(
        "fruit-salad",
        "oh",
        "I feel like a fruit salad. Choose three kinds of fruit and set them on the {table}",
        choose(3, "fruit", "table"),
    ),
    Entry(
        "dinner-cans",
        "oh",
        "three different cans will do for dinner, take those you like and put them on the stove",
        choose(3, "can", "stove"),
        start="bedroom",
    ),
    Entry(
        "two-fruit-cold",
        "oh",
        "cold fruit is best: two kinds, whichever, into the fridge and shut it",
        choose(2, "fruit", "fridge", close=True),
    ),
    Entry(
        "boxes-any-sofa",
        "o",
        "fetch any three different boxes of food and put them on the sofa",
        choose(3, "box", "sofa"),
    ),
    Entry(
        "can-stock",
        "lho",
        "one can is in the {cabinet} already, I want three there in all and the door shut",
        replenish("can", "cabinet", 1, 3),
    ),
    Entry(
        "fruit-count",
        "lho",
        "have exactly four pieces of fruit in the fridge, where there are two now, and do not leave the door open",
        replenish("fruit", "fridge", 2, 4),
    ),
    Entry(
        "box-stock",
        "l",
        "a box is on the {table}, and the three other kinds of boxes in this home should join it",
        replenish("box", "table", 1, 4),
    ),
    Entry(
        "fridge-stock",
        "lho",
        "the fridge holds a single piece of fruit; fill up to three, any kind, and close it",
        replenish("fruit", "fridge", 1, 3),
    ),
]
