"""Listeners: what is told of an episode as it happens."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from homie.kernel.types import Event

log = logging.getLogger(__name__)


class EpisodeListener(ABC):
    """Gets every event of an episode as it happens (`homie.kernel.types.events` lists them).

    A listener matches the events that it cares for and lets the others pass.

    Example:
        >>> from homie.kernel.interfaces import EpisodeListener
        >>> from homie.kernel.types import EpisodeStarted, Event, PlannerAnswered
        >>> class Printer(EpisodeListener):
        ...     def on(self, event: Event) -> None:
        ...         match event:
        ...             case EpisodeStarted(task):
        ...                 print("task:", task)
        ...             case PlannerAnswered(number, decision):
        ...                 print("round", number, *decision.subtasks)
        >>> Printer().on(EpisodeStarted("put the apple in the bowl"))
        task: put the apple in the bowl
    """

    @abstractmethod
    def on(self, event: Event) -> None:
        """Take note of an event. The episode waits until this returns.

        Args:
            event: One of the classes of `homie.kernel.types.events`.
        """


class Listeners(EpisodeListener):
    """Several listeners as one, called in order: those that the episode cannot do without, then the onlookers.

    What the first raise ends the episode. An onlooker that raises gets no more events, and the log says why: a display
    that breaks must not stop a robot. Without any, nobody listens.
    """

    def __init__(self, listeners: Iterable[EpisodeListener] = (), *, onlookers: Iterable[EpisodeListener] = ()) -> None:
        self._needed = tuple(listeners)
        self._onlookers = list(onlookers)

    def on(self, event: Event) -> None:
        for listener in self._needed:
            listener.on(event)
        for onlooker in tuple(self._onlookers):
            try:
                onlooker.on(event)
            except Exception as error:
                self._onlookers.remove(onlooker)
                name = type(onlooker).__name__
                log.warning("The listener %s failed and gets no more events: %s", name, error, exc_info=error)


@runtime_checkable
class Announcer(Protocol):
    """A robot that lets others on its network hear what its agent does: recorders of bags, panels."""

    def announce(self, text: str) -> None:
        """Publish an announcement (JSON, see `homie.runtime.announcements`). Never waits for a listener."""
