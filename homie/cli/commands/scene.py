"""`homie scene`: the contents of a house as lists, as a map, or as a spec to edit; of a table its task, the
objects on it, and its picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import typer
from PIL import Image as Picture
from pydantic import TypeAdapter

from homie.cli.output import columns, print_json, save, say
from homie.cli.parameters import build, options_from
from homie.envs.mujoco.generate.generate import house_of
from homie.envs.mujoco.house.build import build as build_home
from homie.envs.mujoco.house.build import mjcf_of
from homie.envs.mujoco.house.object_looks import account_of, meshes_of, with_meshes
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import PersonSpec
from homie.envs.mujoco.mjcf_house.contents import Unclear
from homie.envs.mujoco.mjcf_house.house import MjcfHouse
from homie.envs.mujoco.scene_map import draw_map
from homie.envs.mujoco.table.robot import FrankaTable
from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.envs.mujoco.world import World
from homie.kernel.errors import BadInput
from homie.kernel.options import HOUSE, SceneOptions
from homie.kernel.support.files import place_of, to_json
from homie.kernel.support.text import printable
from homie.kernel.world import thresholds


@dataclass(frozen=True, slots=True)
class Room:
    """A room and its floor area (m2)."""

    name: str
    kind: str
    area: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Receptacle:
    """A piece of furniture that holds objects. opens: `door`, `drawer` or "". state: its state in words."""

    name: str
    kind: str
    colour: str
    room: str
    surfaces: tuple[str, ...]
    opens: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedObject:
    """A movable object and where it is. nested: the object that it is in or on, as `in bowl_1`, "" for none."""

    name: str
    kind: str
    colour: str
    room: str
    receptacle: str
    surface: str
    nested: str = ""


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person, with location and activity in words."""

    name: str
    colour: str
    room: str
    does: str


@dataclass(frozen=True, slots=True)
class SceneListing:
    """The output of `homie scene`. unclear: parts of an MJCF file that were left out or not understood."""

    seed: int
    rooms: tuple[Room, ...]
    receptacles: tuple[Receptacle, ...]
    objects: tuple[ListedObject, ...]
    people: tuple[ListedPerson, ...] = ()
    unclear: tuple[Unclear, ...] = ()


@options_from(SceneOptions)
def scene_command(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False, **values: Any
) -> None:
    """Show a scene."""
    options = build(SceneOptions, None, values)
    if options.png is not None and options.png.suffix.lower() != ".png":
        raise BadInput(f"The map is a PNG picture: give --png a name that ends in .png (got {options.png}).")
    if options.png is not None and options.save is not None and place_of(options.png) == place_of(options.save):
        raise BadInput(f"--png and --save name the same file ({options.png}): one would replace the other.")
    if options.mjcf is not None:
        _show(describe_mjcf(MjcfHouse(options.mjcf)), json=json)
        return
    if options.robot != "mujoco":
        if options.robot.partition(":")[0] != "franka":
            raise BadInput(f"There are scenes for mujoco and franka:FAMILY, none for the robot '{options.robot}'.")
        from homie.cli.commands.scene import show_table  # it imports the simulator

        show_table(options, json=json)
        return
    scene = house_of(options, options.seed, options.scene)
    if options.meshes is not None:
        scene = with_meshes(scene, meshes_of(options.meshes))
        for line in account_of(scene):
            typer.echo(printable(line), err=True)
    if options.save is not None:
        text = mjcf_of(scene) if options.save.suffix.lower() == ".xml" else scene.dump()
        save(options.save, text.encode())
    if options.png is not None:
        _draw(scene, options.png)
    _show(describe(scene), json=json)


def _show(listing: SceneListing, *, json: bool) -> None:
    if json:
        print_json(TypeAdapter(SceneListing).dump_python(listing, mode="json"))
    else:
        _print(listing)


def describe_mjcf(house: MjcfHouse) -> SceneListing:
    """Rooms, receptacles and objects found in an MJCF house, and what was not understood."""
    home = house.build()
    world = World(home, home.new_data())
    rooms = tuple(
        Room(room.name, room.kind, round((room.rect[2] - room.rect[0]) * (room.rect[3] - room.rect[1]), 2))
        for room in home.index.rooms
    )
    receptacles = tuple(
        Receptacle(
            name=piece.name,
            kind=piece.kind,
            colour=piece.colour,
            room=piece.room,
            surfaces=tuple(surface.name for surface in piece.surfaces),
            opens=" and ".join(item.name.rpartition("/")[2].replace("_", " ") for item in piece.articulations),
            state=_opening_state(max(map(world.openness, piece.articulations))) if piece.articulations else "",
        )
        for piece in home.index.receptacles
    )
    objects = []
    for item in home.index.objects:
        *_, outermost = world.around(item.name)
        place = world.place(item.name)
        objects.append(
            ListedObject(
                name=item.name,
                kind=item.kind,
                colour=item.colour,
                room=world.room_of(world.position(item.body)) or "",
                receptacle=outermost.entity,
                surface=outermost.surface,
                nested=f"{place.relation} {place.entity}" if place.entity in world.objects else "",
            )
        )
    return SceneListing(0, rooms, receptacles, tuple(objects), (), house.unclear)


