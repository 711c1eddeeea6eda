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
    needs = {label: set((after or {}).get(label, ())) for label in blocks}

    def rest(done: tuple[str, ...]) -> Iterator[list[str]]:
        if len(done) == len(blocks):
            yield [*(node for label in done for node in blocks[label]), END]
        for label in blocks:
            if label not in done and needs[label] <= set(done):
                yield from rest((*done, label))

    return rest(())
