# ruff: noqa: E501
"""Tasks that carry freely accessible objects, in any order or in a given one."""

from __future__ import annotations

from suites.authoring.homie_100.entry import Entry, errand

CARRY = [
    Entry(
        "breakfast-things",
        "h",
        "lay the {table} for me: mug, bowl and the box of crackers",
        errand("mug>table bowl>table cracker_box>table"),
    ),
    Entry(
        "desk-lunch",
        "h",
        "tuna, crackers and the apple make a lunch, please put them where I write, on the desk",
        errand("tuna_fish_can>desk cracker_box>desk apple>desk"),
    ),
    Entry(
        "bed-tray",
        "h",
        "someone is ill: take the soup can, the mug and an orange to the bed",
        errand("tomato_soup_can>bed mug>bed orange>bed"),
        start="kitchen",
    ),
    Entry(
        "split-fruit",
        "",
        "apple to the sofa, banana to the tv stand, pear to a kitchen counter",
        errand("apple>sofa banana>tv_stand pear>kitchen_counter"),
        start="bathroom",
    ),
    Entry(
        "picnic-sofa",
        "h",
        "a picnic indoors: banana, strawberry, crackers and the mug, all on the sofa please",
        errand("banana>sofa strawberry>sofa cracker_box>sofa mug>sofa"),
    ),
    Entry(
        "four-sorts",
        "",
        "one table, four colours: red apple, yellow banana, green pear and purple plum, all on the {table}",
        errand("apple>table banana>table pear>table plum>table"),
    ),
    Entry(
        "wash-up-first",
        "h",
        "mug and bowl need washing, put them in the sink, and only then bring the sponge to the stove",
        errand("mug>sink bowl>sink | sponge>stove"),
    ),
    Entry(
        "fruit-then-wait",
        "h",
        "put peach and lemon on the tv stand, then go and wait for me in the kitchen",
        errand("peach>tv_stand lemon>tv_stand | @kitchen"),
        start="bedroom",
    ),
    Entry(
        "boxes-then-wait",
        "",
        "put the gelatin box, the sugar box and the pudding on the sofa and drive to the bedroom afterwards",
        errand("gelatin_box>sofa sugar_box>sofa pudding_box>sofa | @bedroom"),
    ),
    Entry(
        "come-with-banana",
        "h",
        "take soup can and tuna to the stove, then come to me in the bedroom with the banana in your hand",
        errand("tomato_soup_can>stove tuna_fish_can>stove | ^banana @bedroom"),
    ),
    Entry(
        "bathroom-first",
        "h",
        "see that nobody is in the bathroom first. After that, lemon and orange are wanted on the sofa",
        errand(
            "@bathroom | lemon>sofa orange>sofa", wrong={"~never looks into the bathroom": "lemon>sofa orange>sofa"}
        ),
    ),
    Entry(
        "morning-round",
        "",
        "begin in the bedroom; then carry the apple to the sofa, after that the mustard to the stove; end in the living room, where you are now",
        errand(
            "@bedroom | apple>sofa | mustard_bottle>stove | @living_room",
            wrong={"~leaves the bedroom out": "apple>sofa | mustard_bottle>stove | @living_room"},
        ),
    ),
    Entry(
        "plum-in-bowl",
        "h",
        "serve the plum in the bowl, and lay orange and banana on the sofa",
        errand("plum>bowl orange>sofa banana>sofa"),
    ),
    Entry(
        "mustard-chain",
        "l",
        "the mustard takes the place of the crackers, and the crackers go to where the peach is, which moves to the sofa",
        errand("mustard_bottle>at.cracker_box cracker_box>at.peach peach>sofa"),
    ),
    Entry(
        "stove-then-guests",
        "h",
        "guests in a minute! Get tomato soup and meat can onto the stove, and when that is done, crackers and pudding onto "
        "the sofa",
        errand("tomato_soup_can>stove potted_meat_can>stove | cracker_box>sofa pudding_box>sofa"),
    ),
    Entry(
        "desk-for-work",
        "h",
        "I want to work: coffee and apple to the desk, the bowl off to the {table}, and then stay in the kitchen",
        errand("master_chef_can>desk apple>desk bowl>table | @kitchen"),
    ),
]
