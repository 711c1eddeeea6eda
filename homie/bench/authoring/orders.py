"""Key paths of errands with partially free order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

END = "[End]"


def orders(
    blocks: Mapping[str, Sequence[str]], after: Mapping[str, Collection[str]] | None = None
) -> Iterator[list[str]]:
    """Yield key paths: the nodes of all blocks, with the blocks in every permitted order, followed by End.

    Args:
        blocks: Sequences of nodes that stay together, by label.
        after: Labels of the blocks that must precede a block, by label.
    """
    predecessors = {label: set((after or {}).get(label, ())) for label in blocks}

    def extensions(prefix: tuple[str, ...]) -> Iterator[list[str]]:
        if len(prefix) == len(blocks):
            yield [*(node for label in prefix for node in blocks[label]), END]
        for label in blocks:
            if label not in prefix and predecessors[label] <= set(prefix):
                yield from extensions((*prefix, label))

    return extensions(())
