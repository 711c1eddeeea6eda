# ruff: noqa: E501
"""The 100 tasks of homie-100: what is said, and the pattern that looks for a house where it makes sense.

Letters: l logical, h human-style, o open-ended (EMMOE, section 3.1). Short- or long-horizon follows from the expert.
{to}, {from}: places as the house found needs them to be called.
"""

from __future__ import annotations

from dataclasses import dataclass

from homie_100_patterns import (
    Pattern,
    choose,
    clear,
    errands,
    gather,
    replenish,
    stand_by,
    swap,
    whether,
)


@dataclass(frozen=True)
class Entry:
    """One task before its house is found."""

    id: str
    letters: str
    text: str
    pattern: Pattern


SHORT = [
    Entry("lemon-sofa", "", "carry the lemon over to the sofa", errands("lemon>sofa")),
    Entry("mug-sink", "h", "the mug has been used, it belongs in the sink", errands("mug>sink")),
    Entry("plum-chilled", "h", "chill the plum for me and mind the fridge door", errands("plum>fridge", close=True)),
    Entry(
        "sponge-drawer",
        "l",
        "one of the drawers has a sponge in it: lay it on the {to}",
        errands("sponge>kitchen_counter", inside="sponge", within="drawer"),
    ),
    Entry("coffee-table", "", "move the coffee can to the {to}", errands("master_chef_can>table")),
    Entry("wait-bedroom", "", "drive to the bedroom and stay there", stand_by("bedroom")),
    Entry(
        "bring-apple",
        "h",
        "I am in the living room, come here with the apple in your hand",
        stand_by("living room", "apple"),
    ),
    Entry(
        "desserts-desk",
        "",
        "gelatin and pudding, both boxes, go onto the desk",
        errands("gelatin_box>desk pudding_box>desk"),
    ),
    Entry(
        "bedside-fruit",
        "oh",
        "I sleep better with a piece of fruit beside my bed, put one on the nightstand",
        choose(1, "fruit", "nightstand"),
    ),
    Entry(
        "red-yellow-box",
        "l",
        "bring the big red box and the yellow one of sugar to the sofa",
        errands("cracker_box>sofa sugar_box>sofa"),
    ),
    Entry("edible-tv", "o", "put something one can eat on the tv stand", choose(1, "food", "tv_stand")),
    Entry(
        "meat-from-fridge",
        "",
        "take the meat can out of the fridge, put it on the {to} and shut the fridge",
        errands("potted_meat_can>table", inside="potted_meat_can", within="fridge", close=True),
    ),
    Entry(
        "pear-tuna-swap",
        "l",
        "swap the pear and the tuna can: each goes to where the other one is now",
        swap("pear", "tuna_fish_can"),
    ),
    Entry(
        "mug-microwave",
        "h",
        "I want to warm up my mug, get it into the microwave and close that",
        errands("mug>microwave", close=True),
    ),
    Entry(
        "citrus-sofa",
        "l",
        "the two citrus fruits, lemon and orange, are wanted on the sofa",
        errands("lemon>sofa orange>sofa"),
    ),
    Entry(
        "bleach-away", "", "put the bleach cleanser on a kitchen counter", errands("bleach_cleanser>kitchen_counter")
    ),
]

