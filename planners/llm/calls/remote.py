"""Base class of models behind an endpoint, common to chat completions and Claude's messages.

Request --cache--> Reply
   |  body(form)                      forms: from the strictest to plain text; a refused form is not used again
   v
 call (retries) --> send, within its timeout --> Reply --> account, cache
"""

from __future__ import annotations

import errno
import json
import os
import random
import re
import ssl
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ValidationError

from homie.kernel.errors import BadInput, PlannerError
from planners.llm.calls.address_and_key import check_url, check_variable
from planners.llm.calls.base64_images import Pictures
from planners.llm.calls.body_parsing import error_message, parse
from planners.llm.calls.cache import ResponseCache, has_answers, request_key
from planners.llm.calls.endpoint import shared_endpoint
from planners.llm.calls.failure import (
    Failure,
    about_form,
    describe_invalid_field,
    describe_tls_error,
    hide_key,
    innermost,
    not_json,
    reason,
    status_failure,
)
from planners.llm.calls.http_requests import within
from planners.llm.calls.network_retries import call
from planners.llm.calls.plainer_requests import merge_system_messages
from planners.llm.calls.settings import EndpointSettings
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.setting_advice import advice_for

Body = dict[str, Any]
_MARK_ERROR = re.compile(r"prompt_?cache|cache_control", re.IGNORECASE)
_REASON = 60
"""Maximum characters of a reply's finish reason."""
_ROLE_ERROR = re.compile(
    r"system.{0,20}\brole\b|\brole\b.{0,20}system|system.?(?:message|prompt|instruction)s?\b.{0,30}"
    r"(?:not|n't|un)\b.{0,4}(?:supported|allowed|enabled|accepted|available|permitted)"
    r"|(?:not|n't).{0,10}support.{0,20}\bsystem|developer instruction is not enabled|roles must alternate"
    r"|alternat\w+ (?:between )?(?:user|role)|\bonly\b.{0,20}\buser\b.{0,20}\bassistant\b",
    re.IGNORECASE,
)
"""Errors of models whose chat template has no system role (Gemma 2, early Mistral)."""
BodyT = TypeVar("BodyT", bound=BaseModel)


