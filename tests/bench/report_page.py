"""The page of a report as tests read it, and what they put into runs for it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from bench_runs import DONE, LATE, WANDERED
from PIL import Image as Picture

from homie.bench.options import ReportOptions
from homie.bench.report import Report, report
from homie.kernel.types import VIEWS

NASTY = """</script><script>document.title="broken"</script><img src=x onerror='document.title="broken"'>"&{{ 7*7 }}"""
WAYS = {
    ("task-0", 0): DONE,
    ("task-0", 1): LATE,
    ("task-1", 0): WANDERED,
    ("task-1", 1): "killed: the worker was ended by signal 9",
    ("task-2", 0): DONE,
}


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def addresses(self) -> list[str]:
        return [
            value
            for _, attributes in self.tags
            for name, value in attributes.items()
            if name in ("src", "href", "data")
        ]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    @property
    def outcomes(self) -> list[str]:
        """Of the episodes in the list."""
        return [json.loads(row["data-facets"])["outcome"][0] for row in self.all("tr") if "data-facets" in row]

    @property
    def programs(self) -> list[dict[str, str]]:
        """Scripts that run; pictures and videos are data in scripts that do not."""
        return [attributes for attributes in self.all("script") if attributes.get("type") != "application/json"]

    @property
    def sections(self) -> list[str]:
        return [attributes["id"] for attributes in self.all("section") if attributes["id"].startswith("episode-")]

    def media(self, number: int = 1) -> dict[str, str]:
        """Addresses of the pictures and the video of an episode, by name."""
        match = re.search(rf'id="media-{number}">(.*?)</script>', self.source, re.DOTALL)
        return dict(json.loads(match[1])["shown"]) if match else {}


def write(*runs: Path, **options: object) -> tuple[Report, Page]:
    written = report(ReportOptions.build(runs=list(runs), **options))
    return written, Page(written.path)


def add_frames(episode: Path, rounds: int = 1) -> None:
    (episode / "frames").mkdir()
    for number in range(1, rounds + 1):
        for index, view in enumerate(VIEWS):
            colour = (40 * index, 20 * number, 90)
            Picture.new("RGB", (512, 384), colour).save(episode / "frames" / f"round-{number:02d}-{view}.png")