CARRY = [
    Entry(
        "breakfast-things",
        "h",
        "lay the {to} for me: mug, bowl and the box of crackers",
        errands("mug>table bowl>table cracker_box>table"),
    ),
    Entry(
        "breakfast-desk",
        "h",
        "I will have breakfast while I work, bring bowl, banana and crackers to the desk",
        errands("bowl>desk banana>desk cracker_box>desk"),
    ),
    Entry(
        "three-fruit-sofa", "", "collect apple, pear and peach on the sofa", errands("apple>sofa pear>sofa peach>sofa")
    ),
    Entry(
        "film-night",
        "h",
        "film night! crackers, pudding and the plum should be on the sofa when it starts",
        errands("cracker_box>sofa pudding_box>sofa plum>sofa"),
    ),
    Entry(
        "tins-counter",
        "l",
        "all that is for the soup pot - tomato soup, tuna, meat can - goes to a kitchen counter",
        errands("tomato_soup_can>kitchen_counter tuna_fish_can>kitchen_counter potted_meat_can>kitchen_counter"),
    ),
    Entry(
        "cake-baking",
        "h",
        "I am going to bake. Sugar, gelatin and the lemon have to be on the {to}",
        errands("sugar_box>table gelatin_box>table lemon>table"),
    ),
    Entry(
        "wash-up-wait",
        "hl",
        "mug and bowl need washing, put them in the sink, then bring the sponge to the stove",
        errands("mug>sink bowl>sink sponge>stove"),
    ),
    Entry(
        "show-on-tv-stand",
        "",
        "line up orange, lemon and banana on the tv stand",
        errands("orange>tv_stand lemon>tv_stand banana>tv_stand"),
    ),
    Entry(
        "bed-tray",
        "h",
        "someone is ill: take the soup can, the mug and an orange to the bed",
        errands("tomato_soup_can>bed mug>bed orange>bed"),
    ),
    Entry(
        "desk-lunch",
        "h",
        "tuna, crackers and the apple make a lunch, please put them where I write, on the desk",
        errands("tuna_fish_can>desk cracker_box>desk apple>desk"),
    ),
    Entry(
        "paint-still-life",
        "h",
        "I would like to paint a still life: pear, plum and bowl on the {to}, that is all I ask",
        errands("pear>table plum>table bowl>table"),
    ),
    Entry(
        "split-fruit",
        "l",
        "apple to the sofa, banana to the tv stand, pear to a kitchen counter",
        errands("apple>sofa banana>tv_stand pear>kitchen_counter"),
    ),
    Entry(
        "split-boxes",
        "l",
        "distribute the boxes: sugar on a kitchen counter, crackers on the sofa, pudding on the tv stand",
        errands("sugar_box>kitchen_counter cracker_box>sofa pudding_box>tv_stand"),
    ),
    Entry(
        "each-a-seat",
        "lh",
        "guests! an apple for the one on the sofa, an orange for the one in bed, a mug for the one at the desk",
        errands("apple>sofa orange>bed mug>desk"),
    ),
    Entry(
        "soup-and-coffee",
        "h",
        "lunch for one: bowl and tomato soup to the stove, and for later the coffee to a kitchen counter",
        errands("bowl>stove tomato_soup_can>stove master_chef_can>kitchen_counter"),
    ),
    Entry(
        "guest-bed",
        "h",
        "make our guest feel welcome with a peach, the mug and crackers on the bed",
        errands("peach>bed mug>bed cracker_box>bed"),
    ),
    Entry(
        "stove-ready",
        "h",
        "I am about to cook, have mustard, tomato soup and the meat can ready on the stove",
        errands("mustard_bottle>stove tomato_soup_can>stove potted_meat_can>stove"),
    ),
    Entry(
        "picnic-sofa",
        "h",
        "a picnic indoors: banana, strawberry, crackers and the mug, all on the sofa please",
        errands("banana>sofa strawberry>sofa cracker_box>sofa mug>sofa"),
    ),
    Entry(
        "pantry-counter",
        "",
        "bring coffee, sugar, mustard and crackers to the {to}",
        errands("master_chef_can>table sugar_box>table mustard_bottle>table cracker_box>table"),
    ),
    Entry(
        "four-sorts",
        "l",
        "one table, four colours: red apple, yellow banana, green pear and purple plum, all on the {to}",
        errands("apple>table banana>table pear>table plum>table"),
    ),
    Entry(
        "cleaning-kit",
        "h",
        "spring cleaning: bleach, sponge and the dirty mug go to the {to}, where I sort them",
        errands("bleach_cleanser>table sponge>table mug>table"),
    ),
    Entry(
        "fruit-then-wait",
        "h",
        "put peach and lemon on the tv stand, then go and wait for me in the kitchen",
        errands("peach>tv_stand lemon>tv_stand", then="kitchen"),
    ),
    Entry(
        "boxes-then-wait",
        "",
        "put the gelatin box and the sugar box on the sofa and drive to the bedroom afterwards",
        errands("gelatin_box>sofa sugar_box>sofa", then="bedroom"),
    ),
    Entry(
        "plum-in-bowl",
        "hl",
        "serve the plum in the bowl, and lay orange and banana on the sofa",
        errands("plum>bowl orange>sofa banana>sofa"),
    ),
    Entry(
        "berry-in-bowl",
        "h",
        "a strawberry in the bowl would look nice; the apple and the mug go to the tv stand",
        errands("strawberry>bowl apple>tv_stand mug>tv_stand"),
    ),
]

