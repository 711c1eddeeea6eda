"""Key paths of errands whose order is partly free."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

END = "[End]"


def orders(
    blocks: Mapping[str, Sequence[str]], after: Mapping[str, Collection[str]] | None = None
) -> Iterator[list[str]]:
    """Key paths: the nodes of all blocks, the blocks in every order that is allowed; End is added.

    Args:
        blocks: Nodes that come one right after the other, by a label.
        after: Of a block, the blocks that come before it.
    """
    predecessors = {label: set((after or {}).get(label, ())) for label in blocks}

    def extensions(prefix: tuple[str, ...]) -> Iterator[list[str]]:
        if len(prefix) == len(blocks):
            yield [*(node for label in prefix for node in blocks[label]), END]
        for label in blocks:
            if label not in prefix and predecessors[label] <= set(prefix):
                yield from extensions((*prefix, label))

    return extensions(())
