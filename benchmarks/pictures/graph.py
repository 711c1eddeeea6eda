"""The picture of a navigation graph in docs/published-benchmarks.md: `python -m benchmarks.pictures.graph`.

A house of homie-menu from above: what stands on its floor, the points and edges of its graph, the robot's start.
"""

from __future__ import annotations

import argparse
import math
from contextlib import closing
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from homie.bench.suite.suite import find_suite
from homie.envs.mujoco.generate.generate import house_of
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.home.settings import HomeSettings
from homie.kernel.types import Array
from skills.discrete_actions.charting import Ground, chart
from skills.discrete_actions.graph import Graph
from skills.discrete_actions.survey import survey

OUT = Path(__file__).parents[2] / "docs" / "images" / "menu-graph.png"
TASK = "errand-01"
"""Of homie-menu, whose house is shown."""
SCALE = 120
"""Pixels a metre."""
FLOOR, WALL, PIECE, EDGE, POINT, START, SIGHT = (
    "#f4efe6",
    "#4a4a4a",
    "#cdb79e",
    "#2f6fb3",
    "#1f4e86",
    "#c0392b",
    "#e08a1e",
)


class Plan:
    """A drawing whose pixels are metres of the floor."""

    def __init__(self, ground: Ground) -> None:
        self._low = ground.grid.origin
        height, width = ground.grid.occupied.shape
        size = (round(width * ground.grid.resolution * SCALE), round(height * ground.grid.resolution * SCALE))
        occupied = np.where(ground.grid.occupied[::-1], 0, 255).astype(np.uint8)
        solid = Picture.fromarray(occupied).resize(size, Picture.Resampling.NEAREST)
        self.picture = Picture.new("RGB", size, WALL)
        self.picture.paste(Picture.new("RGB", size, FLOOR), mask=solid)
        self.draw = ImageDraw.Draw(self.picture)
        self.font = ImageFont.load_default(size=15)

    def at(self, point: Array) -> tuple[float, float]:
        """The pixel of a point (2+,), m."""
        x, y = (np.asarray(point[:2]) - self._low) * SCALE
        return float(x), float(self.picture.height - y)

    def furniture(self, home: MujocoHome) -> None:
        """The outlines of furniture and people, with their names where there is room for them."""
        for piece in home.world.receptacles.values():
            corners = home.world.receptacle_box(piece).corners()
            self.draw.polygon([self.at(corner) for corner in corners], fill=PIECE, outline=WALL)
        written: list[tuple[float, float, float, float]] = []
        for name, piece in home.world.receptacles.items():
            middle, words = self.at(home.world.receptacle_box(piece).center), name.replace("_", " ")
            box = self.draw.textbbox(middle, words, font=self.font, anchor="mm")
            if not any(_overlap(box, other) for other in written):
                self.draw.text(middle, words, fill="black", font=self.font, anchor="mm")
                written.append(box)

    def graph(self, graph: Graph) -> None:
        """Edges, points with their numbers, and further things that a robot can turn to."""
        for a, b in graph.edges:
            self.draw.line([self.at(graph.points[a]), self.at(graph.points[b])], fill=EDGE, width=4)
        for number, point in enumerate(graph.points):
            for sight in graph.sights[number]:
                end = point + 0.3 * np.array([math.cos(sight), math.sin(sight)])
                self.draw.line([self.at(point), self.at(end)], fill=SIGHT, width=4)
            x, y = self.at(point)
            colour = POINT if number else START
            self.draw.ellipse((x - 12, y - 12, x + 12, y + 12), fill=colour)
            self.draw.text((x, y), str(number), fill="white", font=self.font, anchor="mm")


def _overlap(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args()
    scene = find_suite("homie-menu").by_id[chosen.task].scene
    house = house_of(HomeSettings.model_validate(scene.settings), scene.seed, None)
    with closing(MujocoHome(house, picture_size=(16, 16), shade=False)) as home:
        ground = survey(home)
        plan = Plan(ground)
        plan.furniture(home)
        plan.graph(chart(ground))
        plan.picture.quantize(64).save(chosen.out, optimize=True)


if __name__ == "__main__":
    main()
