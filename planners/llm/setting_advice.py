"""Advice on settings that help against unreadable replies of a model."""

from __future__ import annotations

import re

from planners.llm.messages import Reply

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)


def advice_for(reply: Reply, more: str, plainer: str = "") -> str:
    """Return a sentence about a reply that was cut off, declined or empty; "" for others.

    Args:
        reply: the reply.
        more: setting that allows more tokens, such as `--set max_tokens=4096`.
        plainer: setting that needs fewer features of the endpoint, such as `--set structured=text`; "" for none.

    Example:
        >>> advice_for(Reply("", "Let me see", finish="length"), "--set max_tokens=4096")
        'The model used all its tokens for thoughts and gave no answer: allow more with --set max_tokens=4096.'
    """
    has_text = bool(_THOUGHT.sub("", reply.text).strip())
    if reply.finish == "length" and has_text:
        return f"The answer was cut off at the limit of tokens: allow more with {more}."
    has_thoughts = bool(reply.reasoning.strip() or reply.text.strip())
    if reply.finish == "length" and has_thoughts:
        return f"The model used all its tokens for thoughts and gave no answer: allow more with {more}."
    if reply.finish == "length":
        return f"The model used all its tokens and the reply has no text: allow more with {more}."
    reason = f" ('{reply.reason}')" if reply.reason else ""
    if reply.finish == "refusal":
        return f"The model or a filter of its endpoint declined to answer{reason}: change the filter or the model."
    if has_text and reply.finish == "unknown":
        return f"The answer ended for a reason that is not known{reason}: it may not be whole, see the server's log."
    if has_text:
        return ""
    asks = f", or ask with {plainer}" if plainer else ""
    if has_thoughts:
        return (
            "The reply has reasoning but no answer: start the server without its reasoning parser (vLLM, SGLang: "
            f"--reasoning-parser){asks}."
        )
    return f"The reply has no text{reason}: see the server's log{asks}."
