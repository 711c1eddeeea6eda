"""Fault-tolerant calls of model endpoints, shared by all remote planners. Start with `remote.py`."""

from planners.llm.calls.failure import Failure
from planners.llm.calls.plainer_requests import schema_instruction
from planners.llm.calls.remote import Body, RemoteModel
from planners.llm.calls.settings import EndpointSettings, SampledSettings

__all__ = ["Body", "EndpointSettings", "Failure", "RemoteModel", "SampledSettings", "schema_instruction"]
