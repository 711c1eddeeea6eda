"""Make the suite homie-eb-house: `python -m suites.authoring.make_homie_eb_house`.

50 errands are sampled, two in a house, and each is said in the six ways of EmbodiedBench's subsets
(suites/authoring/homie_eb/house_drawing.py). Whether the experts do their tasks is played: `python -m
suites.authoring.make_homie_eb_house --experts FOLDER`.
"""

from __future__ import annotations

from suites.authoring.homie_eb.house_drawing import Recipe
from suites.authoring.homie_eb.house_errands import KINDS

RECIPE = Recipe(
    name="homie-eb-house",
    letter="e",
    description="50 errands in generated houses, each in the six ways of EmbodiedBench's subsets, by numbers.",
    kinds=KINDS,
)

if __name__ == "__main__":
    RECIPE.command()
