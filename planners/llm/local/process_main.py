"""A process that holds one model and answers the workers of a bench: `python -m planners.llm.local.process_main`.

ModelProcess --Order (JSON on stdin)--> host --> a thread for every client --> Server: one pass for questions together

It reads its order from stdin, writes `ready` to stdout once it accepts connections, and then loads the model. It exits
when its stdin closes, that is with the process that started it, however that one ends.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import traceback
from concurrent.futures import Future, wait
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from homie.kernel.errors import HomieError, InfrastructureError, PlannerError
from planners.llm.local.own_or_shared_model import Facts, OwnModel, Weights, open_weights
from planners.llm.local.process import READY
from planners.llm.local.process_client import LARGEST, answer_frame, facts_frame, read_question, refusal_frame

if TYPE_CHECKING:
    from planners.llm.local.batching import Server

PATIENCE = 0.2
"""Interval for checking whether a client is still connected while its question is answered, s."""
Loading: TypeAlias = "Future[tuple[Server, Facts]]"


def main() -> None:
    """Serve until stdin closes."""
    order = json.loads(sys.stdin.readline())
    loading: Loading = Future()
    listener = Listener(order["address"], "AF_UNIX", authkey=bytes.fromhex(order["token"]))
    threading.Thread(target=_welcome, args=(listener, loading), daemon=True).start()
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    threading.Thread(target=_load, args=(Weights(**order["weights"]), loading), daemon=True).start()
    sys.stdin.read()
    shutil.rmtree(Path(order["address"]).parent, ignore_errors=True)  # left over if the parent process was killed
    os._exit(0)  # the clients have ended as well


def _load(weights: Weights, loading: Loading) -> None:
    try:
        loading.set_result(open_weights(weights))
    except BaseException as error:
        traceback.print_exc()
        loading.set_exception(error)


def _welcome(listener: Listener, loading: Loading) -> None:
    """Accept clients with the token, forever."""
    while True:
        try:
            connection = listener.accept()
        except (AuthenticationError, EOFError, OSError):  # a client without the token, or that has disconnected
            continue
        threading.Thread(target=_serve, args=(connection, loading), daemon=True).start()


def _serve(connection: Connection, loading: Loading) -> None:
    """Serve one client until it disconnects."""
    try:
        try:
            server, facts = loading.result()
        except Exception as error:
            connection.send_bytes(refusal_frame(*_refusal(error)))
            return
        client = OwnModel(server, facts)
        connection.send_bytes(facts_frame(facts))
        while True:
            connection.send_bytes(_answer(connection, client, connection.recv_bytes(LARGEST)))
    except (EOFError, OSError):
        pass
    finally:
        connection.close()


def _answer(connection: Connection, client: OwnModel, frame: bytes) -> bytes:
    """Return the frame of an answer. Raises EOFError if the client has disconnected."""
    try:
        question, batch = read_question(frame)
    except (ValueError, KeyError, TypeError) as error:
        return answer_frame(failed=f"The model process was asked nothing that it understands: {error}.")
    promise = client.submit(question, batch)
    while not wait([promise], PATIENCE).done:
        if connection.poll():  # a waiting client sends nothing, so this is its disconnect
            question.cancelled.set()
            raise EOFError
    try:
        return answer_frame(written=promise.result())
    except PlannerError as error:
        return answer_frame(failed=str(error))


def _refusal(error: Exception) -> tuple[str, str]:
    """Return the name of an error's class in `homie.kernel.errors`, and its sentence."""
    for kind in type(error).__mro__:
        if kind.__module__ == HomieError.__module__:
            return kind.__name__, str(error)
    return InfrastructureError.__name__, f"The model cannot be loaded: {type(error).__name__}: {error}."


if __name__ == "__main__":
    main()
