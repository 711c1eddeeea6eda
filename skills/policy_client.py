"""The client of Homie's own policy server (`skills.policy_messages`)."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np

from homie.kernel.errors import InfrastructureError
from homie.kernel.support.packages import DISTRIBUTION
from homie.kernel.types import Failure, FailureReason
from skills.policies.policy import Named, PolicyFailed, cannot_go_on
from skills.policy_codec import CodecError
from skills.policy_messages import (
    PROTOCOL,
    Hello,
    Message,
    PolicyResult,
    Problem,
    ProblemKind,
    Reset,
    Step,
    Welcome,
    WrongVersion,
    from_frame,
    to_frame,
)
from skills.policy_wire import Deadlines, ServedPolicy, ServerUnreachable, Wire


class RemotePolicy(ServedPolicy[Welcome]):
    """A policy that runs on a server of Homie; `skills.policy_wire` explains failures.

    Args:
        url: `ws://HOST:PORT`.
        token: "" for none.
        connect_seconds: timeout of the first connection.
        reply_seconds: timeout of an answer.
        reconnect_seconds: how long to try to reconnect at the start of an attempt.

    Raises:
        InfrastructureError: there is no policy server, or it has another version of the protocol.
        BadInput: the address or the token is wrong.
    """

    def __init__(
        self, url: str, *, token: str, connect_seconds: float, reply_seconds: float, reconnect_seconds: float
    ) -> None:
        self._number = 0
        super().__init__(
            url,
            {"Authorization": f"Bearer {token}"} if token else {},
            Deadlines(connect=connect_seconds, reply=reply_seconds, reconnect=reconnect_seconds),
            "`homie serve policy NAME --checkpoint PATH` starts one.",
        )

    @property
    def facts(self) -> Named:
        return self.welcome.facts

    def reset(self, goal: Named) -> None:
        self._number += 1
        super().reset(goal)

    def _greet(self, wire: Wire, seconds: float) -> Welcome:
        try:
            answer = _exchange(wire, to_frame(Hello(PROTOCOL, version(DISTRIBUTION))), seconds)
        except WrongVersion as error:
            raise InfrastructureError(_other_version(str(error))) from error
        if isinstance(answer, Welcome):
            return answer
        reason = answer.message if isinstance(answer, Problem) else f"a {answer.kind}"
        if isinstance(answer, Problem) and answer.sort == ProblemKind.VERSION:
            raise InfrastructureError(_other_version(reason))
        raise ServerUnreachable(reason)

    def _same(self, current: Welcome, previous: Welcome) -> str:
        return "" if (current.policy, current.about) == (previous.policy, previous.about) else current.policy

    def _begin(self, wire: Wire, goal: Named) -> None:
        self._finish(_exchange(wire, _pack(Reset(self._number, dict(goal))), self._deadlines.reply))

    def _decide(self, wire: Wire, inputs: Named) -> Named:
        self._number += 1
        result = self._finish(_exchange(wire, _pack(Step(self._number, dict(inputs))), self._deadlines.reply))
        for name, value in result.items():
            if np.asarray(value).dtype.kind == "f" and not np.isfinite(value).all():
                raise cannot_go_on(f"the policy on the server gives a {name} that is not finite")
        return result

    def _finish(self, answer: Message) -> Named:
        """Return the result in the answer to the last message."""
        if isinstance(answer, Problem):
            # The number -1 refers to bytes that could not be decoded: those of the last message.
            if answer.sort == ProblemKind.POLICY:
                raise PolicyFailed(_failure(answer))
            raise PolicyFailed(FailureReason.SERVER_FAILED, why=answer.message)
        if not isinstance(answer, PolicyResult) or answer.number != self._number:
            raise ServerUnreachable(f"it has answered with a {answer.kind} that was not asked for")
        return answer.result


def _exchange(wire: Wire, frame: bytes, seconds: float) -> Message:
    wire.send(frame, seconds)
    try:
        return from_frame(wire.receive(seconds))
    except WrongVersion:
        raise
    except CodecError as error:
        raise ServerUnreachable(f"its answer cannot be read: {error}") from error


def _other_version(reason: str) -> str:
    return f"The policy server is of another version: {reason} Install the same Homie on both machines."


def _failure(problem: Problem) -> str:
    """Return the failure of the policy on the server, or its text if this side does not know the reason."""
    if problem.reason not in FailureReason.__members__:
        return problem.message
    return Failure.read(FailureReason[problem.reason], problem.message)


def _pack(message: Message) -> bytes:
    try:
        return to_frame(message)
    except CodecError as error:
        raise PolicyFailed(FailureReason.MESSAGE_NOT_SENT, why=error) from error
