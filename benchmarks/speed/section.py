"""Generated sections of a page: the text between two comments is replaced, the rest of the page is kept.

<!-- make bench: begin -->
| situation | steps/s |
<!-- make bench: end -->
"""

from __future__ import annotations

from pathlib import Path


def write_section(page: Path, name: str, text: str) -> None:
    """Replace the text between the two comments of a section.

    Args:
        page: A Markdown file. If missing, it is created with this section alone.
        name: Name of the section in its comments.
        text: Markdown.

    Raises:
        ValueError: The page has no such section.
    """
    begin, end = _marks(name)
    whole = page.read_text(encoding="utf-8") if page.exists() else begin + end
    try:
        page.write_text(with_section(whole, name, text), encoding="utf-8")
    except ValueError as error:
        raise ValueError(f"{page} has {error}") from error


def with_section(page: str, name: str, text: str) -> str:
    """Return a page with a section replaced. Raises ValueError if the page has no such section."""
    begin, end = _marks(name)
    head, opened, rest = page.partition(begin)
    _, closed, tail = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"no section '{name}': put `{begin.strip()}` and `{end.strip()}` where it belongs.")
    return f"{head}{begin}{text.strip()}\n{end}{tail}"


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
