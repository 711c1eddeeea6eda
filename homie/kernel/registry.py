"""The finder: a name, an object, a class or MODULE:CLASS:ARGUMENT becomes a part.

option --split--> names, objects --named_part--> NamedPart (settings checked) --build--> `cls(argument, settings)`

The built-in names and the entry points `homie.KIND` of other packages are lazy `MODULE:ATTRIBUTE` strings. Nothing is
imported until it is asked for, so `homie --help` stays quick and a broken package hurts only its users.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import os
import sys
import tomllib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoints
from importlib.metadata import entry_points as installed_entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from homie.kernel.errors import BadInput, HomieError, MissingPart, did_you_mean, suggestion
from homie.kernel.support.own_code import in_words, own_code
from homie.kernel.support.packages import OURS, missing_part, shadows

if TYPE_CHECKING:
    from pydantic import BaseModel

    from homie.kernel.interfaces import Detector, Planner, Robot, SkillSet

Part = TypeVar("Part")
SettingsT = TypeVar("SettingsT", bound="BaseModel")

BUILT_IN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    tomllib.loads(Path(__file__).with_name("builtin.toml").read_text(encoding="utf-8"))
)
"""The parts that come with Homie: `MODULE:ATTRIBUTE` by kind and name."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Part]):
    """A kind of parts.

    Attributes:
        name: In the registry; the entry points of other packages are of the group `homie.NAME`.
        word: What users call one.
        option: The option that names one, "" where none does.
        interface: The class in `homie.kernel.interfaces` that one has to be, "" for any.
    """

    name: str
    word: str
    option: str = ""
    interface: str = ""

    @property
    def base(self) -> type[Part]:
        """The class that one has to be."""
        return cast("type[Part]", getattr(importlib.import_module("homie.kernel.interfaces"), self.interface))


PLANNER: Kind[Planner] = Kind("planners", "planner", "planner", "Planner")
SKILL_SET: Kind[SkillSet] = Kind("skills", "skill set", "skills", "SkillSet")
ROBOT: Kind[Robot] = Kind("robots", "robot", "robot", "Robot")
DETECTOR: Kind[Detector] = Kind("detectors", "detector", "detector", "Detector")
_NAMED: tuple[Kind[Any], ...] = (
    PLANNER,
    SKILL_SET,
    ROBOT,
    DETECTOR,
    Kind("bodies", "body of a robot"),
    Kind("locators", "locator (--targets)", "targets", "Locator"),
    Kind("checks", "order of checks (--check-order)", "check_order"),
    Kind("suites", "suite"),
    Kind("published", "suite"),
    Kind("quirks", "set of quirks"),
    Kind("checkpoints", "checkpoint format"),
    Kind("skill_trainers", "skill set to train"),
    Kind("detector_trainers", "detector to train"),
)
KINDS: Mapping[str, Kind[Any]] = MappingProxyType({kind.name: kind for kind in _NAMED})
"""Those that users name; others are asked for by Homie itself."""
OPTIONS: Mapping[str, Kind[Any]] = MappingProxyType({kind.option: kind for kind in KINDS.values() if kind.option})
"""The kinds that options name, by the option."""
OBJECT = "object"
"""In the place of a name: a part that was made in Python (`object:MODULE.CLASS`), which no name can make again."""
Objects: TypeAlias = Mapping[tuple[str, str], Any]
"""Parts made in Python, by option and the name that they have in it."""
NO_OBJECTS: Objects = MappingProxyType({})


def word(kind: str) -> str:
    """What users call a part of a kind."""
    return KINDS[kind].word if kind in KINDS else kind.removesuffix("s")


def entry_points(group: str) -> EntryPoints:
    """The entry points of a group, of all packages that are installed."""
    return _installed(group, tuple(sys.path))


@functools.lru_cache(maxsize=64)
def _installed(group: str, path: tuple[str, ...]) -> EntryPoints:
    """The same by where packages are looked for: to read them takes some 30 ms, and every part of an episode is looked
    up."""
    return installed_entry_points(group=group)


def targets(kind: str) -> dict[str, str]:
    """Registered names of a kind (`planners`, `skills`, `robots`, ...) and where each is found, built-in first.

    Warns of an entry point that has the name of another part, which hides it.
    """
    registered = dict(BUILT_IN.get(kind, {}))
    owners = dict.fromkeys(registered, "Homie")
    for entry in entry_points(group=f"homie.{kind}"):
        owner = f"the package '{entry.dist.name}'" if entry.dist is not None else "another package"
        if registered.setdefault(entry.name, entry.value) == entry.value:
            owners.setdefault(entry.name, owner)
            continue
        warnings.warn(
            f"The {word(kind)} '{entry.name}' of {owner} ({entry.value}) is hidden by that of {owners[entry.name]} "
            f"({registered[entry.name]}): register it under another name.",
            stacklevel=2,
        )
    return registered


