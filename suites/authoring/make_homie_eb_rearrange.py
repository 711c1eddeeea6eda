"""Make the suite homie-eb-rearrange: `python -m suites.authoring.make_homie_eb_rearrange`.

As `make_homie_eb_house`, after EB-Habitat: errands that only move things, and a robot that is sent to furniture, where
things have to be looked for. `--experts FOLDER` plays the experts.
"""

from __future__ import annotations

from suites.authoring.homie_eb.house_drawing import Recipe
from suites.authoring.homie_eb.house_errands import KINDS
from suites.authoring.homie_eb.rearranging import Rearranging, swap, unpack

RECIPE = Recipe(
    name="homie-eb-rearrange",
    letter="r",
    description="50 errands that move things, each in the six ways of EmbodiedBench's subsets, by way of furniture.",
    kinds={"place": KINDS["place"], "unpack": unpack, "pair": KINDS["pair"], "swap": swap, "store": KINDS["store"]},
    skills="ideal",
    script=Rearranging,
    protocol={"sent_to": "furniture"},
)

if __name__ == "__main__":
    RECIPE.command()
