"""Prices of tokens, the cost of an answer, and the budget of an episode."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat

from homie.kernel.errors import PlannerError
from planners.llm.messages import Reply


class Prices(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    price_input: float | None = Field(None, ge=0, description="US dollars per million input tokens.")
    price_output: float | None = Field(None, ge=0, description="US dollars per million output tokens.")
    price_cache_read: float | None = Field(
        None, ge=0, description="The same for tokens from the provider's cache (default: price_input)."
    )
    price_cache_write: float | None = Field(
        None, ge=0, description="The same for tokens that go into the provider's cache (default: price_input)."
    )
    budget: PositiveFloat | None = Field(None, description="US dollars that an episode may cost; needs both prices.")

    @property
    def known(self) -> bool:
        """Whether the cost of an answer can be computed."""
        return self.price_input is not None and self.price_output is not None

    def cost(self, reply: Reply) -> float:
        """Return the US dollars of an answer; a missing price counts as zero."""
        input_price = self.price_input or 0.0
        read, write = reply.cache_read_tokens, reply.cache_write_tokens
        millionths = max(0, reply.input_tokens - read - write) * input_price
        millionths += read * (input_price if self.price_cache_read is None else self.price_cache_read)
        millionths += write * (input_price if self.price_cache_write is None else self.price_cache_write)
        return (millionths + reply.output_tokens * (self.price_output or 0.0)) / 1e6

    def check_budget(self, spent: float) -> None:
        """Raise PlannerError when an episode has cost its budget.

        Args:
            spent: US dollars.
        """
        if self.budget is not None and spent >= self.budget:
            raise PlannerError(f"The budget of the episode is spent: {spent:.4f} of {self.budget:g} US dollars.")