def names(kind: str) -> list[str]:
    """Registered names of a kind, built-in first."""
    return list(targets(kind))


def load(kind: str, name: str) -> Any:
    """The object registered under a name. Raises BadInput for an unknown name, MissingPart for a missing package."""
    target = targets(kind).get(name)
    if target is None:
        raise unknown(kind, name)
    module, _, attribute = target.partition(":")
    package = module.partition(".")[0]
    try:
        return _attribute(importlib.import_module(module), attribute, f"The {word(kind)} '{name}' is registered as")
    except (ImportError, BadInput) as error:
        for hidden, culprit in shadows().items():
            raise BadInput(
                f"{culprit} hides Homie's own package '{hidden}': rename it, or start Python from another folder."
            ) from error
        absent = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        if absent in OURS:
            need = f"needs Homie's package '{absent}', which is not here: install Homie again with it."
            raise MissingPart(f"The {word(kind)} '{name}' {need}", need) from error
        if not absent or (absent.partition(".")[0] == package and module != absent):
            raise  # a package that is there but broken, not one to install
        if absent.partition(".")[0] in OURS:
            raise MissingPart(f"Homie's own module '{absent}' is gone from {package}: install Homie again.") from error
        raise missing_part(f"The {word(kind)} '{name}'", absent, "") from error


def usable(kind: str) -> dict[str, Any]:
    """The registered objects of a kind by name, without those whose package is missing or broken: what goes through
    all of them works without these."""
    parts: dict[str, Any] = {}
    for name in targets(kind):
        with contextlib.suppress(ImportError, HomieError):
            parts[name] = load(kind, name)
    return parts


def find(kind: str, text: str) -> tuple[Any, str]:
    """What NAME, NAME:ARGUMENT, MODULE:CLASS or MODULE:CLASS:ARGUMENT means, and the argument ("" without one).

    A module that is not installed is looked for in the current folder too.

    Raises:
        BadInput: There is no such part, or its module cannot be imported.
        MissingPart: A package is missing that a registered part or the module imports.
    """
    name, _, rest = text.partition(":")
    if name in targets(kind):
        return load(kind, name), rest
    if name == OBJECT:
        raise BadInput(
            f"The {word(kind)} was an object of {rest} that was made in Python; no name makes it again: give another."
        )
    attribute, _, argument = rest.partition(":")
    if name.endswith(".py"):
        part = attribute or (KINDS[kind].interface if kind in KINDS else "") or "NAME"
        raise BadInput(f"'{name}' is a file: name the module and its {word(kind)}, as in {Path(name).stem}:{part}.")
    if not attribute.isidentifier() or not all(part.isidentifier() for part in name.split(".")):
        raise unknown(kind, name)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # at the end: nothing in it hides what is installed
    try:
        module = importlib.import_module(name)
    except SyntaxError as error:
        raise BadInput(f"{error.filename}, line {error.lineno}: {error.msg}: correct the module '{name}'.") from error
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _broken(name, error) from error
        absent = f"there is no module '{error.name}' either"
        if reason := hidden(name):
            raise BadInput(f"Unknown {word(kind)} '{name}' ({absent}): {reason}") from error
        beside = [path.stem for path in Path.cwd().glob("*.py")]
        raise unknown(kind, name, absent, beside) from error
    except HomieError:
        raise
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error
    return _attribute(module, attribute, f"The {word(kind)} was given as"), argument


def hidden(module: str) -> str:
    """The end of a sentence about a module that Python has taken from elsewhere although the current folder has a file
    or folder of that name; "" where it has not."""
    top = module.partition(".")[0]
    own = [path for path in (Path.cwd() / f"{top}.py", Path.cwd() / top) if path.exists()]
    if top not in sys.modules or not own:
        return ""
    file = getattr(sys.modules[top], "__file__", None)
    if file is not None and any(Path(file).resolve().is_relative_to(path.resolve()) for path in own):
        return ""
    taken = "a part of Python itself" if file is None else file
    return f"the module '{top}' is {taken}, which hides {own[0].name} of this folder: rename that."


def _broken(module: str, error: BaseException) -> HomieError:
    """The error of a user's module that is there and cannot be imported."""
    place = own_code(error)
    where = f"The module '{module}'" if place is None else str(place)
    if isinstance(error, ModuleNotFoundError):
        return MissingPart(f"{where}: {in_words(error)}: install it, or correct the module '{module}'.")
    return BadInput(f"{where}: {in_words(error)}: correct the module '{module}'.")


