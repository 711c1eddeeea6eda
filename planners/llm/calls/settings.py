"""Settings of planners behind an endpoint: address, limits of an answer, timeouts, cost."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveFloat

from planners.llm.calls.prices import Prices

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class EndpointSettings(Prices):
    """Settings of an endpoint. Times are seconds of wall clock."""

    base_url: str | None = Field(None, description="Address of the endpoint (default: the provider's own).")
    api_key_env: str | None = Field(None, description="Environment variable with the API key (default: by provider).")
    max_tokens: int = Field(2048, ge=1, description="Tokens that an answer may have.")
    reasoning: Effort | None = Field(
        None, description="The model reasons first, with this effort: no temperature is sent, `reasoning_tokens` count."
    )
    reasoning_tokens: int = Field(8192, ge=0, description="Tokens for reasoning, on top of max_tokens.")
    image_format: Literal["png", "jpeg"] = Field("png", description="How images are sent.")
    timeout: PositiveFloat = Field(60.0, description="Seconds that one request may take, to its last byte.")
    deadline: PositiveFloat = Field(180.0, description="Seconds that one answer may take, with all retries and waits.")
    retries: int = Field(4, ge=0, le=20, description="Times that a request is sent again after a passing failure.")
    backoff: float = Field(1.0, ge=0, description="Seconds before the first retry; doubled each time, with jitter.")
    prompt_cache: bool = Field(True, description="Mark the fixed part of a prompt for the provider's cache.")
    cache: Path | None = Field(None, description="Folder of answers: what was asked before is not asked again.")


class SampledSettings(EndpointSettings):
    """Settings of endpoints that accept a temperature."""

    temperature: float | None = Field(0.0, ge=0, le=2, description="Of sampling; not sent to a model that reasons.")

    @property
    def sent_temperature(self) -> float | None:
        """The temperature to send, None for none."""
        return None if self.reasoning else self.temperature