CONTAINERS = [
    Entry(
        "two-fruit-fridge",
        "",
        "store apple and banana in the fridge and close it",
        errands("apple>fridge banana>fridge", close=True),
    ),
    Entry(
        "spoiling",
        "hl",
        "it is getting hot in here, the peach and the strawberry will spoil unless you refrigerate them. Shut the door!",
        errands("peach>fridge strawberry>fridge", close=True),
    ),
    Entry(
        "drinks-mustard-cold",
        "h",
        "mustard and the open meat can ought to be cold: into the fridge, door closed",
        errands("mustard_bottle>fridge potted_meat_can>fridge", close=True),
    ),
    Entry(
        "fish-and-lemon",
        "h",
        "tomorrow there is fish. Keep the tuna and the lemon in the fridge till then, closed of course",
        errands("tuna_fish_can>fridge lemon>fridge", close=True),
    ),
    Entry(
        "three-cold",
        "",
        "cool orange, pear and plum in the fridge, closing it at the end",
        errands("orange>fridge pear>fridge plum>fridge", close=True),
    ),
    Entry(
        "cans-cabinet",
        "h",
        "would you put the coffee can and the tomato soup can into the {to} and shut it?",
        errands("master_chef_can>cabinet tomato_soup_can>cabinet", close=True),
    ),
    Entry(
        "boxes-cabinet",
        "l",
        "sugar and crackers stay dry only behind a door: into the {to}, then close it",
        errands("sugar_box>cabinet cracker_box>cabinet", close=True),
    ),
    Entry(
        "dishes-cabinet",
        "h",
        "would you clear mug and bowl away into the {to}? Leave no door open",
        errands("mug>cabinet bowl>cabinet", close=True),
    ),
    Entry(
        "sweets-hidden",
        "hl",
        "the children must not see the sweets, so hide pudding and gelatin in a drawer and shut it",
        errands("pudding_box>drawer gelatin_box>drawer", close=True),
    ),
    Entry(
        "tins-drawer",
        "",
        "place the tuna can and the meat can in a drawer and close that",
        errands("tuna_fish_can>drawer potted_meat_can>drawer", close=True),
    ),
    Entry(
        "fruit-drawer",
        "h",
        "I keep my fruit in a drawer, odd as it sounds. Put lemon and pear there, closed",
        errands("lemon>drawer pear>drawer", close=True),
    ),
    Entry(
        "apple-fridge-tuna-drawer",
        "l",
        "the apple has to be cold, the tuna only out of the way: fridge and drawer, both shut when you are done",
        errands("apple>fridge tuna_fish_can>drawer", close=True),
    ),
    Entry(
        "plum-fridge-soup-cabinet",
        "lh",
        "soup can in the {to}, plum in the fridge, and please leave everything as closed as you found it",
        errands("tomato_soup_can>cabinet plum>fridge", close=True),
    ),
    Entry(
        "sponge-drawer-bowl-cabinet",
        "h",
        "tidy up: bowl in the {to}, sponge in any drawer, nothing left open",
        errands("bowl>cabinet sponge>drawer", close=True),
    ),
    Entry(
        "banana-out-apple",
        "lh",
        "I fancy the banana, which is somewhere behind a door. Put it on the sofa with the orange and the mug",
        errands("banana>sofa orange>sofa mug>sofa", inside="banana"),
    ),
    Entry(
        "lost-mug",
        "lh",
        "no idea in which cupboard I left my mug! Find it for me, put it on the {to} beside the crackers, which you bring too, and shut the cupboard",
        errands("mug>table cracker_box>table", inside="mug", within="cabinet", close=True),
    ),
    Entry(
        "lost-pudding",
        "lh",
        "the pudding has got lost in some drawer; search it, and bring it to the sofa together with the banana, drawers closed",
        errands("pudding_box>sofa banana>sofa", inside="pudding_box", within="drawer", close=True),
    ),
    Entry(
        "cold-plum-warm-soup",
        "lh",
        "plum out of the fridge and on the {to}; soup can and bowl join it; close the fridge",
        errands("plum>table tomato_soup_can>table bowl>table", inside="plum", within="fridge", close=True),
    ),
    Entry(
        "cold-orange",
        "h",
        "I could do with a cold orange and some crackers here on the sofa. Shut the fridge again",
        errands("orange>sofa cracker_box>sofa", inside="orange", within="fridge", close=True),
    ),
    Entry(
        "fish-tonight",
        "h",
        "tuna with lemon tonight! The lemon is in the fridge, which you shut again; I want both on the stove",
        errands("lemon>stove tuna_fish_can>stove", inside="lemon", within="fridge", close=True),
    ),
    Entry(
        "drawer-to-fridge",
        "l",
        "what is the strawberry doing in a drawer? Move it to the fridge and close both",
        errands("strawberry>fridge", inside="strawberry", within="drawer", close=True),
    ),
    Entry(
        "cabinet-to-fridge",
        "lh",
        "the mustard was put away in a cupboard, but it should be kept cold. Put that right, doors closed",
        errands("mustard_bottle>fridge", inside="mustard_bottle", within="cabinet", close=True),
    ),
    Entry(
        "fridge-to-drawer",
        "lh",
        "tuna in a can needs no cooling: from the fridge into a drawer with it, and close whatever you open",
        errands("tuna_fish_can>drawer", inside="tuna_fish_can", within="fridge", close=True),
    ),
    Entry(
        "bowl-microwave-fruit",
        "h",
        "soup first, dessert later: the bowl into the microwave, closed, then lemon to the sofa",
        errands("bowl>microwave lemon>sofa", close=True),
    ),
]

