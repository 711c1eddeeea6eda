"""Calls that survive: what every planner behind an endpoint shares. `remote.py` is where to start."""

from planners.llm.calls.failure import Failure
from planners.llm.calls.plainer_requests import wish_for
from planners.llm.calls.remote import Body, RemoteModel
from planners.llm.calls.settings import EndpointSettings, SampledSettings

__all__ = ["Body", "EndpointSettings", "Failure", "RemoteModel", "SampledSettings", "wish_for"]
