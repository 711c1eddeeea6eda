"""Features of providers, from `chat_providers.yaml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.documents import parse_yaml
from planners.llm.calls.address_and_key import host_name

OTHER = "other"
DEFAULT = "openai"


class Provider(BaseModel):
    """One entry of the file, which documents the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hosts: tuple[str, ...] = ()
    base_url: str = ""
    key: str = ""
    structured: Literal["json_schema", "schema_object", "json_object", "text"]
    strict: bool = False
    limit: Literal["max_tokens", "max_completion_tokens"]
    seed: str = ""
    cache_mark: Literal["", "prompt_cache_breakpoint", "cache_control"] = ""
    cache_key: bool = False


@functools.cache
def providers() -> Mapping[str, Provider]:
    """Return all providers by name."""
    text = Path(__file__).with_name("chat_providers.yaml").read_text(encoding="utf-8")
    return MappingProxyType(TypeAdapter(dict[str, Provider]).validate_python(parse_yaml(text)))


def key_variables() -> tuple[str, ...]:
    """Return the environment variables of the providers' keys."""
    return tuple(provider.key for provider in providers().values() if provider.key)


def find_provider(name: str | None, base_url: str | None) -> tuple[str, Provider]:
    """Return a provider by its name, else by the host of a URL, else OpenAI itself. Raises BadInput."""
    by_name = providers()
    if name is not None:
        if name not in by_name:
            hint = suggestion(name, by_name, f"choose one of: {', '.join(by_name)}.")
            raise BadInput(f"Unknown provider '{name}': {hint}")
        if not (by_name[name].base_url or base_url):
            raise BadInput(f"The provider '{name}' needs an address: --base-url http://HOST:PORT/v1.")
        return name, by_name[name]
    if base_url is None:
        return DEFAULT, by_name[DEFAULT]
    host = host_name(base_url)
    name = next((name for name, provider in by_name.items() if host in provider.hosts), OTHER)
    return name, by_name[name]
