"""For authors of suites: the initial state of a generated house, and the subtasks of errands in it.

house = House(initial_state(generate(7, rooms=3, objects=20)))
route = Route(house)
route.carry("apple", "fridge")
route.close_all()
route.subtasks   # [Go to, fridge], [Open, fridge], [Go to, apple], [Pick, apple], ...
"""

from homie.bench.authoring.house import House
from homie.bench.authoring.orders import END, orders
from homie.bench.authoring.rehearsal import Rehearsal, rehearse
from homie.bench.authoring.route import Carry, Route

__all__ = ["END", "Carry", "House", "Rehearsal", "Route", "orders", "rehearse"]
