"""Plugin registry: constructs parts from a name, an object, a class or MODULE:CLASS:ARGUMENT.

option --split--> names, objects --named_part--> NamedPart (settings checked) --build--> `cls(argument, settings)`

The built-in names and the entry points `homie.KIND` of other packages are lazy `MODULE:ATTRIBUTE` strings. Modules are
imported on first use, so that `homie --help` stays fast and a broken package affects only its users.
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
"""Homie's own parts: `MODULE:ATTRIBUTE` by kind and name."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Part]):
    """A kind of parts.

    Attributes:
        name: Name in the registry; the group of entry points of other packages is `homie.NAME`.
        word: Noun for messages to users.
        option: The option that selects a part of this kind, "" for none.
        interface: Required base class in `homie.kernel.interfaces`, "" for any class.
    """

    name: str
    word: str
    option: str = ""
    interface: str = ""

    @property
    def base(self) -> type[Part]:
        """The required base class."""
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
"""Kinds whose parts users name; parts of other kinds are only loaded by Homie itself."""
OPTIONS: Mapping[str, Kind[Any]] = MappingProxyType({kind.option: kind for kind in KINDS.values() if kind.option})
"""Kinds that are selected by an option, by that option."""
OBJECT = "object"
"""Prefix that marks a part given as a Python object (`object:MODULE.CLASS`), which cannot be recreated by name."""
Objects: TypeAlias = Mapping[tuple[str, str], Any]
"""Parts given as Python objects, by option and the name that they have in it."""
NO_OBJECTS: Objects = MappingProxyType({})


def word(kind: str) -> str:
    """Return the noun for a part of a kind, for messages to users."""
    return KINDS[kind].word if kind in KINDS else kind.removesuffix("s")


def entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group, of all installed packages."""
    return _cached_entry_points(group, tuple(sys.path))


@functools.lru_cache(maxsize=64)
def _cached_entry_points(group: str, path: tuple[str, ...]) -> EntryPoints:
    """Cached implementation, with the import path as key: reading entry points takes some 30 ms, and every part of an
    episode is looked up."""
    return installed_entry_points(group=group)


def targets(kind: str) -> dict[str, str]:
    """Return the registered names of a kind (`planners`, `skills`, `robots`, ...) with their targets
    `MODULE:ATTRIBUTE`, built-in first.

    Warns of an entry point that is hidden by another part of the same name.
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
    """Return the registered names of a kind, built-in first."""
    return list(targets(kind))


def load(kind: str, name: str) -> Any:
    """Import the object registered under a name. Raises BadInput for an unknown name, MissingPart for a missing
    package."""
    target = targets(kind).get(name)
    if target is None:
        raise unknown(kind, name)
    module, _, attribute = target.partition(":")
    package = module.partition(".")[0]
    try:
        return _attribute(importlib.import_module(module), attribute, f"The {word(kind)} '{name}' is registered as")
    except (ImportError, BadInput) as error:
        for hidden, hiding_path in shadows().items():
            raise BadInput(
                f"{hiding_path} hides Homie's own package '{hidden}': rename it, or start Python from another folder."
            ) from error
        absent = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        if absent in OURS:
            sentence = f"needs Homie's package '{absent}', which is not here: install Homie again with it."
            raise MissingPart(f"The {word(kind)} '{name}' {sentence}", sentence) from error
        if not absent or (absent.partition(".")[0] == package and module != absent):
            raise  # the package is installed but broken
        if absent.partition(".")[0] in OURS:
            raise MissingPart(f"Homie's own module '{absent}' is gone from {package}: install Homie again.") from error
        raise missing_part(f"The {word(kind)} '{name}'", absent, "") from error


def usable(kind: str) -> dict[str, Any]:
    """Import all registered objects of a kind, by name, skipping those whose package is missing or broken."""
    parts: dict[str, Any] = {}
    for name in targets(kind):
        with contextlib.suppress(ImportError, HomieError):
            parts[name] = load(kind, name)
    return parts


