"""Choice of the next object that the rule planner brings, for orders about several or about a class such as fruit."""

from __future__ import annotations

from collections.abc import Sequence

from homie.kernel.interfaces import kind_of
from perception.names import canonical
from planners.common_sense import is_container, is_furniture, means
from planners.rule.carrying import Carrying
from planners.rule.error_reactions import Course
from planners.rule.reading.lexicon import kinds_of
from planners.rule.reading.orders import Item, Place


class Choosing(Carrying):
    """Finds the next object to which an item refers."""

    def _next_object(
        self, item: Item, place: Place, moved_names: Sequence[str] = (), failed_names: Sequence[str] = ()
    ) -> Course[tuple[str, str]]:
        """Return the name of the next object to bring and its source; ("", "") if there is none.

        An object of another kind than those already moved (or, for a class word such as `can`, than those seen at the
        destination) is approached directly by its name. For an object of the same kind the name would resolve to the
        nearest, which is the one moved last, so the robot first goes to the place of the others.
        """
        choose_kind = bool(kinds_of(item.words)) and item.count is not None and not item.source
        if choose_kind and (moved_names or self._at_destination(item, place)):
            return self._next_of_class(item, place, moved_names, failed_names)
        looked_for = item.words and not moved_names
        if looked_for and failed_names:
            return "", ""
        if looked_for and not (kinds_of(item.words) and item.source):
            return item.words, item.source
        if moved_names and not item.source and (name := self._known_elsewhere(item, place, failed_names)):
            return name, ""
        sources = [item.source] if item.source else self._other_places(item, place)
        present_names = self._at_destination(item, place)
        if moved_names and (present_names or item.words not in moved_names):
            for name in (name for source in sources for name in self.memory.names_on(source)):
                if self._matches(item, name) and name not in (*moved_names, *failed_names, *present_names):
                    return name, ""
        for source in sources:
            reason = (
                f"I check whether more is left on the {source}." if moved_names else f"I check what is on the {source}."
            )
            if not (yield from self.reach(source, reason)):
                continue
            if is_container(source) and not self.memory.is_open(self.memory.piece(source)):
                yield from self.open(source, f"I look into the {source}.")
            for name in self.memory.things_on(source):
                if self._matches(item, name) and name not in failed_names:
                    return name, source
            self.memory.record_cleared(item.words, source)
        if moved_names and not item.source:
            return (yield from self._search_another(item, place, failed_names))
        if item.source and not moved_names and not failed_names:
            item_name = item.words or "anything"
            self._reasons.append(f"I have not found {item_name} at the {item.source}.")
        return "", ""

    def _search_another(self, item: Item, place: Place, failed_names: Sequence[str]) -> Course[tuple[str, str]]:
        """Search rooms and containers for another object of an item that was not seen yet."""
        for places in (self._other_rooms, self._furniture):
            for name in places(item.words):
                if name_elsewhere := self._known_elsewhere(item, place, failed_names):
                    return name_elsewhere, ""
                usable = (
                    self._worth_a_look(name) and not means(place.words, name) and self._affordable(name, item.words)
                )
                if not usable or not (yield from self.go_to(name, f"I look for another {item.words} in the {name}.")):
                    continue
                if self._looks_inside(item.words, name) and (yield from self.open(name, f"I look into the {name}.")):
                    if name_elsewhere := self._known_elsewhere(item, place, failed_names):
                        return name_elsewhere, ""
                    yield from self.close_again(name, f"There is no {item.words} in the {name}, so I close it.")
        return self._known_elsewhere(item, place, failed_names), ""

    def _known_elsewhere(self, item: Item, place: Place, failed_names: Sequence[str]) -> str:
        """Return the name of a matching object known to be elsewhere that has not failed; "" if there is none."""
        memory = self.memory
        names = (thing.name for thing in memory.things_like(item.words) if not memory.is_at(thing, place.words))
        return next((name for name in names if name not in failed_names and self._matches(item, kind_of(name))), "")

    def _next_of_class(
        self, item: Item, place: Place, moved_names: Sequence[str], failed_names: Sequence[str]
    ) -> tuple[str, str]:
        """Return the next object of a class such as fruit, of another kind than those at the destination: kinds seen
        elsewhere come first, then the other kinds of the class."""
        excluded_names = [
            moved_name
            for moved_name in (*moved_names, *failed_names, *self._at_destination(item, place))
            if moved_name != canonical(item.words)
        ]
        known_names = [name for name in self.memory.seen(item.words) if not is_furniture(name)]
        for name in dict.fromkeys([*known_names, *kinds_of(item.words)]):
            if (
                self._matches(item, name)
                and not self.memory.refused[name]
                and not any(means(moved_name, name) for moved_name in excluded_names)
            ):
                return name, ""
        return "", ""

    def _at_destination(self, item: Item, place: Place) -> list[str]:
        """Return names of matching objects seen at the destination."""
        return [name for name in self.memory.names_on(place.words) if self._matches(item, name)]

    def _matches(self, item: Item, name: str) -> bool:
        return (not item.words or means(item.words, name)) and not any(
            means(excluded_name, name) for excluded_name in item.excluded
        )

    def _other_places(self, item: Item, place: Place) -> list[str]:
        """Return places other than the destination where matching objects were seen."""
        return [name for name in self.memory.places_with(item.words) if not means(place.words, name)]
