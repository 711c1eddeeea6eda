"""`homie report`: one HTML page of one or several runs that opens from disk, and a recording of an episode for Rerun.

run folders --data--> Sources --figures--> tables and plots ---+
                         |                                     +--templates/page.html--> RUN/report.html
                         +------browse--> tasks by run, facets -+

The page needs no network. What comes from a model or a file is escaped, and a content security policy lets nothing run
but the page's own script.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from homie import __version__
from homie.bench.compare.summary import Intervals
from homie.bench.report.browse import Catalogue, catalogue
from homie.bench.report.data import Shown, Source, load
from homie.bench.report.figures import MEANINGS, figures, tables
from homie.bench.report.media import Media, Views
from homie.bench.statistics import Estimate
from homie.bench.tables import Cell, Table, shown
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.files import slug, write_atomically
from homie.kernel.options import ReportOptions
from homie.kernel.packages import missing_part
from homie.kernel.text import counted, printable

MEBIBYTE = 1024 * 1024
BLOCK = 200
"""Bytes of the page around the pictures and videos of an episode, about."""
SCRIPTS = ("page", "filter", "sort", "media", "side", "show")
"""The files of the page's script, in their order."""
RESULTS = ("Metrics", "Mixed", "Differences", "Tasks that only", "Usage", "Single runs")
"""How the titles of the tables begin that come first."""


class Report(NamedTuple):
    """A page that was written. linked: pictures and videos that it only links to, because there was no room.

    recording: the size of the recording for Rerun, 0 if none was asked for.
    """

    path: Path
    size: int
    episodes: int
    linked: int
    recording: int = 0


def report(options: ReportOptions) -> Report:
    """Write the page of some runs, and the recording if one is asked for. Raises BadInput, MissingPart."""
    out = options.out or options.runs[0] / "report.html"
    sources = load(options.runs, options.profile)
    recording = 0
    if options.rerun is not None:
        recording = _record(_chosen(sources, options.episode), options.rerun)
    elif options.episode is not None:
        raise BadInput("--episode says which episode to record: give --rerun FILE.rrd too.")
    media = Media(out.parent, width=options.views)
    # A lone surrogate, which a model's raw text may hold, has become an escape: all else can be encoded.
    listed = catalogue(sources)
    page = render(sources, listed, media).encode()
    room = int(options.max_size * MEBIBYTE) - len(page) - len(listed.episodes) * BLOCK
    page += media_blocks(media.gather((one.episode for one in listed.episodes), room), media)
    try:
        write_atomically(out, page)
    except OSError as error:
        raise BadInput(f"Cannot write the report to {out}: {error.strerror}.") from error
    return Report(out, len(page), len(listed.episodes), media.linked, recording)


def media_blocks(views: Sequence[Views], media: Media) -> bytes:
    """The end of the page: pictures and videos by episode, as data that the script puts in place where it is shown."""
    blocks = []
    for number, one in enumerate(views, 1):
        if one.shown:
            data = json.dumps({"shown": one.shown, "full": one.full}).replace("<", r"\u003c")
            blocks.append(f'<script type="application/json" id="media-{number}">{data}</script>\n')
    if media.linked:
        note = f"{counted(media.linked, 'file')} had no room in this page: it shows them as long as it lies here."
        blocks.append(f'<p id="linked-note" hidden>{note}</p>\n')
    return "".join([*blocks, "</body>\n</html>\n"]).encode()


def _chosen(sources: tuple[Source, ...], name: str | None) -> Shown:
    """The episode of this name, or the only one. Raises BadInput."""
    begun = [episode for source in sources for episode in source.episodes if episode.folder.exists()]
    found = [episode for episode in begun if name in (None, episode.name)]
    if len(found) == 1:
        return found[0]
    if len({episode.name for episode in found}) > 1:
        raise BadInput(f"--rerun records one episode: name it, for example --episode {found[0].name}.")
    if found:
        runs = ", ".join(episode.run for episode in found)
        raise BadInput(
            f"The episode '{found[0].name}' is in several runs ({runs}): give only one of them with --rerun."
        )
    if name is None:
        raise BadInput("There is no episode to record: none was begun.")
    hint = suggestion(name, [episode.name for episode in begun], "the page lists them.")
    raise BadInput(f"There is no episode '{name}' to record: {hint}")


def _record(episode: Shown, out: Path) -> int:
    """Write a recording; its size. Raises BadInput, MissingPart."""
    try:
        from homie.bench.report.rerun_export import record
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("homie"):
            raise
        raise missing_part("--rerun", error.name, "rerun") from error
    place = episode.folder.resolve()
    return record(place, out, name=f"{place.parent.parent.name}/{place.name}", task=episode.text)


def render(sources: tuple[Source, ...], listed: Catalogue, media: Media) -> str:
    """The page up to its pictures and videos. Raises BadInput for runs of different suites."""
    intervals = Intervals()
    style, script = _part("page.css"), "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    made = tables(sources, intervals)
    numbers = {task.name: task.number for task in listed.tasks}
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
            results=[table for table in made if table.title.startswith(RESULTS)],
            tables=[table for table in made if not table.title.startswith(RESULTS)],
            figures=figures(sources, intervals),
            catalogue=listed,
            tasks=numbers,
            judged=any(source.bench for source in sources),
            links=Links(listed, numbers),
            media=media,
            meanings=MEANINGS,
        )
    )


@lru_cache
def _environment() -> jinja2.Environment:
    """The templates, compiled once: everything that is put into them is escaped, and shown if it is no letter."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(cell=shown, sort_key=_sort_key, slug=slug, json=json.dumps)
    environment.filters.update(average=_average, counted=counted)
    return environment


class Links:
    """Where the rows of tables lead to."""

    def __init__(self, listed: Catalogue, tasks: Mapping[str, int]) -> None:
        self._tasks = tasks
        self._episodes: dict[tuple[object, ...], int] = {
            (one.episode.run, one.episode.task, one.episode.trial): one.number for one in listed.episodes
        }

    def target(self, table: Table, row: Sequence[Cell]) -> str:
        """What a row is about: `episode-7` where it has run, task and trial, `task-3` where it has a task, or ""."""
        named = dict(zip((column.head for column in table.columns), row, strict=True))
        about = tuple(named.get(head) for head in ("run", "task", "trial"))
        episode = self._episodes.get(about)
        if episode is not None:
            return f"episode-{episode}"
        number = self._tasks.get(str(named.get("task", "")))
        return f"task-{number}" if number is not None else ""


def _sort_key(cell: Cell) -> str:
    """A number as a table is put in order by it, "" for none."""
    value = cell.value if isinstance(cell, Estimate) else cell
    return "" if value is None else str(value)


def _average(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _part(name: str) -> str:
    """A file of the page."""
    return (files("homie.bench.report") / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing is fetched but files beside the page, and nothing runs but this script."""
    near = "data: file: 'self'"
    rules: Mapping[str, str] = {
        "default-src": "'none'",
        "img-src": near,
        "media-src": near,
        "style-src": _digest(style),
        "script-src": _digest(script),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
