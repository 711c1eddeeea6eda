"""Listeners receive the events of an episode as they happen."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from homie.kernel.types import Event

log = logging.getLogger(__name__)


class EpisodeListener(ABC):
    """Receiver of every event of an episode as it happens (`homie.kernel.types.events` lists them).

    A listener matches the events that it needs and ignores the others.

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
        """Handle an event. The episode waits until this returns.

        Args:
            event: One of the classes of `homie.kernel.types.events`.
        """


class Listeners(EpisodeListener):
    """Several listeners as one, called in order: the required, then the optional.

    An exception of a required listener ends the episode. An optional listener that raises gets no more events, and the
    error is logged: a broken display must not stop a robot.
    """

    def __init__(self, listeners: Iterable[EpisodeListener] = (), *, optional: Iterable[EpisodeListener] = ()) -> None:
        self._required = tuple(listeners)
        self._optional = list(optional)

    def on(self, event: Event) -> None:
        for listener in self._required:
            listener.on(event)
        for listener in tuple(self._optional):
            try:
                listener.on(event)
            except Exception as error:
                self._optional.remove(listener)
                name = type(listener).__name__
                log.warning("The listener %s failed and gets no more events: %s", name, error, exc_info=error)


@runtime_checkable
class Announcer(Protocol):
    """Robot that publishes the agent's actions on its network, for recorders and operator panels."""

    def announce(self, text: str) -> None:
        """Publish an announcement (JSON, see `homie.runtime.announcements`). Never waits for a listener."""
