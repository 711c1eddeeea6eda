"""`homie report`: one HTML page about one or several runs that opens from disk, and a Rerun recording of an episode.

run folders --data--> Sources --figures--> tables and plots ---+
                         |                                     +--templates/page.html--> RUN/report.html
                         +------browse--> tasks by run, facets -+

The page needs no network. Text from models and files is escaped, and a content security policy allows only the page's
own script.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from homie.bench.intervals_and_tests import Estimate
from homie.bench.options import ReportOptions
from homie.bench.report.episode_filters import Catalogue, catalogue
from homie.bench.report.media import Media, Views
from homie.bench.report.plots_and_tables import MEANINGS, figures, glossary, tables
from homie.bench.report.runs_and_episodes import PageEpisode, Source, load
from homie.bench.runs_inside import readable, runs_inside
from homie.bench.score.compare_tables import Intervals
from homie.bench.table_formats import Cell, Table, format_cell
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.files import slug, write_atomically, writing
from homie.kernel.support.packages import missing_part
from homie.kernel.support.text import format_count, printable
from homie.kernel.support.version import __version__
from homie.kernel.types import REPORTS, Who
from homie.runtime.runstore import EpisodeFile

MEBIBYTE = 1024 * 1024
BLOCK = 200
"""Approximate size in bytes of the markup around an episode's pictures and videos."""
SCRIPTS = ("page", "filter", "sort", "media", "side_by_side", "navigation")
"""The files of the page's script, in order."""
SHOTS = 4
"""Number of episodes whose pictures are on the first screen."""
FEW_EPISODES = 30
"""With fewer episodes, the interval of a rate is more than 30 percentage points wide."""
RESULTS = ("Metrics", "Mixed", "Differences", "Tasks that only", "Usage", "Single runs")
"""Beginnings of the titles of the tables that come first on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A written page.

    Attributes:
        path: File.
        size: Size in bytes.
        episodes: Number of episodes on it.
        linked: Number of pictures and videos that are linked because the page was full.
        recording: Size in bytes of the Rerun recording, 0 without one.
        unread: A sentence for each skipped run with the reason; unreadable episodes as `NAME: FILE (why)`.
    """

    path: Path
    size: int
    episodes: int
    linked: int
    recording: int = 0
    unread: tuple[str, ...] = ()


def report(options: ReportOptions) -> Report:
    """Write the page about some runs, and the Rerun recording if requested.

    Args:
        options: Options of `homie report`: run folders, profile, file and maximum size of the page.

    Raises:
        BadInput: a folder is not a run, no run can be read, the runs cannot be compared, or a file cannot be written.
        MissingPart: a recording was requested and the extra `[rerun]` is not installed.
    """
    out = options.out or options.runs[0] / "report.html"
    runs, unreadable = readable(runs_inside(options.runs))
    sources = load(runs, options.profile)
    recording = 0
    if options.rerun is not None:
        recording = _record(_selected_episode(sources, options.episode), options.rerun)
    elif options.episode is not None:
        raise BadInput("--episode says which episode to record: give --rerun FILE.rrd too.")
    media = Media(out.parent, width=options.views)
    # Lone surrogates, which a model's raw text may contain, were escaped: the page can be encoded.
    index = catalogue(sources)
    page = render(sources, index, media).encode()
    room = int(options.max_size * MEBIBYTE) - len(page) - len(index.episodes) * BLOCK
    page += media_blocks(media.gather((item.episode for item in index.episodes), room), media)
    with writing(out, "the report to"):
        write_atomically(out, page)
    episodes = [item.episode for item in index.episodes]
    unread = tuple(f"{episode.name}: {episode.unread}" for episode in episodes if episode.unread)
    return Report(
        path=out,
        size=len(page),
        episodes=len(episodes),
        linked=media.linked,
        recording=recording,
        unread=(*unreadable, *unread),
    )


def media_blocks(views: Sequence[Views], media: Media) -> bytes:
    """Return the end of the page: pictures and videos by episode, as JSON that the script inserts on display."""
    blocks = []
    for number, item in enumerate(views, 1):
        if item.shown:
            data = json.dumps({"shown": item.shown, "full": item.full}).replace("<", r"\u003c")
            blocks.append(f'<script type="application/json" id="media-{number}">{data}</script>\n')
    if media.linked:
        note = f"{format_count(media.linked, 'file')} did not fit into this page: keep it here, or it cannot show them."
        blocks.append(f'<p id="linked-note" hidden>{note}</p>\n')
    return "".join([*blocks, "</body>\n</html>\n"]).encode()


def _selected_episode(sources: tuple[Source, ...], name: str | None) -> PageEpisode:
    """Return the episode with this name, or the only episode if `name` is None. Raises BadInput."""
    started = [episode for source in sources for episode in source.episodes if episode.folder.exists()]
    matches = [episode for episode in started if name in (None, episode.name)]
    if len(matches) == 1:
        return matches[0]
    if len({episode.name for episode in matches}) > 1:
        raise BadInput(f"--rerun records one episode: name it, for example --episode {matches[0].name}.")
    if matches:
        runs = ", ".join(episode.run for episode in matches)
        raise BadInput(
            f"The episode '{matches[0].name}' is in several runs ({runs}): give only one of them with --rerun."
        )
    if name is None:
        raise BadInput("There is no episode to record: none was started.")
    hint = suggestion(name, [episode.name for episode in started], "the page lists them.")
    raise BadInput(f"There is no episode '{name}' to record: {hint}")