def unknown(kind: str, name: str, more: str = "", modules: Sequence[str] = ()) -> BadInput:
    """The error for a name that is not registered; `modules` may be meant too."""
    known = names(kind)
    hint = suggestion(name, [*known, *modules], f"choose one of: {', '.join(known)}.")
    return BadInput(f"Unknown {word(kind)} '{name}'{f' ({more})' if more else ''}: {hint}")


def _attribute(module: Any, name: str, beginning: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        public = [known for known in vars(module) if not known.startswith("_")]
        meant = hidden(module.__name__)
        end = f": {meant}" if meant else did_you_mean(name, public) or "."
        raise BadInput(f"{beginning} {module.__name__}:{name}, and that module has no '{name}'{end}") from None


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], Objects]:
    """What was given as options with names, and the objects behind names that cannot be looked up."""
    options = dict(values)
    objects: dict[tuple[str, str], Any] = {}
    for option in OPTIONS.keys() & values.keys():
        value = values[option]
        if value is None or isinstance(value, str):
            continue
        several = option == "skills" and isinstance(value, list | tuple)
        names = [part if isinstance(part, str) else _name(part) for part in (value if several else [value])]
        options[option] = ",".join(names)
        objects |= {
            (option, name): part
            for name, part in zip(names, value if several else [value], strict=True)
            if name.startswith(f"{OBJECT}:")
        }
    return options, objects


def resolve(option: str, text: str, objects: Objects) -> tuple[Any, str]:
    """What the name of a part in an option means, and its argument. Raises BadInput, MissingPart."""
    if (option, text) in objects:
        return objects[option, text], ""
    return find(OPTIONS[option].name, text)


def path_of(value: object) -> str:
    """Module and name of the class of an object, of a class, or of a function, as `MODULE:NAME`."""
    named: Any = value if inspect.isclass(value) or inspect.isroutine(value) else type(value)
    return f"{named.__module__}:{named.__qualname__}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPart(Generic[Part]):
    """A part that is found and whose settings are checked, and that is not made yet.

    Attributes:
        make: Its class, a function that makes it or that decides, or the part itself where it was made in Python.
        settings: None where it has none.
    """

    kind: Kind[Part]
    name: str
    make: Any
    argument: str
    settings: BaseModel | None

    def build(self) -> Part:
        """The part. Raises BadInput, MissingPart, and whatever its constructor raises."""
        make = self.make
        if self.kind.name == PLANNER.name and not self.argument:
            from homie.kernel.function_planner import FunctionPlanner, decides  # not at the top: it needs numpy

            make = FunctionPlanner(make) if decides(make) else make
        return constructed(f"{self.kind.word} '{self.name}'", make, [self.argument, self.settings], self.kind.base)


