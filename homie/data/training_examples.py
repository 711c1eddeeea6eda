"""Makes data sets from sources: `homie data sft` and `homie data dpo`.

sources --episode by episode--> versions --form--> lines --writer--> OUT
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TypeAlias

from homie.data.card import card
from homie.data.card_parts import UNKNOWN
from homie.data.episode import Episode, SkippedEpisode
from homie.data.examples.analyses import add_analyses
from homie.data.examples.data_json import DataFile, Recipe
from homie.data.examples.expert_labels import label_steps
from homie.data.examples.forms import ChatForm, Form, Line, OfficialForm, Purpose
from homie.data.examples.renaming import renamed_copies
from homie.data.examples.rewordings import Rewrite, versions
from homie.data.examples.rewriting_cache import Rewritings
from homie.data.examples.writer import DatasetWriter
from homie.data.options import TrainingOptions
from homie.data.sources.source import Entry, Source, reading_episode
from homie.data.sources.source_kinds import open_sources
from homie.data.split import Split, read_split, side_of
from homie.kernel import registry
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces.prompts import Rewriter
from homie.kernel.support.files import GO_ON, reading, writing
from homie.kernel.support.version import __version__
from homie.runtime.assembly import load_planner, load_prompts

EpisodeOver: TypeAlias = Callable[[Entry, str], None]
"""Called after each episode with the reason why it is skipped, "" if it is not."""


@dataclass(frozen=True, slots=True)
class Words:
    """Wording of lines: text form, analyses, rewordings, made-up names.

    Attributes:
        form: Text form of the lines.
        rewrite: Rewriter of texts, to at most `versions` rewordings; None for none.
        names: Number of copies of each episode with other names, sampled with the seed.
    """

    form: Form
    explain: bool = True
    versions: int = 0
    rewrite: Rewrite | None = None
    names: int = 0
    seed: int = 0

    def lines(self, purpose: Purpose, episode: Episode) -> Iterator[Line]:
        """Yield the lines of an episode, in the original wording first. Raises SkippedEpisode."""
        complete = add_analyses(episode) if self.explain else episode
        yield from self.form.lines(purpose, complete)
        for number, other in enumerate(self._copies(complete, purpose), 1):
            yield from self.form.lines(purpose, other, number)

    def _copies(self, episode: Episode, purpose: Purpose) -> Iterator[Episode]:
        """Yield reworded copies of the episode, then copies with other names."""
        if self.rewrite is not None:
            yield from versions(episode, self.versions, self.rewrite, analyses=purpose == "sft")
        yield from renamed_copies(episode, self.names, self.seed)


def make_dataset(options: TrainingOptions, purpose: Purpose, progress: EpisodeOver | None = None) -> DataFile:
    """Make a data set, or resume an unfinished one.

    Episodes are read, converted and written one by one. An episode that cannot be used is skipped and listed by name.

    Args:
        options: Sources, wording, output folder.
        purpose: `sft` for conversations, `dpo` for pairs.
        progress: Called after every episode.

    Raises:
        BadInput: The options, a source or the folder cannot be used, or no episode gives a line.
        MissingPart: The rewriter needs a package that is not installed.
        InfrastructureError: The disk fails, or the rewriter gives no answer.
    """
    sources = open_sources(options.sources)
    split = read_split(options.split)
    writer = load_prompts({"template": options.template, **options.prompt_settings})
    form: Form = ChatForm(writer, options.seed) if options.form == "chat" else OfficialForm()
    if options.form == "emmoe" and options.prompt_settings:
        raise BadInput("The form emmoe has the words of EMMOE: leave the settings of the prompt out.")
    if options.rename and (options.form == "emmoe" or options.prompt_settings.get("images") is not False):
        raise BadInput(
            "Pictures show things by no other names: with --rename give --prompt images=false, and no --form."
        )
    if options.label_by == "expert" and purpose == "dpo":
        raise BadInput("Pairs are made where expert and planner differ: use --label-by corrections.")
    rewriter = _rewriter(options)
    recipe = Recipe(
        purpose=purpose,
        form=options.form,
        seed=options.seed,
        prompt=dict(writer.describe()) if options.form == "chat" else {},
        explain=options.explain,
        versions=options.versions if rewriter else 0,
        rewriter=dict(rewriter.describe()) if rewriter else {},
        renamed=options.rename,
        keep=options.keep,
        label_by=options.label_by,
        split={"by": split} if isinstance(split, str) else split.model_dump(mode="json"),
        sources=tuple({"name": source.label, **source.describe()} for source in sources),
        homie=__version__,
        license=options.license or UNKNOWN,
    )
    with writing(options.out, "into", advice=GO_ON, raises=InfrastructureError), ExitStack() as stack:
        folder = stack.enter_context(DatasetWriter(options.out, recipe, form.pictures_in))
        words = Words(form, options.explain, names=options.rename, seed=options.seed)
        if rewriter is not None:
            file = options.rewritings or options.out / "rewritten.jsonl"
            rewrite = stack.enter_context(Rewritings(file, rewriter, options.versions))
            words = replace(words, versions=options.versions, rewrite=rewrite)
        for source, entry in every(sources):
            journal_entry = folder.done.get(entry.name)
            if journal_entry is None:
                reason = _convert(folder, source, entry, words, options, split)
            else:
                reason = journal_entry.left_out
            if progress is not None:
                progress(entry, reason)
        return folder.finish(card)


def every(sources: Sequence[Source]) -> Iterator[tuple[Source, Entry]]:
    """Yield all episodes of the sources, in order. Raises BadInput."""
    for source in sources:
        with reading(source.path):
            entries = source.entries()
        for entry in entries:
            yield source, entry


def check_outcome(episode: Episode, keep: str) -> Episode:
    """Return the episode unchanged. Raises SkippedEpisode if its outcome excludes it."""
    if keep == "done" and episode.done is False:
        raise SkippedEpisode("the task was not done")
    if (keep == "ended" or (keep == "done" and episode.done is None)) and not episode.ended:
        raise SkippedEpisode("the planner did not say End")
    return episode


def _convert(
    folder: DatasetWriter, source: Source, entry: Entry, words: Words, options: TrainingOptions, split: Split
) -> str:
    """Add one episode. Returns why it is skipped, "" if it is not."""
    try:
        with reading_episode(entry):
            episode = source.read(entry)
        if options.label_by == "planner":
            episode = check_outcome(episode, options.keep)
        else:
            episode = label_steps(episode, corrections=options.label_by == "corrections")
        counts = folder.add(episode, side_of(split, episode), words.lines(folder.recipe.purpose, episode))
    except SkippedEpisode as reason:
        folder.leave_out(entry.name, entry.task, str(reason))
        return str(reason)
    return "" if counts else "it gives no line"


def _rewriter(options: TrainingOptions) -> Rewriter | None:
    if options.rewriter is None:
        return None
    rewriter: Rewriter = registry.load("rewriters", "default")(
        load_planner(options.rewriter, options.rewriter_settings)
    )
    return rewriter