def _record(episode: PageEpisode, out: Path) -> int:
    """Write a recording and return its size in bytes. Raises BadInput, MissingPart."""
    try:
        from homie.bench.report.rerun_export import record
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("homie"):
            raise
        raise missing_part("--rerun", error.name, "rerun") from error
    place = episode.folder.resolve()
    return record(place, out, name=f"{place.parent.parent.name}/{place.name}", task=episode.text)


def render(sources: tuple[Source, ...], index: Catalogue, media: Media) -> str:
    """Render the page without its pictures and videos. Raises BadInput for runs of different suites."""
    intervals = Intervals()
    style, script = _part("page.css"), "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    all_tables = tables(sources, intervals)
    numbers = {task.name: task.number for task in index.tasks}
    return (
        _environment()
        .get_template("page.html")
        .render(
            title=", ".join(source.label for source in sources),
            version=__version__,
            policy=_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            sources=sources,
            results=[table for table in all_tables if table.title.startswith(RESULTS)],
            tables=[table for table in all_tables if not table.title.startswith(RESULTS)],
            figures=figures(sources, intervals),
            catalogue=index,
            tasks=numbers,
            judged=any(source.bench for source in sources),
            links=Links(index, numbers),
            media=media,
            meanings=MEANINGS,
            glossary=glossary(),
            glances=[_glance(source, intervals) for source in sources],
            shots=[item for item in index.episodes if _has_media(item.episode, media)][:SHOTS],
        )
    )


def template_environment(read: Callable[[str], str]) -> jinja2.Environment:
    """Return the template environment of a page. Inserted text is escaped, and its control characters are made visible.

    Args:
        read: Function from the name of a template to its text.
    """
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(read),
        autoescape=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cell=format_cell)
    return environment


@lru_cache
def _environment() -> jinja2.Environment:
    """Return the template environment, compiled once."""
    environment = template_environment(_part)
    environment.filters.update(sort_key=_sort_key, slug=slug, json=json.dumps)
    environment.filters.update(average=_average, counted=format_count, reported=_report_text)
    return environment


@dataclass(frozen=True, slots=True)
class Glance:
    """Sentence about a planner's result.

    Attributes:
        few: Whether there are too few episodes for a conclusion.
    """

    label: str
    sentence: str
    few: bool


def _glance(source: Source, intervals: Intervals) -> Glance:
    if source.bench is None:
        runs = format_count(len(source.episodes), "single run")
        return Glance(source.label, f"{runs}; success is not judged, since no goal is given.", few=False)
    number = len(source.results.scores)
    rate = intervals.of(source.results, "SR")
    successes = sum(bool(score.success) for score in source.results.scores)
    interval_text = ""
    if rate.interval is not None:
        low, high = (round(100 * end) for end in rate.interval)
        interval_text = f" (with 95 % confidence the true rate is between {low} and {high} %)"
    share = "-" if rate.value is None else f"{100 * rate.value:.0f} %"
    return Glance(
        source.label,
        f"{successes} of {format_count(number, 'episode')} succeeded: {share}{interval_text}.",
        few=number < FEW_EPISODES,
    )


def _has_media(episode: PageEpisode, media: Media) -> bool:
    return media.has_video(episode) or bool(episode.rounds and media.views(episode, episode.rounds[0].number))


class Links:
    """Link targets of table rows."""

    def __init__(self, index: Catalogue, tasks: Mapping[str, int]) -> None:
        self._tasks = tasks
        self._episodes: dict[tuple[object, ...], int] = {
            (item.episode.run, item.episode.task, item.episode.trial): item.number for item in index.episodes
        }

    def target(self, table: Table, row: Sequence[Cell]) -> str:
        """Return the target of a row: `episode-7` if it has run, task and trial, `task-3` if it has only a task, else
        ""."""
        cells = dict(zip((column.head for column in table.columns), row, strict=True))
        key = tuple(cells.get(head) for head in ("run", "task", "trial"))
        episode = self._episodes.get(key)
        if episode is not None:
            return f"episode-{episode}"
        number = self._tasks.get(str(cells.get("task", "")))
        return f"task-{number}" if number is not None else ""


def _sort_key(cell: Cell) -> str:
    """Return the value by which a table is sorted, "" for none."""
    value = cell.value if isinstance(cell, Estimate) else cell
    return "" if value is None else str(value)


def _average(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _report_text(ending: EpisodeFile, who: Who) -> str:
    return REPORTS[ending.report].format(who=who)


def _part(name: str) -> str:
    """Return the text of a template file."""
    return (files("homie.bench.report") / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: only files beside the page are fetched, and only its own script runs."""
    local_sources = "data: file: 'self'"
    rules: Mapping[str, str] = {
        "default-src": "'none'",
        "img-src": local_sources,
        "media-src": local_sources,
        "style-src": _digest(style),
        "script-src": _digest(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