def find(kind: str, text: str) -> tuple[Any, str]:
    """Import the object that NAME, NAME:ARGUMENT, MODULE:CLASS or MODULE:CLASS:ARGUMENT refers to, and return it with
    the argument ("" without one).

    A module that is not installed is also searched in the current folder.

    Raises:
        BadInput: There is no such part, or its module cannot be imported.
        MissingPart: A package that a registered part or the module imports is missing.
    """
    name, _, suffix = text.partition(":")
    if name in targets(kind):
        return load(kind, name), suffix
    if name == OBJECT:
        raise BadInput(
            f"The {word(kind)} was an object of {suffix} that was made in Python; no name makes it again: give another."
        )
    attribute, _, argument = suffix.partition(":")
    if name.endswith(".py"):
        part = attribute or (KINDS[kind].interface if kind in KINDS else "") or "NAME"
        raise BadInput(f"'{name}' is a file: name the module and its {word(kind)}, as in {Path(name).stem}:{part}.")
    if not attribute.isidentifier() or not all(part.isidentifier() for part in name.split(".")):
        raise unknown(kind, name)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # at the end, so that it does not hide installed modules
    try:
        module = importlib.import_module(name)
    except SyntaxError as error:
        raise BadInput(f"{error.filename}, line {error.lineno}: {error.msg}: correct the module '{name}'.") from error
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _import_error(name, error) from error
        absent = f"there is no module '{error.name}' either"
        if reason := shadowing_note(name):
            raise BadInput(f"Unknown {word(kind)} '{name}' ({absent}): {reason}") from error
        local_modules = [path.stem for path in Path.cwd().glob("*.py")]
        raise unknown(kind, name, absent, local_modules) from error
    except HomieError:
        raise
    except (Exception, SystemExit) as error:
        raise _import_error(name, error) from error
    return _attribute(module, attribute, f"The {word(kind)} was given as"), argument


def shadowing_note(module: str) -> str:
    """Return the end of a message about a module that was imported from elsewhere although the current folder has a
    file or folder of that name; "" otherwise."""
    top = module.partition(".")[0]
    local_paths = [path for path in (Path.cwd() / f"{top}.py", Path.cwd() / top) if path.exists()]
    if top not in sys.modules or not local_paths:
        return ""
    file = getattr(sys.modules[top], "__file__", None)
    if file is not None and any(Path(file).resolve().is_relative_to(path.resolve()) for path in local_paths):
        return ""
    origin = "a part of Python itself" if file is None else file
    return f"the module '{top}' is {origin}, which hides {local_paths[0].name} of this folder: rename that."


def _import_error(module: str, error: BaseException) -> HomieError:
    """Create the error for a user's module that exists but cannot be imported."""
    place = own_code(error)
    subject = f"The module '{module}'" if place is None else str(place)
    if isinstance(error, ModuleNotFoundError):
        return MissingPart(f"{subject}: {in_words(error)}: install it, or correct the module '{module}'.")
    return BadInput(f"{subject}: {in_words(error)}: correct the module '{module}'.")


def unknown(kind: str, name: str, remark: str = "", modules: Sequence[str] = ()) -> BadInput:
    """Create the error for an unregistered name; the suggestion may also be one of `modules`."""
    known = names(kind)
    hint = suggestion(name, [*known, *modules], f"choose one of: {', '.join(known)}.")
    return BadInput(f"Unknown {word(kind)} '{name}'{f' ({remark})' if remark else ''}: {hint}")


def _attribute(module: Any, name: str, beginning: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        public = [known for known in vars(module) if not known.startswith("_")]
        reason = shadowing_note(module.__name__)
        end = f": {reason}" if reason else did_you_mean(name, public) or "."
        raise BadInput(f"{beginning} {module.__name__}:{name}, and that module has no '{name}'{end}") from None


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], Objects]:
    """Replace Python objects in options by names, and return the options with the objects by those names."""
    options = dict(values)
    objects: dict[tuple[str, str], Any] = {}
    for option in OPTIONS.keys() & values.keys():
        value = values[option]
        if value is None or isinstance(value, str):
            continue
        is_list = option == "skills" and isinstance(value, list | tuple)
        names = [part if isinstance(part, str) else _name(part) for part in (value if is_list else [value])]
        options[option] = ",".join(names)
        objects |= {
            (option, name): part
            for name, part in zip(names, value if is_list else [value], strict=True)
            if name.startswith(f"{OBJECT}:")
        }
    return options, objects


