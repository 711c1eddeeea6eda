"""Homie's suites as tasks of Inspect AI: `inspect eval homie/homie_100 --model openai/gpt-4o`.

A sample is a task of the suite, an epoch one of its trials. Homie plays the episode and queries Inspect's model in
every round, with the prompts of its own model planners; Inspect writes the log, Homie its run folder.

Found by the entry point `inspect_ai`. Needs the extra `inspect`.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import site
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from datetime import datetime
from pathlib import Path
from typing import Any

import cv2
import tiktoken
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from homie.bench.options import BenchOptions
from homie.bench.play.checks_before_start import ready
from homie.bench.play.one_by_one import OpenBench, PlayedEpisode
from homie.kernel import registry
from homie.kernel.errors import BadInput, InfrastructureError, Interrupted, PlannerError
from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Event, Image, PeriodPassed
from homie.runtime.runstore import read_steps
from homie.runtime.runstore.folders import runs_folder

ENCODING = "o200k_base"
"""Encoding by which Inspect estimates the tokens of models that do not report them; tiktoken downloads it."""
FINISHES = {"stop": "stop", "max_tokens": "length", "model_length": "length", "content_filter": "refusal"}
"""Stop reasons of Inspect, mapped to those of Homie's prompts."""
PLAYED = "homie"
"""Key of the episode's result in a sample's store."""


def _qualified_name(name: str) -> str:
    """Return a task's name with the package, which Inspect adds only if Homie is in a `site-packages` folder."""
    sites = [*site.getsitepackages(), site.getusersitepackages()]
    is_installed = "site-packages" in __file__ or __file__.startswith(tuple(sites))
    return name if is_installed else f"homie/{name}"


@task(name=_qualified_name("homie_100"))
def homie_100(tasks: str | None = None, trials: int | None = None, out: str | None = None, **options: Any) -> Task:
    """The suite homie-100; see `suite`."""
    return _task("homie-100", tasks, trials, out, options)


@task(name=_qualified_name("suite"))
def suite(
    name: str = "homie-100", tasks: str | None = None, trials: int | None = None, out: str | None = None, **options: Any
) -> Task:
    """A suite of Homie: `inspect eval homie/suite -T name=my-suite.yaml`.

    Args:
        name: Suite as given to `homie bench`.
        tasks: Ids or patterns of the tasks, separated by commas (default: all).
        trials: Trials per task (default: the suite's).
        out: Homie's run folder; an unfinished one is resumed (default: runs/<time>-inspect-<suite>).
        options: Other options of `homie.bench`; `planner_settings` are those of the prompts (`template`, `images`,
            ...).
    """
    return _task(name, tasks, trials, out, options)


def _task(name: str, tasks: str | None, trials: int | None, out: str | None, options: Mapping[str, Any]) -> Task:
    factory = registry.load("tools", "asked-elsewhere")
    bench_options = dict(options)
    prompts = bench_options.pop("planner_settings", {})
    registry.check_settings("prompt", factory.Settings, prompts)
    values = {"suite": name, "tasks": tasks, "trials": trials, "planner": "function:inspect", **bench_options}
    bench_opts, homie_suite = ready(BenchOptions.build(None, **values))
    chosen = homie_suite.select(bench_opts.tasks, bench_opts.split)
    run_folder = out or str(runs_folder() / f"{datetime.now():%Y%m%d-%H%M%S}-inspect-{homie_suite.name}")
    return Task(
        dataset=[Sample(id=task.id, input=task.text) for task in chosen],
        epochs=trials or homie_suite.protocol.trials,
        solver=episode(values, run_folder, prompts),
        scorer=outcome(),
        version=homie_suite.version,
    )


@solver
def episode(options: dict[str, Any], out: str, prompts: dict[str, Any]) -> Solver:
    """Solver that plays one episode with the model under evaluation.

    Args:
        options: Options of `homie.bench`.
        out: Homie's run folder.
        prompts: Settings of the prompts.
    """
    folder = _Folder(options, out)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        _count_offline()
        loop = asyncio.get_running_loop()
        abandoned = threading.Event()
        chat_messages: list[ChatMessage] = []

        def ask(messages: Sequence[Message]) -> Mapping[str, Any]:
            if abandoned.is_set():
                raise Interrupted("Inspect has ended the sample.")
            chat_messages[:] = [_message(message) for message in messages]
            try:
                output = asyncio.run_coroutine_threadsafe(model.generate(list(chat_messages)), loop).result()
            except (Exception, CancelledError) as error:
                if abandoned.is_set():
                    raise Interrupted("Inspect has ended the sample.") from error
                raise PlannerError(f"Inspect's model raised {type(error).__name__}: {error}") from error
            state.output = output
            usage = output.usage
            return {
                "text": output.completion,
                "finish": FINISHES.get(str(output.stop_reason), "unknown"),
                "input_tokens": usage.input_tokens if usage else 0,
                "output_tokens": usage.output_tokens if usage else 0,
                "cost": (usage.total_cost or 0.0) if usage else 0.0,
            }

        factory = registry.load("tools", "asked-elsewhere")
        settings = registry.check_settings("prompt", factory.Settings, prompts)
        planner: Planner = factory(ask, settings, {"inspect": str(model)})
        ending = _Ending(abandoned)
        episode_task = asyncio.ensure_future(
            asyncio.to_thread(folder.play, str(state.sample_id), state.epoch - 1, planner, ending)
        )
        # Retrieve the exception of an abandoned episode, which asyncio would log otherwise.
        episode_task.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            played = await asyncio.shield(episode_task)
        finally:
            abandoned.set()
        state.messages = (
            [*chat_messages, state.output.message] if chat_messages and state.output.choices else state.messages
        )
        state.store.set(PLAYED, _episode_result(played))
        if played.score.lost:
            raise InfrastructureError(f"The episode was lost: {played.score.lost}. Its files: {played.folder}")
        state.completed = True
        return state

    return solve


