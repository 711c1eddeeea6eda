"""The looser reading of an instruction: what is named and where it is to go, whatever the sentence around it.

It goes through the names that the vocabulary knows, in order. Things wait until a destination comes; what comes is
told by the preposition, by the verb form (`is in` says where something is, `should be in` where it is to go) and by
what follows.

It accounts for everything: a thing that gets no destination, a destination without a thing, a condition, a
choice, a `not` of which the sense is not known, or an unknown word where a name should be, and nothing is understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planners.common_sense import is_container, is_room
from planners.rule.lexer import Token
from planners.rule.lexicon import Kind, is_kind_of
from planners.rule.orders import Bring, CloseUp, Errand, Fetch, OpenUp, Place, Swap, Visit, closed_last, names_in
from planners.rule.phrases import Item
from planners.rule.sentences import Segment, segments
from planners.rule.waiting import NotUnderstood, Waiting, WaitingThings

NAMED = {Kind.THING, Kind.PLACE, Kind.EVERYTHING, Kind.REST, Kind.NUMBER}
PREPOSITIONS = {Kind.TO, Kind.AT, Kind.FROM, Kind.NEAR}
HOLDS = ("hold", "holds", "contain", "contains")


class LooseReader(WaitingThings):
    """Reads segment after segment. `items` is what a pronoun means at first, `where` what `there` means."""

    def __init__(self, items: Sequence[Item] = (), where: str = "") -> None:
        super().__init__(items, where)
        self._landmark = ""
        self._joint = Kind.FILLER
        self._to_clear: set[str] = set()
        self._new_sentence()

    def _new_sentence(self) -> None:
        self._implied = self._ahead = None
        self._bare: list[str] = []
        self._cleared = ""
        self._total = self._visiting = False

    def take(self, found: Sequence[Token]) -> None:
        """Take in sentences; raises NotUnderstood."""
        for segment in segments(found):
            if segment.after_colon:
                self._grow_old()
            self._read(segment)
            if segment.ends:
                self._end_sentence(segment.swaps)

    def add(self, errand: Errand, where: str) -> None:
        """Take in an errand that was read elsewhere; afterwards `there` means `where`."""
        self.errands.append(errand)
        self._note(where)

    def finish(self) -> tuple[Errand, ...]:
        """The errands; raises NotUnderstood if something was left open."""
        for one in self._waiting:
            if not one.again:
                raise NotUnderstood(f"Where is the {one.item.words or 'rest'} to go?")
        names = set(names_in(tuple(self.errands)))
        for thing in self._named:
            if thing not in names and not any(is_kind_of(name, thing) for name in names):
                raise NotUnderstood(f"What is to be done with the {thing}?")
        emptied = {one.item.source for one in self.errands if isinstance(one, Bring)}
        if not self._to_clear <= emptied:
            raise NotUnderstood("Where is what is there to go?")
        return closed_last(self.errands)

    # ------------------------------------------------------------ segments

    def _read(self, segment: Segment) -> None:
        if segment.has(Kind.BEYOND):
            raise NotUnderstood("This depends on something.")
        if segment.has(Kind.CLOSE) or (segment.has(Kind.OPEN) and segment.has(Kind.NOT)):
            if segment.forbids:
                raise NotUnderstood("What is not to be done?")
            return self._close(segment)
        if segment.stays:
            return self._stay(segment)
        if segment.has(Kind.OPEN):
            return self._open(segment)
        names = segment.of(*NAMED)
        if self._joint is not Kind.FILLER and names and all(one.kind is Kind.PLACE for one in segment.telling()):
            return self._open_or_close(self._joint, [one.text for one in names])
        self._joint = Kind.FILLER
        acts = segment.has(Kind.PRONOUN, Kind.THERE, Kind.HERE, Kind.TOTAL) or segment.has(*PREPOSITIONS)
        if names or (acts and not segment.has(Kind.UNKNOWN)):
            return self._follow(segment)
        if segment.moves and segment.has(Kind.UNKNOWN) and not segment.first_person:
            raise NotUnderstood(f"What is '{segment.of(Kind.UNKNOWN)[0].text}'?")
        if segment.has(Kind.UNKNOWN) and not segment.verbal and not segment.alone:
            raise NotUnderstood(f"What is '{segment.of(Kind.UNKNOWN)[0].text}'?")
        self._verbs(segment)
        return None

    def _verbs(self, segment: Segment) -> None:
        """What verbs without a name say."""
        for one in segment.of(Kind.APPLIANCE):
            if not segment.has(Kind.NOT):
                self._implied = Place(one.text, True)
        self._visiting = self._visiting or segment.goes

    def _close(self, segment: Segment) -> None:
        """Something is to be closed; without a name, what was named last, or everything of which the text speaks."""
        if segment.has(Kind.THING):
            raise NotUnderstood("What is to be closed?")
        names = [one.text for one in segment.of(Kind.PLACE)]
        self._settle(segment.swaps)
        whole = segment.has(Kind.EVERYTHING, Kind.REST, Kind.DOOR) or segment.says("both", "all", "nothing", "them")
        if not names:
            names = self._containers if whole else self._containers[-1:]
        elif not all(is_container(one) for one in names):
            raise NotUnderstood("That can not be closed.")
        if not names and not whole:
            raise NotUnderstood("What is to be closed?")
        if segment.has(Kind.PLACE):
            self._joint = Kind.CLOSE
        self._open_or_close(Kind.CLOSE, names)

    def _open(self, segment: Segment) -> None:
        names = [one.text for one in segment.of(Kind.PLACE)] or self._containers[-1:] * segment.says("it", "that")
        if not names or segment.has(Kind.THING) or not all(is_container(one) for one in names):
            raise NotUnderstood("What is to be opened?")
        self._joint = Kind.OPEN
        self._open_or_close(Kind.OPEN, names)

    def _open_or_close(self, joint: Kind, names: Sequence[str]) -> None:
        for name in names:
            errand = OpenUp(name) if joint is Kind.OPEN else CloseUp(name)
            if errand not in self.errands:
                self.errands.append(errand)
            self._note(name)

    def _stay(self, segment: Segment) -> None:
        """Something is to be left alone."""
        for thing in segment.of(Kind.THING):
            others = [one for one in self._waiting if not one.item.words]
            spoken_of = [*(one.words for one in self._last), *(one.item.words for one in self._waiting)]
            if segment.has(Kind.NOT) and thing.text not in spoken_of:  # what is no fruit stays
                raise NotUnderstood("What is to stay?")
            for one in others:
                one.item = replace(one.item, besides=thing.text)

    # ------------------------------------------------------------ tokens

    def _follow(self, segment: Segment) -> None:
        """Go through a segment from left to right."""
        if segment.has(Kind.NOT):
            raise NotUnderstood("What is not to be done?")
        if segment.says("which") and segment.moves and self._landmark and self._to:
            self.errands.append(Bring(Item(self._landmark), self._to))
            return
        if segment.has(Kind.JOIN) and self._to:
            self._where = self._to.words
        self._verbs(segment)
        skip = 0
        for at, token in enumerate(segment.tokens):
            if skip:
                skip -= 1
                continue
            skip = self._token(segment, at, token)
        if segment.has(Kind.MUST) and segment.has(Kind.FREE) and self._bare:
            self._clear(self._bare.pop())
        if segment.has(Kind.ADD) and self._waiting and self._where and not self._implied:
            self._implied = self._place(self._where, True)
        if segment.has(Kind.JOIN) and self._waiting:
            self._arrive(self._place(self._where, False))

    def _token(self, segment: Segment, at: int, token: Token) -> int:
        """Take in one token. Returns how many more have been taken in with it."""
        before, after = segment.at(at - 1), segment.at(at + 1)
        match token.kind:
            case Kind.THING:
                self._thing(segment, token, before, after)
            case Kind.EVERYTHING | Kind.REST:
                source = self._cleared or (self._where if token.kind is Kind.REST or segment.says("out") else "")
                self._wait(Waiting(Item("", None, source)))
            case Kind.BESIDES if after and after.kind is Kind.THING:
                self._except(after.text)
                return 1
            case Kind.NUMBER:
                self._number(token)
            case Kind.TOTAL:
                self._total = True
            case Kind.PRONOUN:
                self._mention(token.text)
            case Kind.THERE if self._waiting and not segment.tells:
                if not self._where:
                    raise NotUnderstood("Where is there?")
                self._total = self._total or segment.has(Kind.TOTAL)
                self._arrive(self._place(self._where, False))
            case Kind.HERE if self._here and (after is None or after.kind not in PREPOSITIONS):
                if self._visiting:
                    self._ahead = Place(self._here)
                elif self._waiting:
                    self._arrive(self._place(self._here, False))
            case Kind.PLACE:
                self._bare_place(segment, token)
            case Kind.TO | Kind.AT | Kind.FROM | Kind.NEAR:
                return self._preposition(segment, at, token)
            case Kind.UNKNOWN if token.plural and before and before.kind in (Kind.MOVE, Kind.TAKE, Kind.LAY):
                raise NotUnderstood(f"What is '{token.text}'?")
            case Kind.UNKNOWN if after and after.kind is Kind.WITH:
                raise NotUnderstood(f"What is '{token.text}'?")
            case Kind.UNKNOWN if at == 0 and not segment.verbal and not segment.alone:
                raise NotUnderstood(f"What is '{token.text}'?")
        return 0

    def _thing(self, segment: Segment, token: Token, before: Token | None, after: Token | None) -> None:
        if before and (before.kind is Kind.UNKNOWN or (before.kind is Kind.THING and not before.text.endswith("one"))):
            raise NotUnderstood(f"What is to be done with the {token.text}?")
        words = token.text
        if words.endswith(" one"):
            if after and after.kind is Kind.THING:
                return  # the yellow one of sugar
            known = [*(item.words for item in self._last), *(one.item.words for one in self._waiting)]
            if not known:
                raise NotUnderstood(f"What is the {words}?")
            words = f"{words.removesuffix(' one')} {known[-1].split()[-1]}"
        if segment.goes and before and before.kind is Kind.WITH:
            at = len(self.errands) - isinstance(self.errands[-1] if self.errands else None, Visit)
            self.errands.insert(at, Fetch(Item(words)))
            return
        if before and before.kind is Kind.WITH and not self._waiting and self._to:
            if before.text == "with":
                raise NotUnderstood(f"What about the {words}?")
            self.errands.append(Bring(Item(words, token.count), self._to))
            return
        source = ""
        if segment.has(Kind.HAS) and self._bare:
            source = self._bare.pop()
        self._wait(Waiting(Item(words, token.count, source), plain=token.plain, apart=token.apart))

    # ------------------------------------------------------------ places

    def _bare_place(self, segment: Segment, token: Token) -> None:
        self._note(token.text)
        if segment.has(Kind.CLEAR):
            self._clear(token.text)
        elif segment.has(Kind.LAY) and not self._waiting:
            self._ahead = self._place(token.text, False)
        else:
            self._bare.append(token.text)

    def _clear(self, place: str) -> None:
        self._cleared = place
        self._to_clear.add(place)

    def _preposition(self, segment: Segment, at: int, token: Token) -> int:
        after = segment.at(at + 1)
        taken = 1
        if after and after.kind is Kind.PRONOUN and (further := segment.at(at + 2)) and further.kind is Kind.PLACE:
            after, taken = further, 2
        inside = token.text.split()[-1] in ("in", "into", "inside", "within")
        if after is None or after.kind not in (*NAMED, Kind.PRONOUN, Kind.THERE, Kind.UNKNOWN):
            if inside and self._waiting and self._containers and segment.at(at + 1) is None and not segment.tells:
                self._arrive(Place(self._containers[-1], True))  # put it in
            elif token.kind is Kind.TO and after is None and not segment.swaps:
                raise NotUnderstood("Where to?")
            return 0
        if after.kind is Kind.UNKNOWN:
            if self._waiting or segment.moves:
                raise NotUnderstood(f"Where is '{after.text}'?")
            return taken
        if after.kind in (Kind.EVERYTHING, Kind.REST, Kind.NUMBER):
            return 0
        referring = after.kind in (Kind.PRONOUN, Kind.THERE)
        name = self._where if referring else after.text
        if token.kind is Kind.NEAR:
            self._landmark = name if after.kind is Kind.THING else self._landmark
            return taken
        if not name or (after.kind is Kind.THING and (token.text == "of" or after.count != 1)):
            raise NotUnderstood("Where is that?")
        room, further = segment.at(at + taken + 1), segment.at(at + taken + 2)
        if room and further and room.kind is Kind.AT and is_room(further.text) and after.kind is Kind.PLACE:
            name, taken = f"{further.text} {name}", taken + 2  # the table in the kitchen
        if after.kind is not Kind.THING:
            self._note(name)
        self._role(segment, at + taken, token, Place(name, inside), referring)
        return taken

    def _role(self, segment: Segment, at: int, preposition: Token, place: Place, referring: bool) -> None:
        """Decide whether a place is where something is or where it is to go."""
        kind = preposition.kind
        source = kind is Kind.FROM or segment.swaps
        if kind is Kind.AT and not source:
            fresh = bool(self._waiting) and not self._waiting[-1].item.words and not self._waiting[-1].item.source
            source = segment.tells_before(at) or segment.has(Kind.HAS) or fresh or segment.leads_on(at)
            source = source or (bool(self._waiting) and segment.has_before(Kind.TAKE, at))
        if referring and place.words in self._bare and segment.has(Kind.MUST) and segment.says("have", *HOLDS):
            self._total = True
            self._arrive(self._place(place.words, place.inside))
        elif source:
            self._start_at(place.words, segment)
        elif self._waiting:
            self._arrive(self._place(place.words, place.inside if kind is Kind.AT or is_container(place.words)
                                     or not referring else False))  # fmt: skip
        elif self._visiting:
            self.errands.append(Visit(place.words))
        elif self._cleared:
            self._wait(Waiting(Item("", None, self._cleared)))
            self._arrive(self._place(place.words, place.inside))
        elif kind is Kind.TO or segment.moves:
            raise NotUnderstood(f"What is to go to the {place.words}?")
        elif not segment.says("look", "see", "looks"):
            self._ahead = self._place(place.words, place.inside)

    # ------------------------------------------------------------ sentences

    def _end_sentence(self, swaps: bool) -> None:
        self._settle(swaps)
        self._grow_old()
        self._new_sentence()

    def _settle(self, swaps: bool) -> None:
        """What waits gets the destination that its sentence has for it, or waits on."""
        if swaps:
            self._swap()
        moved = [one for one in self._waiting if not self._stands_for_others(one)]
        if self._visiting and self._ahead:
            self.errands.append(Visit(self._ahead.words))
        elif self._implied and moved:
            self._arrive(self._implied)
        elif moved and self._total and self._where:
            self._arrive(self._place(self._where, False))
        elif moved and self._ahead:
            self._arrive(self._ahead)
        elif len(moved) == len(self._bare) > 1:
            places = self._bare
            for one, name in zip(moved, places, strict=True):
                self._waiting = [one]
                self._arrive(self._place(name, False))
            self._last = tuple(one.item for one in moved)

    def _swap(self) -> None:
        """The two things that wait change places."""
        if self._waiting:
            if len(self._waiting) != 2 or not all(one.item.words for one in self._waiting):
                raise NotUnderstood("What is to change places?")
            one, other = (one.item for one in self._waiting)
            self.errands.append(Swap(one, other))
            self._last, self._waiting = (one, other), []

    def _grow_old(self) -> None:
        for one in self._waiting:
            one.stale = True