def make_part(
    kind: Kind[Part], text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> Part:
    """A part from NAME or NAME:ARGUMENT and its settings.

    Args:
        kind: such as PLANNER.
        text: `scripted:plan.yaml`, say.
        settings: by their names; what is not given is as usual.
        objects: the parts that were made in Python, which `text` may name.

    Raises:
        BadInput: There is no such part, or it does not take the argument or a setting.
        MissingPart: A package that it needs is not installed.
    """
    return named_part(kind, text, settings, objects).build()


def part_of(kind: Kind[Part], value: object) -> Part:
    """A part from what Python code gives: the part, its class, or of planners a function that decides.

    Raises BadInput, MissingPart, and whatever its constructor raises.
    """
    return NamedPart(kind=kind, name=path_of(value), make=value, argument="", settings=None).build()


def named_part(
    kind: Kind[Part], text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> NamedPart[Part]:
    """The part that `make_part` would make, not made yet. Raises as `make_part`."""
    make, argument = resolve(kind.option, text, objects)
    name = text.removesuffix(f":{argument}") if argument else text
    whose = f"{kind.word} '{name}'"
    if isinstance(make, kind.base):
        if settings:
            raise BadInput(f"The {whose} is an object that was made in Python: give its settings to its constructor.")
        checked = None
    else:
        checked = settings_of(whose, getattr(make, "Settings", None), settings or {})
    return NamedPart(kind=kind, name=name, make=make, argument=argument, settings=checked)


def settings_of(whose: str, model: type[BaseModel] | None, values: Mapping[str, Any]) -> BaseModel | None:
    """Settings as their model has them, None where there is no model. Raises BadInput.

    Args:
        whose: "planner 'chat'".
    """
    if model is not None:
        return checked_settings(whose, model, values)
    if values:
        raise BadInput(f"The {whose} has no settings (got {', '.join(values)}).")
    return None


def constructed(whose: str, make: Any, arguments: Sequence[Any], interface: type[Part]) -> Part:
    """A part that is there, or one from its class or factory, which gets the arguments that are not None, and need not
    take one that is "".

    Raises BadInput if it takes others, makes something else, or lacks a method of its interface.
    """
    from homie.kernel.interfaces.parts import misfit  # not at the top, as in `NamedPart.build`

    if inspect.isclass(make):
        if not issubclass(make, interface):
            raise BadInput(f"The {whose} is the class {path_of(make)}, which {_of_another(make, interface)}")
        if wrong := misfit(make, interface):
            raise BadInput(f"The {whose} {wrong}.")
    part = _called(whose, make, arguments, interface) if callable(make) and not isinstance(make, interface) else make
    if not isinstance(part, interface):
        raise BadInput(f"The {whose} {_no_part(make, part, interface)}")
    if wrong := misfit(type(part), interface):
        raise BadInput(f"The {whose} {wrong}.")
    return part


def _of_another(make: type, interface: type) -> str:
    """The end of a sentence about a class that is not derived from an interface."""
    base = f"homie.{interface.__name__}"
    if reason := hidden(make.__module__):
        return f"is not a {base}: {reason}"
    here = interface.__module__.rpartition(".")[0]
    other = next((kind.__name__ for kind in make.__mro__ if kind.__module__.startswith(here)), "")
    if other == "Skill" and interface.__name__ == "SkillSet":
        return f"is a homie.Skill: return it from the method skills of a {base}, and name that."
    if other:
        return f"is a homie.{other}: name a {base}."
    return f"is not a {base}: derive it, as in `class {make.__name__}({base})`."


def _no_part(make: Any, part: object, interface: type) -> str:
    """The end of a sentence about what is no such part, and about a function that makes none."""
    base = f"homie.{interface.__name__}"
    if part is make:
        return f"is not a {base}, but {path_of(part)}: give a {base} or a class of it."
    decide = "write it with one parameter, the homie.PlannerInput, or " if interface.__name__ == "Planner" else ""
    return f"is the function {path_of(make)}, which returned {part!r:.80}: {decide}name a {base}."


def _called(whose: str, make: Callable[..., Any], arguments: Sequence[Any], interface: type) -> Any:
    present = [argument for argument in arguments if argument is not None]
    try:
        signature = inspect.signature(make)
    except ValueError:  # some callables have none
        return make(*present)
    for fewer in (present, [argument for argument in present if argument != ""]):
        try:
            signature.bind(*fewer)
        except TypeError:
            continue
        try:
            return make(*fewer)
        except AttributeError as error:
            if inspect.isclass(make) or not isinstance(error.obj, str) or error.obj not in fewer:
                raise
            raise BadInput(
                f"The {whose} is the function {path_of(make)}, which is called with the text {error.obj!r} to make "
                f"one, and takes it for something else: name a class of homie.{interface.__name__}."
            ) from error
    instead = f": name a class of homie.{interface.__name__}" if inspect.isroutine(make) else ""
    raise BadInput(
        f"The {whose} cannot be made: {path_of(make)} takes {signature} and is given {len(present)} argument(s)"
        f"{instead}."
    )


def checked_settings(whose: str, model: type[SettingsT], values: Mapping[str, Any]) -> SettingsT:
    """Settings as their model has them.

    Args:
        whose: For sentences, as "planner 'chat'".
        model: The `Settings` of the part.
        values: What is given, by name; what is not given is as usual.

    Raises:
        BadInput: There is no such setting, or a value is not possible.
    """
    # Not at the top: whoever looks for a name needs neither.
    from pydantic import ValidationError

    from homie.kernel.support.validation_sentences import explain

    known = list(model.model_fields)
    for key in values:
        if key not in known:
            hint = suggestion(key, known, f"it knows: {', '.join(known)}.")
            raise BadInput(f"The {whose} has no setting '{key}': {hint}")
    try:
        return model(**values)
    except ValidationError as error:
        raise BadInput(f"Setting of the {whose}: {explain(error, model)}") from error


def _name(value: object) -> str:
    """What the record calls a part that was given as it is."""
    if isinstance(value, list | tuple):
        parts = (part if isinstance(part, str) else path_of(part).replace(":", ".") for part in value)
        return f"{OBJECT}:{'+'.join(parts)}"
    module, _, name = path_of(value).partition(":")
    if module != "__main__" and getattr(sys.modules.get(module), name, None) is value:
        return f"{module}:{name}"
    return f"{OBJECT}:{module}.{name}"