def resolve(option: str, text: str, objects: Objects) -> tuple[Any, str]:
    """Return the object that a part's name in an option refers to, and its argument. Raises BadInput, MissingPart."""
    if (option, text) in objects:
        return objects[option, text], ""
    return find(OPTIONS[option].name, text)


def path_of(value: object) -> str:
    """Return module and name of a class, a function, or an object's class, as `MODULE:NAME`."""
    definition: Any = value if inspect.isclass(value) or inspect.isroutine(value) else type(value)
    return f"{definition.__module__}:{definition.__qualname__}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPart(Generic[Part]):
    """A part with validated settings that is not yet constructed.

    Attributes:
        make: Its class, a factory function, a planner function, or the part itself if it was given as an object.
        settings: None if the part has no settings.
    """

    kind: Kind[Part]
    name: str
    make: Any
    argument: str
    settings: BaseModel | None

    def build(self) -> Part:
        """Construct the part. Raises BadInput, MissingPart, and whatever its constructor raises."""
        factory = self.make
        if self.kind.name == PLANNER.name and not self.argument:
            from homie.kernel.function_planner import FunctionPlanner, decides  # not at the top: it needs numpy

            factory = FunctionPlanner(factory) if decides(factory) else factory
        return construct(f"{self.kind.word} '{self.name}'", factory, [self.argument, self.settings], self.kind.base)


