"""Strip an answer of its chat format (reasoning, channels, tags, tokens), and reject texts without an answer.

raw text --> without reasoning --> without turn tokens --> without tags of answers and tool calls --> text to parse
"""

from __future__ import annotations

import json
import re

from planners.llm.reading.other_notations import replace_xml_calls, unbox
from planners.llm.reading.rules import Rules, UnclearAnswer

_THOUGHTS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<analysis>", "</analysis>"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)
"""Marks of reasoning: DeepSeek, Qwen, GLM, Claude in prompts, Seed, OpenThinker, Magistral, Kimi."""
_OPENS = {opening.lower(): number for number, (opening, _) in enumerate(_THOUGHTS)}
_CLOSES = {closing.lower(): number for number, (_, closing) in enumerate(_THOUGHTS)}
_THOUGHT = re.compile("|".join(map(re.escape, (*_OPENS, *_CLOSES))), re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>\s*final\b(?:[^<]|<\|constrain\|>){0,60}<\|message\|>")
"""The channel of gpt-oss with the answer; `analysis` and `commentary` are other channels."""
_CHANNEL = "<|channel|>"

_MARKS = "\u00a0\u00ad\u180e\u200b-\u200f\u202f\u2060-\u2064\u3000\ufeff"
_INVISIBLE = re.compile(
    rf"^[{_MARKS}]+|[{_MARKS}]+$|[{_MARKS}]+(?=[\s{_MARKS}]*[{{\[])|(?<=[}}\]])[{_MARKS}]+", re.MULTILINE
)
"""No-break and zero-width spaces, byte order marks and soft hyphens around an answer."""
_START = re.compile(
    r"\s*(?:<s>|<bos>|<\|begin_of_text\|>|<\|im_start\|>\s*assistant|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"
    r"|<start_of_turn>\s*model|<\|assistant\|>|<\|start\|>assistant|\[/INST\]|(?:assistant|model)\s*[:：](?=\s*[\n{\[<]))"
    r"\s*",
    re.IGNORECASE,
)
_END = re.compile(
    r"</s>|<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<\|endoftext\|>|<end_of_turn>|<\|end\|>|<\|return\|>|<\|end_of_text\|>"
    r"|<eos>|<pad>|<end_of_utterance>|<｜end▁of▁sentence｜>|<\|endofassistant\|>|<\|call\|>|\[EOS\]|<\|user\|>",
    re.IGNORECASE,
)
_ANSWER_TAG = re.compile(
    r"</?(?:answer|final_answer|final|output|response|result|json)>|<\|(?:begin|end)_of_(?:box|solution)\|>",
    re.IGNORECASE,
)
_TOOL_TAG = re.compile(
    r"</?(?:tool_calls?|function_calls?|tool_use)>|\[/?TOOL_CALLS\]|<\|python_tag\|>|<\|/?tool_calls?\|>"
    r"|<｜tool▁calls?▁(?:begin|end)｜>",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^[ \t]{0,4}(?:#{1,4} ?)?(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|\[INST\]|"
    r"(?:user|human|instruction|environment|observation|system)(?:\s*[:：]|[ \t]*$))",
    re.IGNORECASE | re.MULTILINE,
)
"""Beginning of another speaker's turn: a model that does not stop hallucinates the next round."""
_PROMPT_LINE = re.compile(
    r"^[ \t*_>-]{0,6}(task|inventory|history|historical execution|feedback)[*_]{0,2}[ \t]{0,3}[:：]",
    re.IGNORECASE | re.MULTILINE,
)
"""Lines of the prompt, which some models repeat."""


def clean_answer(text: str, rules: Rules) -> str:
    """Strip the chat format around the answer. Raises UnclearAnswer if there is no answer, or more than one turn."""
    text = _strip_invisible(text.lstrip("\ufeff"), rules)
    if _is_json(text):
        return text
    text = _strip_turn_tokens(_strip_thoughts(_final_channel(text, rules), rules), rules)
    text = unbox(replace_xml_calls(text, rules), rules)
    for pattern, rule in ((_ANSWER_TAG, "wrapper"), (_TOOL_TAG, "tool-call")):
        if pattern.search(text):
            rules.use(rule)
            text = pattern.sub("\n", text)
    if _TURN.search(text):
        raise UnclearAnswer("The answer goes on with somebody else's turn.")
    if len({match[1].lower() for match in _PROMPT_LINE.finditer(text)}) > 1:
        raise UnclearAnswer("The answer repeats the question.")
    return text


def _strip_invisible(text: str, rules: Rules) -> str:
    """Remove invisible characters at the ends of lines and next to brackets; those in names stay."""
    visible_text = _INVISIBLE.sub(" ", text)
    if visible_text != text:
        rules.use("invisible")
    return visible_text


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list | str)
    except (ValueError, RecursionError):
        return False


def _final_channel(text: str, rules: Rules) -> str:
    if _CHANNEL not in text:
        return text
    finals = list(_FINAL.finditer(text))
    if not finals:
        raise UnclearAnswer("The answer has thoughts only, nothing in its final channel.")
    rules.use("thought")
    return text[finals[-1].end() :]


def _strip_thoughts(text: str, rules: Rules) -> str:
    """Remove reasoning. Text before a closing mark without an opening one is reasoning too, because some chat templates
    write the opening mark into the prompt. Raises UnclearAnswer for reasoning that is not closed."""
    passages: list[str] = []
    at, opening_end = 0, -1
    marks = list(_THOUGHT.finditer(text))
    for mark in marks:
        name = mark.group().lower()
        if name in _OPENS:
            if opening_end < 0:
                passages.append(text[at : mark.start()])
                opening_end = _OPENS[name]
        elif opening_end < 0 or _CLOSES[name] == opening_end:
            if opening_end < 0:
                passages.clear()
            at, opening_end = mark.end(), -1
    if opening_end >= 0:
        raise UnclearAnswer("The answer is a thought that does not end.")
    if marks:
        rules.use("thought")
    return "".join([*passages, text[at:]])


def _strip_turn_tokens(text: str, rules: Rules) -> str:
    """Remove the tokens that begin and end a turn. Raises UnclearAnswer if text follows the end token."""
    if start := _START.match(text):
        rules.use("turn-token")
        text = text[start.end() :]
    if end := _END.search(text):
        rules.use("turn-token")
        trailing = _END.sub("", text[end.start() :])
        if trailing.strip(" \t\r\n`*\"'}"):
            raise UnclearAnswer("The answer goes on after its end.")
        text = text[: end.start()] + trailing
    return text