SURFACES = [
    Entry("clear-table-sofa", "", "clear the {from}: everything on it goes to the sofa", clear("table", "sofa", 3)),
    Entry("clear-desk", "h", "my desk is a mess, move all there is on it to the sofa", clear("desk", "sofa", 3)),
    Entry(
        "clear-tv-stand",
        "h",
        "both things on the {from} block my view, put them into the fridge for the time being and close it",
        clear("tv_stand", "fridge", 2, close=True),
    ),
    Entry(
        "table-into-fridge",
        "h",
        "the {from} has to be free before the guests come. Both things on it go in the fridge; shut it",
        clear("table", "fridge", 2, close=True),
    ),
    Entry(
        "table-but-mug",
        "lh",
        "free the {from} except for the mug, which stays; the rest goes into the {to}, and shut that",
        clear("table", "cabinet", 2, but="mug", close=True),
    ),
    Entry(
        "table-fruit-only",
        "lh",
        "look at the {from}: fruit from it belongs in the fridge, what is no fruit stays. Fridge closed, please",
        clear("table", "fridge", 2, only="fruit", close=True),
    ),
    Entry(
        "table-cans-only",
        "l",
        "cans on the {from} go into the {to}, which has to be closed again; leave anything else alone",
        clear("table", "cabinet", 2, only="can", close=True),
    ),
    Entry(
        "empty-fridge",
        "h",
        "could you empty the fridge onto the {to} and close it again?",
        clear("fridge", "table", 2, close=True),
    ),
    Entry(
        "defrost",
        "hl",
        "the fridge is going to be defrosted. Whatever is in it can wait on the sofa. Do not leave it open",
        clear("fridge", "sofa", 3, close=True),
    ),
    Entry(
        "empty-cabinet",
        "h",
        "I am selling the {from}. Get the things out onto the {to} and close it",
        clear("cabinet", "table", 2, close=True),
    ),
    Entry(
        "empty-drawer",
        "hl",
        "a drawer jams because of the two things inside; lay them on the {to} and push it shut",
        clear("drawer", "table", 2, close=True),
    ),
    Entry(
        "kitchen-fruit",
        "l",
        "bring all the fruit there is in the kitchen to the sofa",
        gather("fruit", "kitchen", "sofa", 3),
    ),
    Entry(
        "living-cans",
        "lh",
        "cans have no business in the living room: every one of them goes to the stove",
        gather("can", "living room", "stove", 3),
    ),
    Entry(
        "living-boxes",
        "lh",
        "carry the boxes of the living room, whichever there are, to the {to}",
        gather("box", "living room", "table", 3),
    ),
    Entry(
        "living-fruit-fridge",
        "lh",
        "any fruit in the living room would keep better in the fridge. Close it afterwards",
        gather("fruit", "living room", "fridge", 2, close=True),
    ),
    Entry(
        "fridge-swap",
        "lh",
        "the apple has been in the fridge long enough. It changes places with the banana; shut the fridge",
        swap("apple", "banana", inside="fridge"),
    ),
    Entry(
        "cabinet-swap",
        "l",
        "the mug in the cupboard and the bowl outside change places, and the cupboard ends up closed",
        swap("mug", "bowl", inside="cabinet"),
    ),
]