def make_part(
    kind: Kind[Part], text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> Part:
    """Construct a part from NAME or NAME:ARGUMENT and its settings.

    Args:
        kind: Kind of the part, such as PLANNER.
        text: Its name in the option, such as `scripted:plan.yaml`.
        settings: Settings by name; missing ones have their defaults.
        objects: Parts given as Python objects, which `text` may refer to.

    Raises:
        BadInput: There is no such part, or it does not take the argument or a setting.
        MissingPart: A package that it needs is not installed.
    """
    return named_part(kind, text, settings, objects).build()


def part_of(kind: Kind[Part], value: object) -> Part:
    """Construct a part from a Python object: the part itself, its class, or for planners a planner function.

    Raises BadInput, MissingPart, and whatever its constructor raises.
    """
    return NamedPart(kind=kind, name=path_of(value), make=value, argument="", settings=None).build()


def named_part(
    kind: Kind[Part], text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> NamedPart[Part]:
    """Find a part and validate its settings without constructing it. Raises as `make_part`."""
    factory, argument = resolve(kind.option, text, objects)
    name = text.removesuffix(f":{argument}") if argument else text
    subject = f"{kind.word} '{name}'"
    if isinstance(factory, kind.base):
        if settings:
            raise BadInput(f"The {subject} is an object that was made in Python: give its settings to its constructor.")
        checked = None
    else:
        checked = settings_of(subject, getattr(factory, "Settings", None), settings or {})
    return NamedPart(kind=kind, name=name, make=factory, argument=argument, settings=checked)


def settings_of(subject: str, model: type[BaseModel] | None, values: Mapping[str, Any]) -> BaseModel | None:
    """Validate settings by their model, None if there is no model. Raises BadInput.

    Args:
        subject: The part in messages: "planner 'chat'".
    """
    if model is not None:
        return check_settings(subject, model, values)
    if values:
        raise BadInput(f"The {subject} has no settings (got {', '.join(values)}).")
    return None


def construct(subject: str, factory: Any, arguments: Sequence[Any], interface: type[Part]) -> Part:
    """Construct a part from its class or factory, or return a part that is given as an object. The factory gets the
    arguments that are not None, and need not accept one that is "".

    Raises BadInput if it takes other arguments, returns another type, or lacks a method of its interface.
    """
    from homie.kernel.interfaces.parts import misfit  # not at the top, as in `NamedPart.build`

    if inspect.isclass(factory):
        if not issubclass(factory, interface):
            raise BadInput(
                f"The {subject} is the class {path_of(factory)}, which {_wrong_class_sentence(factory, interface)}"
            )
        if fault := misfit(factory, interface):
            raise BadInput(f"The {subject} {fault}.")
    part = (
        _call_factory(subject, factory, arguments, interface)
        if callable(factory) and not isinstance(factory, interface)
        else factory
    )
    if not isinstance(part, interface):
        raise BadInput(f"The {subject} {_wrong_object_sentence(factory, part, interface)}")
    if fault := misfit(type(part), interface):
        raise BadInput(f"The {subject} {fault}.")
    return part


def _wrong_class_sentence(part_class: type, interface: type) -> str:
    """Return the end of a message about a class that is not derived from an interface."""
    base = f"homie.{interface.__name__}"
    if reason := shadowing_note(part_class.__module__):
        return f"is not a {base}: {reason}"
    package = interface.__module__.rpartition(".")[0]
    interface_name = next((kind.__name__ for kind in part_class.__mro__ if kind.__module__.startswith(package)), "")
    if interface_name == "Skill" and interface.__name__ == "SkillSet":
        return f"is a homie.Skill: return it from the method skills of a {base}, and name that."
    if interface_name:
        return f"is a homie.{interface_name}: name a {base}."
    return f"is not a {base}: derive it, as in `class {part_class.__name__}({base})`."


def _wrong_object_sentence(factory: Any, part: object, interface: type) -> str:
    """Return the end of a message about an object that is not such a part, or a function that does not return one."""
    base = f"homie.{interface.__name__}"
    if part is factory:
        return f"is not a {base}, but {path_of(part)}: give a {base} or a class of it."
    hint = "write it with one parameter, the homie.PlannerInput, or " if interface.__name__ == "Planner" else ""
    return f"is the function {path_of(factory)}, which returned {part!r:.80}: {hint}name a {base}."


def _call_factory(label: str, factory: Callable[..., Any], arguments: Sequence[Any], interface: type) -> Any:
    supplied = [argument for argument in arguments if argument is not None]
    try:
        signature = inspect.signature(factory)
    except ValueError:  # some callables have none
        return factory(*supplied)
    for candidates in (supplied, [argument for argument in supplied if argument != ""]):
        try:
            signature.bind(*candidates)
        except TypeError:
            continue
        try:
            return factory(*candidates)
        except AttributeError as error:
            if inspect.isclass(factory) or not isinstance(error.obj, str) or error.obj not in candidates:
                raise
            raise BadInput(
                f"The {label} is the function {path_of(factory)}, which is called with the text {error.obj!r} to make "
                f"one, and takes it for something else: name a class of homie.{interface.__name__}."
            ) from error
    advice = f": name a class of homie.{interface.__name__}" if inspect.isroutine(factory) else ""
    raise BadInput(
        f"The {label} cannot be made: {path_of(factory)} takes {signature} and is given {len(supplied)} argument(s)"
        f"{advice}."
    )


def check_settings(subject: str, model: type[SettingsT], values: Mapping[str, Any]) -> SettingsT:
    """Validate settings by their model.

    Args:
        subject: The part in messages: "planner 'chat'".
        model: The `Settings` of the part.
        values: Values by name; missing ones have their defaults.

    Raises:
        BadInput: There is no such setting, or a value is invalid.
    """
    # Not at the top: not needed to look up names.
    from pydantic import ValidationError

    from homie.kernel.support.validation_sentences import explain

    known = list(model.model_fields)
    for key in values:
        if key not in known:
            hint = suggestion(key, known, f"it knows: {', '.join(known)}.")
            raise BadInput(f"The {subject} has no setting '{key}': {hint}")
    try:
        return model(**values)
    except ValidationError as error:
        raise BadInput(f"Setting of the {subject}: {explain(error, model)}") from error


def _name(value: object) -> str:
    """Return the name of a part given as a Python object, for the record."""
    if isinstance(value, list | tuple):
        parts = (part if isinstance(part, str) else path_of(part).replace(":", ".") for part in value)
        return f"{OBJECT}:{'+'.join(parts)}"
    module, _, name = path_of(value).partition(":")
    if module != "__main__" and getattr(sys.modules.get(module), name, None) is value:
        return f"{module}:{name}"
    return f"{OBJECT}:{module}.{name}"
