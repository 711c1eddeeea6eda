"""References to the targets of homie-eb-nav: by name, by common knowledge, by look.

A reference is returned only where it is unambiguous in its house; else `UnsuitedHouse` is raised.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from homie.bench.authoring.house import House
from suites.authoring.homie_eb.house_paraphrases import AROUND
from suites.authoring.homie_eb.house_references import ALIKE, COLOURS, named
from suites.authoring.states_script import UnsuitedHouse

FOR: Mapping[str, str] = {
    "cracker_box": "the salty biscuits that go with cheese",
    "bleach_cleanser": "what whitens laundry",
    "bowl": "what one eats soup from",
    "pan": "what one fries an egg in",
    "pot": "what one boils pasta in",
    "kettle": "what one boils water in for tea",
    "teapot": "what tea is poured from at the table",
    "plate": "what one serves a piece of cake on",
    "chopping_board": "what one cuts onions on",
    "wine_bottle": "the drink that is made from grapes",
    "water_bottle": "what one takes along to drink from on a hike",
    "milk_carton": "what one pours over cornflakes",
    "pineapple": "the fruit with a crown of leaves",
    "toilet_paper": "the roll that nobody wants to run out of in the bathroom",
    "spray_bottle": "what one mists a window with before wiping it",
    "towel": "what one dries oneself with after a bath",
    "newspaper": "what tells yesterday's news on paper",
    "alarm_clock": "what wakes one in the morning",
    "vase": "what one puts cut flowers into",
    "tissue_box": "what one reaches for with a cold",
    "cardboard_box": "what a parcel is packed in",
    "laptop": "the computer that one can take along",
    "teddy_bear": "the toy that a child takes to bed",
    "wateringcan": "what one gives plants a drink with",
    "shoe": "what one wears on a foot outdoors",
    "soap_dispenser": "what one pumps to wash one's hands",
    "microwave": "what warms up leftovers in a minute",
    "fridge": "the place where milk stays fresh",
    "stove": "the place where soup is cooked",
    "tv": "what one watches the news on",
    "lamp": "what one reads by at night",
    "toilet": "the seat that has to be flushed",
    "sink": "the place where dishes are washed",
}
"""Common knowledge by kind; no description holds for two kinds. Targets are of these kinds: none of them also appears
as a part of furniture or walls, as books, pillows and pictures do."""
SHAPES: Mapping[str, tuple[str, ...]] = {
    "box with edges": (
        *("cracker_box", "sugar_box", "pudding_box", "gelatin_box", "potted_meat_can"),
        *("tissue_box", "cardboard_box", "milk_carton", "puzzle_cube", "camera"),
    ),
    "cylinder": (
        *("master_chef_can", "tomato_soup_can", "tuna_fish_can", "toilet_paper", "candle", "honey_jar"),
        *("glass", "pepper_mill", "salt_shaker"),
    ),
    "bottle": (
        *("mustard_bottle", "bleach_cleanser", "wine_bottle", "water_bottle", "spray_bottle", "soap_dispenser"),
    ),
    "vessel with a spout": ("kettle", "teapot", "wateringcan"),
    "shallow round vessel with one handle": ("pan",),
    "round vessel that is open at the top": ("pot", "bowl", "mug", "teacup"),
    "flat disc": ("plate",),
    "flat rectangular thing": (
        *("chopping_board", "book", "newspaper", "towel", "calculator", "phone", "remote_control", "laptop"),
    ),
    "oval thing with a tuft on it": ("pineapple",),
    "round dial": ("alarm_clock",),
    "slender vessel without a handle": ("vase", "wine_glass"),
    "upright rectangle on a foot": ("picture_frame",),
    "figure with round ears": ("teddy_bear",),
    "soft and plump rectangle": ("pillow",),
    "low thing with an opening for a foot": ("shoe",),
    "box with a wide door in its front": ("microwave",),
    "tall box with a door": ("fridge", "cabinet"),
    "block with rings on top": ("stove",),
    "wide and thin panel": ("tv",),
    "pole with a shade": ("lamp",),
    "low bowl with a tank behind it": ("toilet",),
    "basin": ("sink", "washbasin", "bathtub"),
}
"""Shapes of several kinds, without colour."""
PLAIN = (
    "Navigate to {x} and come as close to it as possible.",
    "Find {x} and get as near to it as you can.",
)
USEFUL = (
    "I am looking for {x}. Please go there and stay close.",
    "Go up to {x} and stop right beside it.",
)
SEEN = (
    "Approach {x}.",
    "Head for {x} and stay near it.",
)


def by_use(house: House, name: str) -> str:
    """Refer by common knowledge of its kind, of which it has to be the only one. Raises UnsuitedHouse."""
    kind = house.state.things[name].kind
    if kind not in FOR or sum(item.kind == kind for item in house.state.things.values()) > 1:
        raise UnsuitedHouse(f"nothing is known of {name} alone")
    return FOR[kind]


def by_look(house: House, name: str) -> str:
    """Refer by colour and shape. Raises UnsuitedHouse where something else has both."""
    things = house.state.things
    colour, shape = things[name].colour, _shape(things[name].kind)
    looks = [(ALIKE.get(item.colour, item.colour), _shape(item.kind)) for item in things.values()]
    if not colour or not shape or looks.count((ALIKE.get(colour, colour), shape)) > 1:
        raise UnsuitedHouse(f"{name} is not the only {colour} {shape}")
    return f"the {COLOURS.get(colour, colour)} {shape}"


def at_length(house: House, name: str, text: str, rng: random.Random) -> str:
    """Word a text inside an instruction with irrelevant sentences. Raises UnsuitedHouse."""
    idle = [other for other in sorted(house.objects) if other != name and house.spoken(other)]
    if len(idle) < 2:
        raise UnsuitedHouse("there is nothing else to speak of")
    z, w = (named(house, other) for other in rng.sample(idle, 2))
    return _sentences(rng.choice(AROUND).format(task=text, z=z, w=w))


def texts(house: House, name: str, rng: random.Random) -> dict[str, str]:
    """Return the instruction in the words of each subset; `long-horizon` has the plain one. Raises UnsuitedHouse."""
    plain = rng.choice(PLAIN).format(x=named(house, name))
    return {
        "base": plain,
        "common-sense": rng.choice(USEFUL).format(x=by_use(house, name)),
        "complex-instruction": at_length(house, name, plain, rng),
        "visual-appearance": rng.choice(SEEN).format(x=by_look(house, name)),
        "long-horizon": plain,
    }


def _shape(kind: str) -> str:
    return next((shape for shape, kinds in SHAPES.items() if kind in kinds), "")


def _sentences(text: str) -> str:
    return ". ".join(sentence[:1].upper() + sentence[1:] for sentence in text.split(". "))