CONDITIONS = [
    Entry(f"{name}-{'yes' if there else 'no'}", letters, text, whether(of, box, there, yes, no, also))
    for name, letters, text, of, box, yes, no, also in (
        (
            "apple-check",
            "lh",
            "see whether the fridge has an apple: if so, it goes to the sofa, if not, put the pear in. The mug goes to the sink in any case, and the fridge stays shut",
            "apple",
            "fridge",
            "sofa",
            "pear",
            "mug>sink",
        ),
        (
            "fruit-check",
            "lh",
            "if there is any fruit in the fridge, lay it on the tv stand; without fruit in there, add the lemon. Bring me the crackers to the sofa as well and close the fridge",
            "fruit",
            "fridge",
            "tv_stand",
            "lemon",
            "cracker_box>sofa",
        ),
        (
            "can-check",
            "lh",
            "check the fridge for cans. One that you find goes to the stove; if you find none, the tuna goes in. Then close up and put the banana on the sofa",
            "can",
            "fridge",
            "stove",
            "tuna_fish_can",
            "banana>sofa",
        ),
        (
            "box-check",
            "lh",
            "is a box of something in the fridge? Then take it to the sofa, otherwise put the pudding there to cool. Also the orange goes to the tv stand; the fridge is to be closed",
            "box",
            "fridge",
            "sofa",
            "pudding_box",
            "orange>tv_stand",
        ),
        (
            "mug-check",
            "lh",
            "when there is a mug in the cupboard, put it in the sink, and when there is none, put the bowl in. Close the cupboard, then lay the apple on the sofa",
            "mug",
            "cabinet",
            "sink",
            "bowl",
            "apple>sofa",
        ),
    )
    for there in (True, False)
]

OPEN = [
    Entry(
        "fruit-salad",
        "oh",
        "I feel like a fruit salad. Choose three kinds of fruit and set them on the {to}",
        choose(3, "fruit", "table"),
    ),
    Entry(
        "dinner-cans",
        "ohl",
        "three different cans will do for dinner, take those you like and put them on the stove",
        choose(3, "can", "stove"),
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
        "one can is in the {to} already, I want three there in all and the door shut",
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
        "lh",
        "a box is on the {to}, and the three other kinds of boxes in this home should join it",
        replenish("box", "table", 1, 4),
    ),
    Entry(
        "fridge-stock",
        "lho",
        "the fridge holds a single piece of fruit; fill up to three, any kind, and close it",
        replenish("fruit", "fridge", 1, 3),
    ),
]

ENTRIES = [*SHORT, *CARRY, *CONTAINERS, *SURFACES, *CONDITIONS, *OPEN]

TEST = (
    "wait-bedroom",
    "desk-lunch",
    "four-sorts",
    "three-cold",
    "banana-out-apple",
    "clear-table-sofa",
    "empty-drawer",
    "apple-check-yes",
    "apple-check-no",
    "boxes-any-sofa",
)
"""The tasks of the split `test`: some of every attribute, and both branches of one condition."""
