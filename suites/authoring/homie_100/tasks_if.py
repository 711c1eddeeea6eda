# ruff: noqa: E501
"""Tasks with a condition: the same text in two houses, one for each branch."""

from __future__ import annotations

from suites.authoring.homie_100.entry import Entry, errand


def pair(
    name: str,
    letters: str,
    text: str,
    yes: str,
    no: str,
    *,
    lacks: str = "",
    opened: str = "",
    start: str = "",
    holds: str = "",
) -> list[Entry]:
    """Make the entries of both branches.

    Args:
        lacks: Objects that are missing in the house of `no`.
        holds: Further objects in the house of `yes`.
    """
    return [
        Entry(f"{name}-yes", letters, text, errand(yes), start, opened, holds),
        Entry(f"{name}-no", letters, text, errand(no, lacks=lacks), start, opened),
    ]


IF = [
    *pair(
        "apple-check",
        "lh",
        "see whether the fridge has an apple: if so, it goes to the sofa, if not, put the pear in. The mug goes to the sink in "
        "any case, and the fridge stays shut",
        "+fridge apple@fridge>sofa -fridge mug>sink !pear>fridge",
        "+fridge pear>fridge -fridge mug>sink !apple>sofa",
    ),
    *pair(
        "fruit-check",
        "lh",
        "if there is any fruit in the fridge, lay it on the tv stand; without fruit in there, add the lemon. Bring me the "
        "crackers to the sofa as well and close the fridge",
        "+fridge 1*fruit@fridge>tv_stand -fridge cracker_box>sofa !lemon>fridge",
        "+fridge lemon>fridge -fridge cracker_box>sofa !banana>tv_stand",
        lacks="fruit@fridge",
        start="bedroom",
    ),
    *pair(
        "can-check",
        "lh",
        "check the fridge for cans. One that you find goes to the stove; if you find none, the tuna goes in. Then close up, and "
        "after that put the banana on the sofa",
        "+fridge 1*can@fridge>stove -fridge | banana>sofa !tuna_fish_can>fridge",
        "+fridge tuna_fish_can>fridge -fridge | banana>sofa !tomato_soup_can>stove",
        lacks="can@fridge",
    ),
    *pair(
        "box-check",
        "lh",
        "is a box of something in the fridge? Then take it to the sofa, otherwise put the pudding there to cool. Also the orange "
        "goes to the tv stand; the fridge is to be closed",
        "+fridge 1*box@fridge>sofa -fridge orange>tv_stand !pudding_box>fridge",
        "+fridge pudding_box>fridge -fridge orange>tv_stand !cracker_box>sofa",
        lacks="box@fridge",
    ),
    *pair(
        "drawer-check",
        "l",
        "have a look into the open drawer. Anything in it goes onto the {table}; if it is empty, put the plum in. Shut it, and "
        "bring the bowl to the stove",
        "1*@open.drawer>table -open.drawer bowl>stove !plum>open.drawer",
        "plum>open.drawer -open.drawer bowl>stove !apple>table",
        lacks="@drawer",
        opened="drawer",
        holds="gelatin_box@drawer",
    ),
    *pair(
        "open-fridge-check",
        "lh",
        "the fridge is open. A banana in it would turn brown, so if there is one, lay it on the {table}, and if there is none, "
        "the peach may go in. Close it, bring the crackers to the sofa, and come to the bedroom in the end",
        "banana@fridge>table -fridge cracker_box>sofa | @bedroom !peach>fridge",
        "peach>fridge -fridge cracker_box>sofa | @bedroom !banana>table",
        opened="fridge",
        start="kitchen",
    ),
]