class RemoteModel(LanguageModel):
    """Base class: subclasses build the body of a request and send it. Raises BadInput for a missing key or setting.

    Args:
        name: The endpoint's name of the model.
        variable: The environment variable of the key, "" for none.
    """

    forms: ClassVar[tuple[str, ...]]
    """Ways to request a schema, the strictest first, `text` last."""
    plainer: ClassVar[str] = ""
    """The setting that turns schemas off, "" for none."""

    def __init__(self, name: str, settings: EndpointSettings, *, base_url: str, variable: str, first_form: str) -> None:
        self.name = name
        self.settings = settings
        url, host = check_url(settings.base_url or base_url)
        self.endpoint = shared_endpoint(url, host)
        self.variable = check_variable(settings.api_key_env) if settings.api_key_env else variable
        self.pictures = Pictures(settings.image_format)
        self._first_form = self.forms.index(first_form)
        if settings.cache is None or not has_answers(settings.cache, name):
            self._key()  # fail now instead of in the middle of a run; cached answers need no key
        self._cache = ResponseCache(settings.cache) if settings.cache else None
        if settings.budget is not None and not settings.known:
            raise BadInput("budget needs to know what tokens cost: give price_input and price_output too.")
        self.reset(seed=0)

    def reset(self, *, seed: int) -> None:
        self.seed = seed
        self.spent = 0.0
        self._rng = random.Random(seed)

    def complete(self, request: Request) -> Reply:
        """Answer, from the cache if possible. Raises PlannerError, also when the episode's budget is spent."""
        self.pictures = Pictures(self.settings.image_format)
        whole_request = request
        if (known := self._cached_reply(request)) is not None:
            return known
        while True:
            request = self._with_supported_roles(whole_request)
            form = self._form(request)
            body = self.body(request, form)
            self.settings.check_budget(self.spent)
            marked_body = self.mark_cached_prefix(body, request) if self._uses_marks else body
            try:
                reply = call(
                    self.endpoint, self.settings, self._rng, partial(self._attempt, request, form, marked_body)
                )
            except Failure as failure:
                if not (
                    self._drop_marks(failure)
                    or self._drop_system_role(request, failure)
                    or self._degrade(request, form, failure)
                ):
                    raise PlannerError(f"{failure}.") from None
                continue
            form_name = form if request is whole_request else f"{form}, no system role"
            return self._account(body, replace(reply, asked=form_name))

    def advice(self, reply: Reply) -> str:
        s = self.settings
        suggestion = f"--set max_tokens={2 * s.max_tokens}"
        if s.reasoning is None:
            suggestion = f"{suggestion} (a model that reasons: --set reasoning=low)"
        else:
            suggestion = f"--set reasoning_tokens={2 * max(s.reasoning_tokens, 1024)}, or a lower --set reasoning"
        return advice_for(reply, suggestion, self.plainer if self.form != "text" else "")

    @property
    def form(self) -> str:
        """The current answer form: the first, or a simpler one if the endpoint does not support it."""
        return self.forms[self._form_index()]

    def describe(self) -> Mapping[str, object]:
        s = self.settings
        cache_prices = {"cache_read": s.price_cache_read, "cache_write": s.price_cache_write}
        token_prices = {
            "input": s.price_input,
            "output": s.price_output,
            **{k: v for k, v in cache_prices.items() if v is not None},
        }
        prices = token_prices if s.known else "not known: cost counts as 0"
        limits = ("max_tokens", "image_format", "timeout", "deadline", "retries", "budget", "prompt_cache")
        return {
            "name": self.name,
            "endpoint": self.endpoint.url,
            "structured": self.forms[self._first_form],
            **{limit: getattr(s, limit) for limit in limits},
            "reasoning": s.reasoning and {"effort": s.reasoning, "tokens": s.reasoning_tokens},
            "prices": prices,
            "cache": s.cache is not None,
        }

    # ------------------------------------------------------------ protocol, implemented by subclasses

    @abstractmethod
    def body(self, request: Request, form: str) -> Body:
        """Return the JSON-ready request: model, parameters, texts, images. Without keys."""

    def mark_cached_prefix(self, body: Body, request: Request) -> Body:
        """Return the body with the provider's marks for prefix caching of the system messages. The marks do not change
        the request, so the cache on disk uses the body without them as the key."""
        return body

    @abstractmethod
    async def send(self, body: Body, key: str) -> Reply:
        """Send once, without the SDK's own retries; cancelled at its deadline. Raises Failure."""

    # ------------------------------------------------------------ helpers for subclasses

    def refused(self, status: int, headers: Mapping[str, str], body: object, *, hint: str = "") -> Failure:
        """Return the failure for an HTTP status of the endpoint.

        Args:
            status: The HTTP status, 400 or more.
            headers: Of the response; they may contain a time to wait.
            body: Of the response, JSON or text.
            hint: Advice to append to the endpoint's message, "" for none.
        """
        host = self.endpoint.host
        if status == 401:
            if not self.variable:
                return Failure(f"{host} wants an API key (401): name its variable with --api-key-env", again=False)
            return Failure(f"{host} refuses the API key in {self.variable} (401): set the right one", again=False)
        if status == 404:
            url = self.endpoint.url
            return Failure(f"{host} has no model '{self.name}', or its API is not at {url} (404)", again=False)
        return status_failure(host, status, headers, body, key=self._key(), hint=hint)

    def unreachable(self, error: Exception) -> Failure:
        """Return the failure for a connection that could not be established or was lost."""
        import httpx2

        from planners.llm.calls.answer_limits import OversizedAnswer

        cause = error.__cause__ or error
        host = self.endpoint.host
        if isinstance(cause, OversizedAnswer | httpx2.DecodingError):
            return Failure(f"{host} sends no answer that can be read: {cause}", again=True)
        if isinstance(inner := innermost(cause), ssl.SSLError):
            return Failure(f"Cannot reach {host} securely: {describe_tls_error(inner)}", again=False, answered=False)
        if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
            # An endpoint that never answered has a wrong address; one that has may be restarting.
            known = self.endpoint.answered
            is_refused = getattr(innermost(cause), "errno", None) == errno.ECONNREFUSED
            hint = " (is a server running there? --base-url sets its address)" if is_refused and not known else ""
            return Failure(f"Cannot reach {host}: {reason(cause)}{hint}", again=known, answered=False)
        return Failure(f"Lost the connection to {host}: {reason(cause)}", again=True, answered=False)

    def parse_body(self, kind: type[BodyT], text: str) -> BodyT:
        """Parse the body of a response with status 200. Raises Failure if it is invalid or contains an error."""
        try:
            body = parse(text)
        except ValueError:
            raise self.garbage(not_json(text)) from None
        content = body[0] if isinstance(body, list) and len(body) == 1 else body
        if isinstance(content, Mapping) and content.get("error"):
            raise self.error_inside(content)
        try:
            return kind.model_validate(content)
        except ValidationError as error:
            raise self.garbage(describe_invalid_field(error)) from None
        except RecursionError:
            raise self.garbage("it is nested too deeply") from None

    def error_inside(self, body: Mapping[str, Any]) -> Failure:
        """Return the failure for an `error` in a body with status 200, sent by gateways when their upstream fails."""
        message = hide_key(error_message(body), self._key())
        inner = body["error"]
        codes = [inner.get(key) for key in ("code", "status", "status_code")] if isinstance(inner, Mapping) else []
        code = next((int(code) for code in map(str, codes) if code.isdecimal() and 400 <= int(code) < 600), 0)
        if code:
            return self.refused(code, {}, body)
        words = f": {' '.join(message.split()).rstrip('.')[:300]}" if message.strip() else ""
        return Failure(f"{self.endpoint.host} answers with an error{words}", again=True, form=about_form(message))

    def garbage(self, problem: str) -> Failure:
        """Return the failure for an invalid response.

        Args:
            problem: Why it is invalid.
        """
        sentence = (
            f"{self.endpoint.host} answers with something that is not an answer of its API: {problem} (is "
            f"{self.endpoint.url} right?)"
        )
        return Failure(sentence, again=True)

    # ------------------------------------------------------------ steps of a call

    def _attempt(self, request: Request, form: str, body: Body, seconds: float) -> Reply:
        key = self._key()
        try:
            reply = within(seconds, lambda: self.send(body, key))
        except Failure as failure:
            if (failure.form and self._next_form(request, form)) or self._is_role_error(request, failure):
                failure.again = False  # a changed request helps, a retry does not
            raise
        text, reasoning, reason = (hide_key(field, key) for field in (reply.text, reply.reasoning, reply.reason))
        return _strip_padding(replace(reply, text=text, reasoning=reasoning, reason=reason[:_REASON]))

    def _key(self) -> str:
        """Return the API key, "" if none is needed. Raises BadInput if it is missing."""
        if not self.variable:
            return ""
        key = os.environ.get(self.variable, "").strip()
        if not key:
            raise BadInput(
                f"{self.endpoint.host} needs an API key: set the environment variable {self.variable}, "
                "or name another with --api-key-env."
            )
        return key

    def _form_index(self) -> int:
        return max(self._first_form, self.endpoint.forms.get(self.name, 0))

    def _form(self, request: Request) -> str:
        return self.form if request.schema is not None else "text"

    @property
    def _uses_marks(self) -> bool:
        return self.settings.prompt_cache and self.name not in self.endpoint.unmarked

    def _drop_marks(self, failure: Failure) -> bool:
        """Stop sending marks if the error is about them, as with older models; return whether it is."""
        if not (self._uses_marks and _MARK_ERROR.search(str(failure))):
            return False
        self.endpoint.unmarked.add(self.name)
        return True

    def _with_supported_roles(self, request: Request) -> Request:
        """Return the request, with system messages merged into the user's if the model has no system role."""
        return merge_system_messages(request) if self.name in self.endpoint.without_system else request

    def _is_role_error(self, request: Request, failure: Failure) -> bool:
        """Return whether the error of an endpoint is about the system role, which can be left out."""
        has_system = any(message.role == "system" for message in request.messages)
        return has_system and len(request.messages) > 1 and bool(_ROLE_ERROR.search(str(failure)))

    def _drop_system_role(self, request: Request, failure: Failure) -> bool:
        """Stop using the system role for this model of this endpoint in all episodes of this process; return False if
        that does not help."""
        if not self._is_role_error(request, failure):
            return False
        if self.name not in self.endpoint.without_system:
            self.endpoint.without_system.add(self.name)
            warnings.warn(
                f"{failure}. From now on {self.name} gets the system message as part of the first user message.",
                stacklevel=2,
            )
        return True

    def _next_form(self, request: Request, form: str) -> int:
        """Return the index of the next simpler form, 0 if there is none."""
        place = self.forms.index(form) + 1
        return 0 if request.schema is None or place == len(self.forms) else place

    def _degrade(self, request: Request, form: str, failure: Failure) -> bool:
        """Use the next simpler form for this model of this endpoint in all episodes of this process; return False if
        that does not help."""
        place = self._next_form(request, form)
        if not (failure.form and place):
            return False
        if self.endpoint.forms.get(self.name, 0) < place:
            self.endpoint.forms[self.name] = place
            warnings.warn(f"{failure}. From now on {self.name} is asked with {self.forms[place]}.", stacklevel=2)
        return True

    def _cached_reply(self, request: Request) -> Reply | None:
        """Return the cached reply for the current form, or for a simpler form that an earlier run had to use."""
        if self._cache is None:
            return None
        forms = self.forms[self._form_index() :] if request.schema is not None else ("text",)
        for form in forms:
            bodies = (
                self.body(variant, form)
                for variant in (self._with_supported_roles(request), merge_system_messages(request))
            )
            for key in dict.fromkeys(request_key(self.endpoint.url, self.seed, body) for body in bodies):
                if (reply := self._cache.get(key)) is not None:
                    return reply
        return None

    def _account(self, body: Body, reply: Reply) -> Reply:
        if self.settings.known:
            reply = replace(reply, cost=self.settings.cost(reply))
            self.spent += reply.cost
        if self._cache is not None:
            self._cache.put(request_key(self.endpoint.url, self.seed, body), self.name, reply)
        return reply


def _strip_padding(reply: Reply) -> Reply:
    """Strip trailing blanks of a complete JSON answer that reached the token limit, and mark it as finished.

    Models under a JSON grammar tend to pad their answers with blanks."""
    text = reply.text.rstrip()
    if reply.finish != "length" or text == reply.text:
        return reply
    try:
        is_complete = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return reply
    return replace(reply, text=text, finish="stop") if is_complete else reply