def describe(scene: SceneSpec) -> SceneListing:
    """Rooms, receptacles, objects and people of a scene."""
    rooms = tuple(
        Room(room.name, room.kind, round((room.x1 - room.x0) * (room.y1 - room.y0), 2)) for room in scene.rooms
    )
    receptacles = []
    for piece in scene.furniture:
        plan = piece.blueprint
        articulations = plan.articulations
        if not plan.surfaces and not articulations:
            continue
        opens = " and ".join(link.name.replace("_", " ") for link in articulations)
        state = [_opening_state(piece.open)] if articulations else []
        state += ["on" if piece.on else "off"] if plan.powered else []
        surfaces = tuple(surface.name for surface in plan.surfaces)
        receptacles.append(
            Receptacle(
                name=piece.name,
                kind=piece.kind,
                colour=piece.colour,
                room=piece.room,
                surfaces=surfaces,
                opens=opens,
                state=", ".join(state),
            )
        )
    room_of = {piece.name: piece.room for piece in scene.furniture} | {room.name: room.name for room in scene.rooms}
    nested = _nested(scene)
    objects = tuple(
        ListedObject(
            name=item.name,
            kind=item.kind,
            colour=item.colour,
            room=room_of[item.receptacle],
            receptacle=item.receptacle,
            surface=item.surface,
            nested=nested.get(item.name, ""),
        )
        for item in scene.objects
    )
    people = tuple(
        ListedPerson(person.id, person.colour, scene.room_at(*person.position), _activity(person))
        for person in scene.people
    )
    return SceneListing(scene.seed, rooms, tuple(receptacles), objects, people)


def _activity(person: PersonSpec) -> str:
    """Describe the activity of a person: `stands, holds out a hand`."""
    gestures = {"none": "", "hand_out": "holds out a hand", "pointing": f"points at {person.points_at}"}
    phrases = ["sits" if person.posture == "sitting" else "stands", gestures[person.gesture]]
    phrases += ["walks when the robot is near"] if person.path else []
    return ", ".join(filter(None, phrases))


def _nested(scene: SceneSpec) -> dict[str, str]:
    """Return the objects in or on another object, by name. The home is built only if some object has a height (`z`)."""
    if all(item.z is None for item in scene.objects):
        return {}
    home = build_home(scene)
    world = World(home, home.new_data())
    places = {name: world.place(name) for name in world.objects}
    return {name: f"{place.relation} {place.entity}" for name, place in places.items() if place.entity in world.objects}


def _opening_state(fraction: float) -> str:
    """Return the state of a door or drawer in a word; `ajar` between the two (`homie.kernel.world.thresholds`)."""
    return "closed" if thresholds.is_closed(fraction) else "open" if thresholds.is_open(fraction) else "ajar"


def _print(listing: SceneListing) -> None:
    _table("rooms", ("name", "kind", "m2"), ((room.name, room.kind, f"{room.area:.1f}") for room in listing.rooms))
    _table(
        "receptacles",
        ("name", "colour", "room", "opens", "state"),
        ((row.name, row.colour, row.room, row.opens, row.state) for row in listing.receptacles),
    )
    _table(
        "objects",
        ("name", "colour", "room", "in or on"),
        ((row.name, row.colour, row.room, _where(row)) for row in listing.objects),
    )
    if listing.people:
        _table(
            "people",
            ("name", "colour", "room", "does"),
            ((row.name, row.colour, row.room, row.does) for row in listing.people),
        )
    if listing.unclear:
        _table("not understood", ("name", "why"), ((row.name, row.why) for row in listing.unclear))


def _where(item: ListedObject) -> str:
    place = f"{item.receptacle} ({item.surface})" if item.surface else item.receptacle
    return f"{place}, {item.nested}" if item.nested else place


def _table(title: str, names: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    lines = list(rows)
    say(f"\n{title} ({len(lines)})")
    say(columns([names, *lines]))


def _draw(scene: SceneSpec, path: Path) -> None:
    picture = BytesIO()
    draw_map(scene).save(picture, format="PNG")
    save(path, picture.getvalue())


def show_table(options: SceneOptions, *, json: bool) -> None:
    """Print the table of a family and a seed, or of a file. Raises BadInput."""
    unsupported = sorted(options.model_fields_set & {*HOUSE, "meshes"})
    if unsupported:
        raise BadInput(f"A table has no {' and no '.join(unsupported)}: leave --{unsupported[0]} out.")
    scene = scene_of(options.robot.partition(":")[2], options.seed, options.scene)
    if options.save is not None:
        save(options.save, to_json(scene.model_dump(mode="json")))
    if options.png is not None:
        buffer, robot = BytesIO(), FrankaTable(scene)
        with robot:
            Picture.fromarray(robot.look("front")).save(buffer, format="PNG")
        save(options.png, buffer.getvalue())
    if json:
        print_json(scene.model_dump(mode="json"))
        return
    say(f"instruction  {scene.instruction}")
    say(f"family       {scene.family}, seed {scene.seed}, {scene.subset}")
    say(f"\nthings ({len(scene.things)})")
    rows = [(item.name, f"{item.x:.2f}", f"{item.y:.2f}") for item in scene.things]
    say(columns([("name", "x", "y"), *rows], indent="  "))
