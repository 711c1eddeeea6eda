"""Tokens in segments: what stands between two commas, stops, or words such as `and`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planners.rule.lexer import Token
from planners.rule.lexicon import Kind

SEPARATORS = {Kind.COMMA, Kind.COLON, Kind.STOP, Kind.AND}
_HARD = {Kind.STOP, Kind.COLON}
_VERBS = (
    *(Kind.IS, Kind.MUST, Kind.PERSON, Kind.ASK, Kind.HAS, Kind.VISIT, Kind.MOVE, Kind.TAKE, Kind.PRONOUN, Kind.CLEAR),
    *(Kind.APPLIANCE, Kind.NOT, Kind.SWAP, Kind.ADD, Kind.LAY, Kind.JOIN),
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Tokens without a separator among them. swaps: two things change places in its sentence; after_colon, ends: what
    stands before and after it; alone: nothing else is in its sentence."""

    tokens: tuple[Token, ...]
    swaps: bool
    after_colon: bool
    ends: bool
    alone: bool

    def has(self, *kinds: Kind) -> bool:
        """Whether a token of one of the kinds is in it."""
        return any(one.kind in kinds for one in self.tokens)

    def has_before(self, kind: Kind, at: int) -> bool:
        """Whether a token of a kind comes before a position."""
        return any(one.kind is kind for one in self.tokens[:at])

    def of(self, *kinds: Kind) -> list[Token]:
        """Its tokens of the kinds."""
        return [one for one in self.tokens if one.kind in kinds]

    def says(self, *texts: str) -> bool:
        """Whether one of its tokens is one of these words."""
        return any(one.text in texts for one in self.tokens)

    def at(self, index: int) -> Token | None:
        """The token at an index; None outside."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def telling(self) -> list[Token]:
        """Its tokens without those that say little."""
        return [one for one in self.tokens if one.kind not in (Kind.FILLER, Kind.DOOR)]

    @property
    def verbal(self) -> bool:
        """Whether it may be a sentence of its own."""
        return self.has(*_VERBS)

    @property
    def first_person(self) -> bool:
        """Whether the speaker tells about himself."""
        return self.has(Kind.PERSON) and not self.has(Kind.ASK, Kind.MUST)

    @property
    def tells(self) -> bool:
        """Whether it tells how things are, not how they should be."""
        return self.tells_before(len(self.tokens))

    def tells_before(self, at: int) -> bool:
        """Whether what comes before a position tells how things are."""
        before = {one.kind for one in self.tokens[:at]}
        return self.first_person or (Kind.IS in before and not before & {Kind.MUST, Kind.ASK})

    @property
    def moves(self) -> bool:
        """Whether it has a verb for bringing things somewhere."""
        return self.has(Kind.MOVE, Kind.TAKE, Kind.LAY)

    @property
    def forbids(self) -> bool:
        """Whether something is not to be closed or opened; `nothing left open` wants it closed."""
        last = next(reversed(self.telling()), None)
        return self.has(Kind.NOT) and (self.has(Kind.CLOSE) or last is None or last.kind is not Kind.OPEN)

    @property
    def stays(self) -> bool:
        """Whether something is said to stay where it is; `stay dry` says something else."""
        for at, one in enumerate(self.tokens):
            after = self.at(at + 1)
            if one.kind is Kind.STAY and (after is None or after.kind is Kind.AT or " " in one.text):
                return True
        return False

    @property
    def goes(self) -> bool:
        """Whether the robot is told to go."""
        first = next(iter(self.telling()), None)
        return self.has(Kind.VISIT) or (first is not None and first.text == "go")

    def leads_on(self, at: int) -> bool:
        """Whether another place comes after a position before any other thing does."""
        for index in range(at + 1, len(self.tokens)):
            one, after = self.tokens[index], self.at(index + 1)
            if one.kind is Kind.THING:
                return False
            if one.kind in (Kind.TO, Kind.AT) and after and after.kind in (Kind.PLACE, Kind.THING, Kind.PRONOUN):
                return True
        return False


def segments(found: Sequence[Token]) -> Iterator[Segment]:
    """The segments of a text, in order. Stops end sentences; colons and dashes only part them."""
    sentence: list[Token] = []
    for token in (*found, Token(Kind.STOP, ".")):
        sentence.append(token)
        if token.kind is Kind.STOP:
            yield from _parts(sentence)
            sentence = []


def _parts(sentence: Sequence[Token]) -> Iterator[Segment]:
    swaps = any(one.kind is Kind.SWAP for one in sentence)
    before, part = Kind.STOP, []
    after_colon = False
    for token in sentence:
        if token.kind not in SEPARATORS:
            part.append(token)
            continue
        ends = token.kind is Kind.STOP
        if part or ends:
            alone = before in _HARD and token.kind in _HARD
            yield Segment(tuple(part), swaps, after_colon, ends, alone)
        after_colon = token.kind is Kind.COLON or (after_colon and not part)
        before, part = token.kind, []
