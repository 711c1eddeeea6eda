"""Orders of the rule planner with other actions than Pick and Put: switching, washing, heating."""

from __future__ import annotations

from homie.kernel.types import Subtask
from planners.rule.carrying import Carrying
from planners.rule.error_reactions import Course
from planners.rule.reading.orders import Item, Place, Use

BASIN, MICROWAVE = Place("sink", True), Place("microwave", True)
TOOLS = {"Slice": "knife", "Wipe": "sponge"}
"""Tools that must be held, by action."""


class Chores(Carrying):
    """Runs the orders of `Use`."""

    def use(self, order: Use) -> Course[bool]:
        """Do the action of an order. Return whether it succeeded."""
        item = order.item
        match order.action:
            case "Hand over" | "Show":
                return (yield from self._present(order))
            case "Wash" | "Fill":
                return (yield from self._use_sink(order.action, item))
            case "Heat":
                return (yield from self._heat(item))
            case "Slice" | "Wipe":
                tool = yield from self._take(TOOLS[order.action], "")
                return bool(tool) and (yield from self._do(order.action, item.words))
            case _:
                return (yield from self._do(order.action, item.words, needs_free_hand=order.action != "Follow"))

    def _do(self, action: str, words: str, *, needs_free_hand: bool = False) -> Course[bool]:
        """Go to an object and do an action on it, with a free hand if needed."""
        memory = self.memory
        if needs_free_hand and memory.held and not (yield from self.free_hand(f"I need a free hand for the {words}.")):
            return False
        reached_name = yield from self.reach(words, f"I am to {action.lower()} the {words}, so I go to it.")
        if not reached_name:
            self._misses.append(self.why_missed(words))
            return False
        return (yield from self.act(Subtask(action, reached_name), reached_name, f"I am at the {reached_name}.")).ok

    def _use_sink(self, action: str, item: Item) -> Course[bool]:
        """Wash or fill an object in the sink, and turn the water off again."""
        name = yield from self._carry(item.words, item.source, BASIN)
        if not name or not (yield from self._do("Turn on", BASIN.words, needs_free_hand=True)):
            return False
        feedback = yield from self.act(Subtask(action, name), name, f"The {name} is in the sink, and the water runs.")
        off = yield from self._do("Turn off", BASIN.words, needs_free_hand=True)
        return feedback.ok and off

    def _heat(self, item: Item) -> Course[bool]:
        """Heat an object in the microwave, and turn the microwave off again."""
        reason = "I open the microwave with a free hand."
        if not (yield from self.open(MICROWAVE.words, reason)):
            return False
        name = yield from self._carry(item.words, item.source, MICROWAVE)
        if not name or not (yield from self.close(MICROWAVE.words, "It heats only what is shut in.")):
            return False
        if not (yield from self._do("Turn on", MICROWAVE.words, needs_free_hand=True)):
            return False
        feedback = yield from self.act(Subtask("Heat", name), name, f"The {name} is in the microwave, which is on.")
        off = yield from self._do("Turn off", MICROWAVE.words, needs_free_hand=True)
        return feedback.ok and off

    def _present(self, order: Use) -> Course[bool]:
        """Hand an object over to a person, or show it."""
        name = yield from self._take(order.item.words, order.item.source)
        if not name:
            return False
        reached_name = yield from self.reach(order.to, f"I bring the {name} to the {order.to}.")
        if not reached_name:
            self._misses.append(self.why_missed(order.to))
            return False
        subtask = Subtask(order.action, name, reached_name)
        return (
            yield from self.act(subtask, reached_name, f"I am at the {reached_name} with the {name} in my hand.")
        ).ok
