# ruff: noqa: E501
"""Tasks with containers: into them, out of them, and opening or closing them."""

from __future__ import annotations

from suites.authoring.homie_100.entry import Entry, errand

INSIDE = [
    Entry(
        "two-fruit-fridge",
        "",
        "store apple and banana in the fridge and close it",
        errand("apple>fridge banana>fridge -fridge"),
    ),
    Entry(
        "three-cold",
        "",
        "cool orange, pear and plum in the fridge, closing it at the end",
        errand("orange>fridge pear>fridge plum>fridge -fridge"),
    ),
    Entry(
        "fish-and-lemon",
        "h",
        "tomorrow there is fish: tuna and lemon go into the fridge. Once that is closed, bring me crackers to the sofa",
        errand("tuna_fish_can>fridge lemon>fridge -fridge | cracker_box>sofa"),
    ),
    Entry(
        "sweets-hidden",
        "hl",
        "the children must not see the sweets, so hide pudding and gelatin in a drawer, both in the same one, and shut it",
        errand(
            "pudding_box>drawer gelatin_box>drawer -drawer",
            wrong={"uses two drawers": "pudding_box>drawer gelatin_box>drawer#2 -drawer -drawer#2"},
        ),
    ),
    Entry(
        "apple-fridge-tuna-drawer",
        "h",
        "the apple has to be cold, the tuna only out of the way: fridge and drawer, and nothing open when you are done",
        errand("apple>fridge tuna_fish_can>drawer -*"),
    ),
    Entry(
        "one-after-another",
        "",
        "put the mustard into the fridge and close that; after that the bowl into the {cabinet}, closing it too",
        errand("mustard_bottle>fridge -fridge | bowl>cabinet -cabinet"),
    ),
    Entry(
        "banana-out",
        "lh",
        "I fancy the banana, which is in some drawer. Put it on the sofa with the orange and the mug",
        errand("banana@drawer>sofa orange>sofa mug>sofa"),
    ),
    Entry(
        "lost-mug",
        "lh",
        "no idea in which cupboard I left my mug! Find it, put it on the {table} with the crackers, which you bring too, and "
        "leave no door open",
        errand("mug@cabinet>table cracker_box>table -*"),
    ),
    Entry(
        "cold-plum-warm-soup",
        "h",
        "plum out of the fridge and on the {table}; soup can and bowl join it; close the fridge",
        errand("plum@fridge>table tomato_soup_can>table bowl>table -fridge"),
    ),
    Entry(
        "drawer-to-fridge",
        "lh",
        "what is the strawberry doing in a drawer? Move it to the fridge and close both",
        errand("strawberry@drawer>fridge -*"),
    ),
    Entry(
        "cabinet-to-fridge",
        "lh",
        "the mustard was put away in a cupboard, but it should be kept cold. Put that right, doors closed, and lay the lemon "
        "on the sofa",
        errand("mustard_bottle@cabinet>fridge lemon>sofa -*"),
    ),
    Entry(
        "fridge-to-drawer",
        "h",
        "tuna in a can needs no cooling: from the fridge into a drawer with it, close whatever you open, and then wait in the "
        "bedroom",
        errand("tuna_fish_can@fridge>drawer -* | @bedroom"),
    ),
    Entry(
        "fish-tonight",
        "lh",
        "tuna with lemon tonight, I want both on the stove! The lemon is in the fridge and the tuna in one of the cupboards; "
        "everything is to be shut again",
        errand("lemon@fridge>stove tuna_fish_can@cabinet>stove -*"),
    ),
    Entry(
        "soup-then-dessert",
        "h",
        "soup first, dessert later: the bowl goes into the microwave, which you close, and after that the lemon to the sofa",
        errand("bowl>microwave -microwave | lemon>sofa"),
    ),
    Entry(
        "open-fridge-fruit",
        "h",
        "the fridge is standing open anyway, so put pear and peach in, and close it this time",
        errand("pear>fridge peach>fridge -fridge"),
        opened="fridge",
    ),
    Entry(
        "two-doors-open",
        "",
        "fridge and {open_cabinet} are open. The plum goes into the fridge, the bowl into the {open_cabinet}; close the two",
        errand("plum>fridge bowl>open.cabinet -*"),
        opened="fridge cabinet",
        start="kitchen",
    ),
    Entry(
        "shut-then-wash",
        "h",
        "first shut the fridge and the drawer that stand open, then bring mug and bowl to the sink",
        errand("-fridge -open.drawer | mug>sink bowl>sink"),
        opened="fridge drawer",
        start="bedroom",
    ),
    Entry(
        "burglars",
        "lh",
        "it looks as if burglars had been here. Close all that is open, wherever it is, and put the banana back on the {table}",
        errand("banana>table -*"),
        opened="fridge drawer cabinet",
        start="bathroom",
    ),
    Entry(
        "open-drawer-fruit",
        "",
        "both lemons in the open drawer have to go onto the {table}, then it can be shut",
        errand("2*lemon@open.drawer>table -open.drawer"),
        opened="drawer",
        added="lemon@drawer lemon@drawer",
    ),
    Entry(
        "fridge-ready",
        "h",
        "I am coming home with the shopping: clear crackers and mug onto the sofa and have the fridge open for me",
        errand("cracker_box>sofa mug>sofa +fridge"),
    ),
]
