"""Wishes of people and the kinds of objects that fulfil them, for instructions that do not name the object."""

from __future__ import annotations

from typing import NamedTuple


class Use(NamedTuple):
    """A wish, and the objects that fulfil it.

    Attributes:
        wish: The wish in the words of a person.
        serves: Kinds that fulfil it.
        perhaps: Kinds that some people would take; if one is in the picture too, no question is made.
    """

    wish: str
    serves: frozenset[str]
    perhaps: frozenset[str] = frozenset()


def _use(wish: str, serves: str, perhaps: str = "") -> Use:
    return Use(wish, frozenset(serves.split()), frozenset(perhaps.split()))


USES = (
    _use("I would like to sit down.", "chair sofa", "bed toilet bathtub"),
    _use("I am tired and want to sleep.", "bed", "sofa pillow"),
    _use("The milk has to stay cold.", "fridge"),
    _use("The meal has to be warm in a minute.", "microwave", "stove pan pot"),
    _use("I want to fry an egg.", "stove pan", "microwave spatula"),
    _use("I want to watch the news.", "tv", "newspaper laptop phone"),
    _use("It is too dark in here.", "lamp", "candle"),
    _use("I want to wash the dishes.", "sink", "sponge washbasin"),
    _use("I would like a piece of fruit.", "apple banana orange peach pear plum strawberry pineapple", "lemon tomato"),
    _use("I would like some coffee: bring me what I can drink it from.", "mug teacup", "glass wine_glass bowl"),
    _use("I have to cut the rope.", "knife scissors"),
    _use("I want to read a story.", "book", "newspaper laptop phone"),
    _use("I want to write a note.", "pen pencil", "laptop phone"),
    _use("I want to call my brother.", "phone", "laptop"),
    _use("I want to know what time it is.", "alarm_clock", "phone laptop tv"),
    _use("The child wants something to play with.", "teddy_bear toy_car rubber_duck puzzle_cube", "tennis_ball"),
    _use("My hands are wet.", "towel", "tissue_box toilet_paper"),
    _use("I want to brush my teeth.", "toothbrush", "toothpaste"),
    _use("I want to drive in a nail.", "hammer", "dumbbell"),
    _use("I want to put the flowers into water.", "vase", "glass wateringcan pot water_bottle"),
    _use("I want to eat soup: what do I need in my hand?", "spoon", "ladle"),
    _use("I want to listen to music without a sound for the others.", "headphones", "phone laptop"),
    _use("I want to comb my hair.", "hairbrush"),
    _use("I need something to rest my head on.", "pillow", "sofa bed teddy_bear"),
)