@scorer(metrics={name: [mean(), stderr()] for name in ("SR", "TP", "GC", "cost")})
def outcome() -> Scorer:
    """Success (SR), matched share of the best key path (TP), share of the goal that holds (GC), US dollars (cost)."""

    async def score(state: TaskState, target: Target) -> Score:
        played = state.store.get(PLAYED, {})
        values = {name: float(played.get(name) or 0.0) for name in ("SR", "TP", "GC", "cost")}
        return Score(
            value=values,
            answer=str(played.get("ended_by", "")),
            explanation=f"Homie's files: {played.get('folder', '')}",
            metadata=dict(played),
        )

    return score


class _Folder:
    """Run folder of one evaluation: open while any sample is playing in it."""

    def __init__(self, options: Mapping[str, Any], out: str) -> None:
        self._options, self._out = {**options, "out": Path(out), "again": True}, out
        self._lock = threading.Lock()
        self._users = 0
        self._bench: OpenBench | None = None

    def play(self, name: str, trial: int, planner: Planner, ending: EpisodeListener) -> PlayedEpisode:
        """Play an episode, or read it if it is already finished."""
        with self._open_bench() as bench:
            return bench.play(name, planner, trial=trial, required=[ending])

    @contextlib.contextmanager
    def _open_bench(self) -> Iterator[OpenBench]:
        with self._lock:
            bench = self._bench or OpenBench(BenchOptions.build(None, **self._options))
            self._bench = bench
            self._users += 1
        try:
            yield bench
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._bench = None
                    bench.close()


class _Ending(EpisodeListener):
    """Ends an episode whose sample was cancelled by Inspect; it can be played again later."""

    def __init__(self, abandoned: threading.Event) -> None:
        self._abandoned = abandoned

    def on(self, event: Event) -> None:
        """Raises Interrupted if the sample was cancelled."""
        if isinstance(event, PeriodPassed) and self._abandoned.is_set():
            raise Interrupted("Inspect has ended the sample.")


def _message(message: Message) -> ChatMessage:
    """Convert a message of Homie to one of Inspect, with pictures as data URIs."""
    content: list[Content] = [
        ContentText(text=part) if isinstance(part, str) else ContentImage(image=_uri(part)) for part in message.parts
    ]
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    converted: ChatMessage = kinds[message.role](content=content)
    return converted


def _uri(picture: Image) -> str:
    _, data = cv2.imencode(".png", picture[..., ::-1])
    return f"data:image/png;base64,{base64.b64encode(data.tobytes()).decode('ascii')}"


def _episode_result(played: PlayedEpisode) -> dict[str, Any]:
    """Return the result of an episode, JSON-ready."""
    score = played.score
    return {
        "SR": float(bool(score.success)),
        "TP": score.tp,
        "GC": score.progress,
        "cost": _cost(played.folder),
        "ended_by": played.ended_by,
        "rounds": played.rounds,
        "lost": score.lost,
        "folder": str(played.folder),
    }


def _cost(folder: Path) -> float:
    """Return the cost of an episode's answers in US dollars, where prices are known."""
    with contextlib.suppress(OSError, BadInput):
        return sum(answer.cost for step in read_steps(folder) for answer in step.decision.answers)
    return 0.0


def _count_offline() -> None:
    """Without a network, count bytes for tokens: Inspect could not estimate those of models that do not report them."""
    try:
        tiktoken.get_encoding(ENCODING)
    except OSError:
        tiktoken.registry.ENCODINGS[ENCODING] = tiktoken.Encoding(
            ENCODING,
            pat_str=r"[\s\S]",
            mergeable_ranks={bytes([number]): number for number in range(256)},
            special_tokens={},
        )
