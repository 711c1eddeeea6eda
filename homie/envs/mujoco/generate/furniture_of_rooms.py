"""The furniture of each kind of room. A recipe fills a `Floor` and raises NoRoom if an essential piece does not fit.

Literal probabilities (`rng.random() < 0.6`) say how often a house has an optional piece, or one that is switched on;
literal widths and depths are sizes in metres that differ from the default size in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable

from homie.envs.mujoco.generate.colour_scheme import ColourScheme
from homie.envs.mujoco.generate.place_furniture import Floor, Piece


class NoRoom(Exception):
    """An essential piece does not fit: another house is sampled."""


Recipe = Callable[[Floor, ColourScheme], None]


def _require(is_placed: bool, piece_name: str) -> None:
    if not is_placed:
        raise NoRoom(piece_name)


def _place_hinged(floor: Floor, piece: Piece) -> bool:
    """Place a piece with a door at a wall, with the hinge on either side."""
    for hinge in ("left", "right") if floor.rng.random() < 0.5 else ("right", "left"):
        piece.hinge = "left" if hinge == "left" else "right"
        if floor.against_wall([piece]):
            return True
    return False


def _add_worktops(floor: Floor, scheme: ColourScheme) -> None:
    """Place worktops on the drawer units and the dishwasher in the kitchen."""
    for unit in [piece for piece in floor.pieces if piece.kind in ("drawer", "dishwasher")]:
        floor.on_top(Piece("kitchen_counter", scheme.kitchen, width=0.6, height=0.04), unit)


def _drawers(floor: Floor, scheme: ColourScheme, colour: str) -> None:
    """Place a drawer unit or, in a household, a chest of three drawers at a wall, if it fits."""
    if scheme.furnishing == "usual":
        floor.against_wall([Piece("drawer", colour)])
        return
    lower, middle, upper = (Piece(f"{place}_drawer", scheme.wood) for place in ("lower", "middle", "upper"))
    if floor.against_wall([lower]):
        floor.on_top(middle, lower)
        floor.on_top(upper, middle)


def _place_household_piece(floor: Floor, scheme: ColourScheme, kind: str) -> bool:
    """Place furniture that only households have at a wall. Returns False in other houses and if it does not fit."""
    return scheme.furnishing == "household" and _place_hinged(floor, Piece(kind, scheme.any(kind)))


def kitchen(floor: Floor, scheme: ColourScheme) -> None:
    """A run of units with fridge, sink and stove, in one piece or two; a cabinet, a microwave, a table."""
    colour, rng = scheme.kitchen, floor.rng
    fridge = Piece("fridge", scheme.any("fridge"))
    counter = Piece("kitchen_counter", colour, width=round(float(rng.uniform(0.6, 0.8)), 2))
    sink = Piece("sink", colour)
    stove = Piece("stove", scheme.any("stove"), on=bool(rng.random() < 0.2))
    washer = Piece("drawer", colour) if scheme.furnishing == "usual" else Piece("dishwasher", "white")
    units = [Piece("drawer", colour), washer]
    host = Piece("kitchen_counter", colour, width=0.7)
    main = [counter, sink, units[0], stove, units[1]]
    # The fridge door opens in front of the counter: in front of a drawer it would block the drawer.
    all_units = [fridge, *main] if rng.random() < 0.5 else [*main[::-1], fridge]
    fridge.hinge = "right" if all_units[0] is fridge else "left"
    if rng.random() < 0.5:
        main = main[::-1]
    if not floor.against_wall([*all_units, host] if all_units[0] is fridge else [host, *all_units]):
        if not floor.against_wall(all_units):
            _require(floor.against_wall(main) or _place_in_two_groups(floor, main), "counters")
            _require(_place_hinged(floor, fridge), "fridge")
        _require(floor.against_wall([host]), "counter for the microwave")
    oven = Piece("microwave", scheme.any("microwave"), on=bool(rng.random() < 0.2))
    floor.on_top(oven, host, x=host.plan.half_x - oven.plan.half_x)
    if not floor.swings(oven):
        oven.hinge = "right"
        _require(floor.swings(oven), "microwave door")
    _add_worktops(floor, scheme)
    _require(_place_hinged(floor, Piece("cabinet", scheme.cabinet())), "kitchen cabinet")
    table = Piece("table", scheme.table(), width=1.0, depth=0.65)
    _require(floor.standing_free(table) or floor.against_wall([table]), "kitchen table")
    _chairs(floor, scheme, table)


def _place_in_two_groups(floor: Floor, group: list[Piece]) -> bool:
    return floor.against_wall(group[:3]) and floor.against_wall(group[3:])


def _chairs(floor: Floor, scheme: ColourScheme, table: Piece) -> None:
    colour = scheme.any("chair")
    for side in (1, -1):
        floor.beside(Piece("chair", colour), table, side)


def living_room(floor: Floor, scheme: ColourScheme) -> None:
    """A sofa, a television opposite if it fits, a shelf, a table, a plant."""
    rng = floor.rng
    stand = Piece("tv_stand", scheme.wood)
    sofa = Piece("sofa", scheme.any("sofa"))
    for wall in rng.permutation(4):
        if floor.against_wall([stand], wall=int(wall)):
            opposite = (int(wall) + 2) % 4
            _require(floor.against_wall([sofa], wall=opposite) or floor.against_wall([sofa]), "sofa")
            break
    _require(stand in floor.pieces, "tv stand")
    floor.on_top(Piece("tv", "black", on=bool(rng.random() < 0.3)), stand, x=-0.08)
    _require(floor.against_wall([Piece("table", scheme.table(), width=1.0, depth=0.55)]), "living room table")
    floor.against_wall([Piece("shelf", scheme.wood)])
    _place_household_piece(floor, scheme, "sideboard")
    if rng.random() < 0.6:
        _place_hinged(floor, Piece("cabinet", scheme.cabinet()))
    floor.against_wall([Piece("plant", scheme.any("plant"))])


def bedroom(floor: Floor, scheme: ColourScheme) -> None:
    """A bed with a bedside table, a cabinet, a desk with a lamp, a chest of drawers."""
    bed, side = Piece("bed", scheme.any("bed")), Piece("nightstand", scheme.wood)
    row = [bed, side] if floor.rng.random() < 0.5 else [side, bed]
    _require(floor.against_wall(row, gap=0.18) or floor.against_wall([bed]), "bed")
    if not _place_household_piece(floor, scheme, "wardrobe"):
        _require(_place_hinged(floor, Piece("cabinet", scheme.cabinet())), "bedroom cabinet")
    _desk(floor, scheme)
    _drawers(floor, scheme, "white")
    _place_household_piece(floor, scheme, "chest")
    floor.against_wall([Piece("plant", scheme.any("plant"))])


def _desk(floor: Floor, scheme: ColourScheme) -> bool:
    desk = Piece("desk", scheme.any("desk"))
    if not floor.against_wall([desk]):
        return False
    side = 1 if floor.rng.random() < 0.5 else -1
    lamp = Piece("lamp", scheme.any("lamp"), on=bool(floor.rng.random() < 0.3))
    floor.on_top(lamp, desk, x=-0.12, y=side * (desk.plan.half_y - 0.18))
    chair = Piece("chair", scheme.any("chair"))
    if not floor.beside(chair, desk, side):
        floor.beside(chair, desk, -side)
    return True


def bathroom(floor: Floor, scheme: ColourScheme) -> None:
    """Washbasin, toilet, bathtub, and a cabinet if it fits."""
    _require(floor.against_wall([Piece("bathtub", "white")]), "bathtub")
    _require(floor.against_wall([Piece("washbasin", scheme.any("washbasin"))]), "washbasin")
    _require(floor.against_wall([Piece("toilet", "white")]), "toilet")
    if scheme.cabinets:
        _place_hinged(floor, Piece("cabinet", scheme.cabinet()))


def dining_room(floor: Floor, scheme: ColourScheme) -> None:
    """A large table in the middle with chairs, a shelf or a cabinet, a plant."""
    table = Piece("table", scheme.table(), width=1.2, depth=0.75)
    _require(floor.standing_free(table, back=1.25), "dining table")
    _chairs(floor, scheme, table)
    floor.against_wall([Piece("shelf", scheme.wood)])
    if scheme.cabinets and floor.rng.random() < 0.5:
        _place_hinged(floor, Piece("cabinet", scheme.cabinet()))
    floor.against_wall([Piece("table", scheme.table(), width=0.9, depth=0.5)])
    floor.against_wall([Piece("plant", scheme.any("plant"))])


def study(floor: Floor, scheme: ColourScheme) -> None:
    """A desk with a lamp and a chair, shelves, a chest of drawers, a small sofa."""
    _require(_desk(floor, scheme), "desk")
    _require(floor.against_wall([Piece("shelf", scheme.wood)]), "shelf")
    _drawers(floor, scheme, "beige")
    floor.against_wall([Piece("sofa", scheme.any("sofa"), width=1.4)])
    floor.against_wall([Piece("table", scheme.table(), width=0.8, depth=0.5)])
    floor.against_wall([Piece("plant", scheme.any("plant"))])


RECIPES: dict[str, Recipe] = {
    "kitchen": kitchen,
    "living room": living_room,
    "bedroom": bedroom,
    "bathroom": bathroom,
    "dining room": dining_room,
    "study": study,
}
