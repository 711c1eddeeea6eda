"""A run: plays every episode without a record; each record is written to disk as soon as its episode ends.

OUT/played.json      the planner, episodes and options; a run with others does not resume here
OUT/episodes.jsonl   a `Record` per line, in the order in which the episodes ended
OUT/results.json     the rows of the table; results.md the same as Markdown
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Respondent
from homie.kernel.support.files import slug, to_json, write_atomically, writing
from homie.runtime.find_respondent import respondent_of
from homie.runtime.orphans import worker_pool
from homie.runtime.runstore.json_lines import RecordFile, differing_fields
from suites.vigil.agents import BLIND, Agent, blind
from suites.vigil.expert import Expert
from suites.vigil.frozen import FrozenEpisode, choose, digest
from suites.vigil.model import ModelAgent, prompt_digest
from suites.vigil.options import VigilOptions
from suites.vigil.play_one_episode import play
from suites.vigil.record import Record
from suites.vigil.results import EPISODES, HEAD, RESULTS, Head, Row
from suites.vigil.stage import Stage, open_house
from suites.vigil.table import markdown, rows

EXPERT = "expert"
NAMED = (EXPERT, *BLIND)
"""Planners without a model."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a run: its folder, the rows of the table, and the cost in US dollars."""

    folder: Path
    rows: tuple[Row, ...]
    cost: float


def run(options: VigilOptions, advance: Callable[[str], object] = lambda name: None) -> Outcome:
    """Play all episodes that have no record yet, then write the table.

    Args:
        options: The planner, the episodes, and the run folder.
        advance: Called with the id of each episode that has a record, including those of an earlier run.

    Raises:
        BadInput: a family or the planner cannot be used, or the run folder belongs to another run.
        PlannerError: no answer can be obtained; the same command resumes.
    """
    episodes = choose(options.families, options.episodes)
    head = _head(options, episodes)
    out = options.out or Path("runs") / f"vigil-{slug(options.planner)}-{options.feedback}"
    with writing(out, "into the run folder"):
        out.mkdir(parents=True, exist_ok=True)
        _check_same(out / HEAD, head)
        with RecordFile(out / EPISODES, Record) as kept:
            records = {record.id: record for record in kept.records}
            for name in records:
                advance(name)
            left = [episode for episode in episodes if episode.id not in records]
            for record in _played(options, sorted(left, key=lambda episode: (episode.house, episode.id))):
                kept.add(record, exclude_defaults=True)
                records[record.id] = record
                advance(record.id)
        table = rows([records[episode.id] for episode in episodes])
        write_atomically(out / RESULTS, to_json([row.model_dump(mode="json") for row in table]))
        write_atomically(out / "results.md", markdown(table).encode())
    return Outcome(out, table, sum(record.cost for record in records.values()))


def _head(options: VigilOptions, episodes: Sequence[FrozenEpisode]) -> Head:
    respondent = _respondent(options)
    return Head(
        episodes=digest(episodes),
        planner=options.planner,
        described={} if respondent is None else dict(respondent.describe()),
        prompt="" if respondent is None else prompt_digest(),
        feedback=options.feedback,
        coordinates=options.coordinates,
        seed=options.seed,
    )


def _respondent(options: VigilOptions) -> Respondent | None:
    """The respondent whose model plays; None for planners without a model. Raises BadInput and MissingPart."""
    name, _, argument = options.planner.partition(":")
    if name in NAMED:
        if argument or options.planner_settings:
            raise BadInput(f"'{name}' plays without argument and settings: leave them out.")
        return None
    return respondent_of(options.planner, options.planner_settings)


def _check_same(path: Path, head: Head) -> None:
    if other := differing_fields(path, head):
        raise BadInput(f"{path.parent} has another run (different: {', '.join(other)}): choose another --out.")


# ------------------------------------------------------------ playing


def _played(options: VigilOptions, episodes: Sequence[FrozenEpisode]) -> Iterator[Record]:
    """Yield records as episodes end. A single worker is this process; several are new processes, each with a house."""
    if options.workers == 1 or len(episodes) < 2:
        with Player(options) as player:
            yield from map(player.play, episodes)
        return
    with worker_pool(min(options.workers, len(episodes)), _begin, options) as pool:
        waiting = [pool.submit(_play, episode) for episode in episodes]
        for future in as_completed(waiting):
            yield future.result()


class Player:
    """Plays episodes one after another; keeps the house open while consecutive episodes share it."""

    def __init__(self, options: VigilOptions) -> None:
        self._options, self._respondent = options, _respondent(options)
        self._house: int | None = None
        self._home: MujocoHome | None = None
        self._open = ExitStack()

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def play(self, episode: FrozenEpisode) -> Record:
        """Play one episode from its start."""
        if self._home is None or self._house != episode.house:
            self._open.close()
            self._home, self._house = open_house(episode.house), episode.house
            self._open.callback(self._home.close)
        stage = Stage(self._home, episode)
        feedback, thousandths = self._options.feedback == "told", self._options.coordinates == "thousandths"
        model_plays = self._respondent is not None
        return play(stage, self._agent(stage), feedback=feedback, thousandths=thousandths and model_plays)

    def _agent(self, stage: Stage) -> Agent:
        if self._respondent is not None:
            thousandths = self._options.coordinates == "thousandths"
            return ModelAgent(self._respondent, stage.episode, thousandths=thousandths)
        if self._options.planner == EXPERT:
            return Expert(stage)
        return blind(self._options.planner, stage.episode, self._options.seed)


_player: Player | None = None
"""The player of this worker process."""


def _begin(options: VigilOptions) -> None:
    global _player
    _player = Player(options)


def _play(episode: FrozenEpisode) -> Record:
    assert _player is not None, "a process begins with one"
    return _player.play(episode)
