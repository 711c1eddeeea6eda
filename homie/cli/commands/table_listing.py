"""`homie scene --robot franka:FAMILY`: the task of a table, the objects on it, and its picture."""

from __future__ import annotations

from io import BytesIO

from PIL import Image as Picture

from homie.cli.output import columns, print_json, save, say
from homie.envs.mujoco.table.families import scene_of
from homie.envs.mujoco.table.robot import FrankaTable
from homie.kernel.errors import BadInput
from homie.kernel.setup.options import HOUSE, SceneOptions
from homie.kernel.support.files import to_json


def show_table(options: SceneOptions, *, json: bool) -> None:
    """Print the table of a family and a seed, or of a file. Raises BadInput."""
    useless = sorted(options.model_fields_set & {*HOUSE, "meshes"})
    if useless:
        raise BadInput(f"A table has no {' and no '.join(useless)}: leave --{useless[0]} out.")
    scene = scene_of(options.robot.partition(":")[2], options.seed, options.scene)
    if options.save is not None:
        save(options.save, to_json(scene.model_dump(mode="json")))
    if options.png is not None:
        drawn, robot = BytesIO(), FrankaTable(scene)
        with robot:
            Picture.fromarray(robot.look("front")).save(drawn, format="PNG")
        save(options.png, drawn.getvalue())
    if json:
        print_json(scene.model_dump(mode="json"))
        return
    say(f"instruction  {scene.instruction}")
    say(f"family       {scene.family}, seed {scene.seed}, {scene.subset}")
    say(f"\nthings ({len(scene.things)})")
    rows = [(item.name, f"{item.x:.2f}", f"{item.y:.2f}") for item in scene.things]
    say(columns([("name", "x", "y"), *rows], indent="  "))
