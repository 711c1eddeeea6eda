"""`homie report`: one HTML page of one or several runs that opens from disk, and a recording of an episode for Rerun.

run folders --data--> Sources --figures--> tables and plots --templates/report.html--> RUN/report.html

The page needs no network. What comes from a model or a file is escaped, and a content security policy lets nothing run
but the page's own script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from homie import __version__
from homie.bench.report.data import Shown, Source, load
from homie.bench.report.figures import MEANINGS, figures, tables
from homie.bench.report.media import Media
from homie.bench.summary import Intervals
from homie.bench.tables import shown
from homie.errors import BadInput, suggestion
from homie.files import write_atomically
from homie.options import ReportOptions
from homie.packages import missing_part

MEBIBYTE = 1024 * 1024


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
    media = Media(out.parent, width=options.views, budget=int(options.megabytes * MEBIBYTE))
    # A lone surrogate, which a model's raw text may hold, becomes a character reference that browsers show as unknown.
    page = render(sources, media).encode("utf-8", errors="xmlcharrefreplace")
    try:
        write_atomically(out, page)
    except OSError as error:
        raise BadInput(f"Can not write the report to {out}: {error.strerror}.") from error
    return Report(out, len(page), sum(len(source.episodes) for source in sources), media.linked, recording)


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


def render(sources: tuple[Source, ...], media: Media) -> str:
    """The page. Raises BadInput for runs of different suites."""
    intervals = Intervals()
    style, script = (_part(f"report.{suffix}") for suffix in ("css", "js"))
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell"] = shown
    return environment.get_template("report.html").render(
        title=", ".join(source.label for source in sources),
        version=__version__,
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        sources=sources,
        tables=tables(sources, intervals),
        figures=figures(sources, intervals),
        episodes=[episode for source in sources for episode in source.episodes],
        judged=any(source.bench for source in sources),
        media=media,
        meanings=MEANINGS,
    )


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
