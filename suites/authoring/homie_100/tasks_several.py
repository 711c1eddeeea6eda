# ruff: noqa: E501
"""Tasks in houses with two or more objects of a kind."""

from __future__ import annotations

from suites.authoring.homie_100.choices import keep, replenish
from suites.authoring.homie_100.entry import Entry, errand

SEVERAL = [
    Entry(
        "two-apples-fridge",
        "h",
        "put the two apples from the kitchen counter into the fridge and close it, the one elsewhere may stay",
        errand("2*apple@kitchen_counter>fridge =apple@table -fridge", counts={"apple": 3}),
        added="apple@kitchen_counter apple@kitchen_counter apple@table",
    ),
    Entry(
        "two-bowls-mug",
        "h",
        "soup for two: both bowls and the mug have to stand on the {table}",
        errand("2*bowl>table mug>table", counts={"bowl": 2}),
        added="bowl@desk",
    ),
    Entry(
        "sugar-in-two-places",
        "lh",
        "I need both boxes of sugar on the {table}. One should be in the fridge, look elsewhere for the other, and close the "
        "fridge",
        errand("sugar_box@fridge>table sugar_box@desk>table -fridge", counts={"sugar_box": 2}),
        added="sugar_box@fridge sugar_box@desk",
    ),
    Entry(
        "keep-two-sugar",
        "lh",
        "two yellow boxes on the {table} are enough: leave two of them there and take the extra ones to the tv stand",
        keep("sugar_box", "table", 5, 2, "tv_stand"),
        added="sugar_box@table sugar_box@table sugar_box@table sugar_box@table sugar_box@table",
    ),
    Entry(
        "bananas-tv",
        "h",
        "all bananas that lie on the tv stand go to the sofa, and so does the pear; the banana on the {table} stays",
        errand("2*banana@tv_stand>sofa pear>sofa =banana@table !banana@table>sofa"),
        added="banana@tv_stand banana@tv_stand banana@table",
        start="kitchen",
    ),
    Entry(
        "pears-three",
        "lh",
        "restock the fridge with pears until it holds three, and shut it",
        replenish("pear", "fridge", 1, 3),
        added="pear@fridge pear@table pear@desk pear@kitchen_counter",
    ),
    Entry(
        "coffee-four",
        "lh",
        "one blue coffee can on the {table} is not enough for the party, make it four",
        replenish("master_chef_can", "table", 1, 4),
        added="master_chef_can@table master_chef_can@tv_stand master_chef_can@desk master_chef_can@kitchen_counter "
        "master_chef_can@kitchen_counter#2",
    ),
    Entry(
        "mugs-by-colour",
        "h",
        "the red mug is dirty and goes into the sink, the green one is clean and goes to the desk; take the sponge to the stove",
        errand(
            "red.mug>sink green.mug>desk sponge>stove",
            counts={"mug": 2},
            wrong={"mixes the mugs up": "green.mug>sink red.mug>desk sponge>stove"},
        ),
        added="red.mug@table green.mug@tv_stand",
    ),
    Entry(
        "apple-with-mug",
        "l",
        "of the two apples, the one that lies beside the mug goes to the sofa, together with the mug; the other one goes into "
        "the fridge, closed",
        errand(
            "apple@at.mug>sofa mug>sofa apple@tv_stand>fridge -fridge",
            counts={"apple": 2},
            wrong={"mixes the apples up": "apple@tv_stand>sofa mug>sofa apple@at.mug>fridge -fridge"},
        ),
        added="mug@table apple@table apple@tv_stand",
    ),
    Entry(
        "cold-apples",
        "lh",
        "two apples in the fridge are nice and cold, I would like those on the {table}, not the warm one. Close the fridge",
        errand("2*apple@fridge>table !apple@sofa>table -fridge", counts={"apple": 3}),
        added="apple@fridge apple@fridge apple@sofa",
    ),
    Entry(
        "lemons-move",
        "lh",
        "chill all lemons that somebody has put in a drawer, and leave neither drawer nor fridge open",
        errand("2*lemon@drawer>fridge -*"),
        added="lemon@drawer lemon@drawer",
    ),
    Entry(
        "three-mugs",
        "",
        "share out the mugs: the blue one to the desk, the white one to the {table}, the yellow one to the stove",
        errand(
            "blue.mug>desk white.mug>table yellow.mug>stove",
            counts={"mug": 3},
            wrong={"gives each the next one's place": "white.mug>desk yellow.mug>table blue.mug>stove"},
        ),
        added="blue.mug@sofa white.mug@kitchen_counter yellow.mug@bed",
    ),
    Entry(
        "tuna-cans-cabinet",
        "",
        "every can of tuna from the {table} and the tv stand belongs in the {cabinet}, three in all, and close it",
        errand("2*tuna_fish_can@table>cabinet tuna_fish_can@tv_stand>cabinet -cabinet", counts={"tuna_fish_can": 3}),
        added="tuna_fish_can@table tuna_fish_can@table tuna_fish_can@tv_stand",
    ),
    Entry(
        "bowls-sink-one",
        "h",
        "the white bowl on the sofa was used, put it in the sink, then set the red one from the desk where the white one was "
        "and bring a mug there as well",
        errand(
            "white.bowl>sink | red.bowl>sofa mug>sofa",
            counts={"bowl": 2},
            wrong={"takes the red bowl to the sink": "red.bowl>sink | white.bowl>desk mug>sofa"},
        ),
        added="white.bowl@sofa red.bowl@desk",
    ),
]
