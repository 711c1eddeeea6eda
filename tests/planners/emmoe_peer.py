"""EMMOE's two processes, written from a description of their messages and with nothing of Homie.

A model server whose model says what a script has, and an executor in whose world every subtask ends as a script has it.

Both read a message as the released ones do, by one `recv(1024)`, and count to 20.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import PIL.Image

ROUNDS = 20
FORMS = (
    r".*Analysis: *(.+?) *Subtask: *\[(.*?)\].*Model: *(.*?)$",
    r".*Analysis: *(.+?) *Subtask: *(.*?) *Model: *(.*?)$",
)
VIEWS = ("left", "back", "right", "front")


class ModelServer:
    """Listens for one executor and plays trials.

    Args:
        trials: For each trial the outputs of the model, by round; the last one again where there are too few.
        port: Where it listens, 0 for a free one.

    Attributes:
        heard: For each trial the rounds: the names of the pictures, their sizes and the colours of their middles, the
            message, the feedback.
        error: What has ended it before its last trial.
    """

    def __init__(self, trials: Sequence[Sequence[str]], port: int = 0) -> None:
        self._trials = trials
        self.heard: list[list[dict[str, Any]]] = []
        self.error: Exception | None = None
        self._listener = socket.create_server(("127.0.0.1", port), backlog=1)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join(60.0)
        assert not self._thread.is_alive()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        try:
            connection, _ = self._listener.accept()
            with connection:
                for outputs in self._trials:
                    self.heard.append([])
                    self._play(connection, outputs, self.heard[-1])
        except Exception as error:
            self.error = error
        finally:
            self._listener.close()

    def _play(self, connection: socket.socket, outputs: Sequence[str], received: list[dict[str, Any]]) -> None:
        inventory: list[str] = []
        for number in range(ROUNDS):
            paths = json.loads(connection.recv(1024).decode())
            pictures = [PIL.Image.open(path).convert("RGB") for path in paths]
            output = outputs[min(number, len(outputs) - 1)]
            match = next(filter(None, (re.search(form, output, re.DOTALL) for form in FORMS)), None)
            subtask = match.group(2).strip() if match else ""
            message = f"{subtask}|{match.group(3).strip()}|{' '.join(inventory) or 'None'}" if match else "End"
            connection.sendall(message.encode())
            feedback, signal = json.loads(connection.recv(1024).decode())
            connection.sendall(b"feedback received!")
            middles = [picture.getpixel((picture.width // 2, picture.height // 2)) for picture in pictures]
            received.append(
                {
                    "names": [Path(path).name for path in paths],
                    "paths": paths,
                    "sizes": [picture.size for picture in pictures],
                    "middles": middles,
                    "message": message,
                    "feedback": feedback,
                    "signal": signal,
                }
            )
            if "None" in feedback and "pick" in subtask.lower():
                inventory.append(subtask.lower().split("]")[0].split(",")[1].strip())
            if "put" in subtask.lower() and ("None" in feedback or "the object is missing" in feedback):
                inventory.pop()
            if match is None or "end" in subtask.lower():
                return


class Executor:
    """Connects to a model server and plays trials.

    Args:
        port: Of the server on this machine.
        folder: Where it works: it writes its pictures below, and sends their paths relative to it.
    """

    def __init__(self, port: int, folder: Path) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), 30.0)
        self._connection.settimeout(60.0)
        self.folder = folder

    def play(
        self, task: str, trial: int, results: Sequence[tuple[str, str]] = (("None", "success"),), most: int = ROUNDS + 1
    ) -> list[dict[str, str]]:
        """One trial: for each round the message of the server, and what the executor makes of it.

        Args:
            task: The name of its folder.
            trial: Counted from 1.
            results: Feedback and signal by round; the last one again where there are too few.
            most: The round in which it goes away without a result.
        """
        place = self.folder / "exp" / "sft" / task / str(trial)
        place.mkdir(parents=True)
        played = []
        for number in range(1, ROUNDS + 1):
            paths = [self._picture(place, number, view) for view in VIEWS]
            self._connection.sendall(json.dumps(paths).encode())
            message = self._connection.recv(1024).decode()
            if "end" in message.lower():
                played.append({"message": message, "action": "end", "item": "end"})
                self._report("None", "success")
                break
            subtask, _, inventory = (part.strip() for part in message.split("|"))
            parts = subtask.split(",")
            action, item = parts[0].strip().lower(), parts[-1].strip().lower()
            played.append({"message": message, "action": action, "item": item, "inventory": inventory})
            if number == most:
                break
            self._report(*results[min(number, len(results)) - 1])
        return played

    def close(self) -> None:
        self._connection.close()

    def _picture(self, place: Path, number: int, view: str) -> str:
        """A picture of one colour: red says the round, green the view."""
        path = place / f"subtask{number}_{view}.png"
        PIL.Image.new("RGB", (256, 256), (number, 50 * VIEWS.index(view), 0)).save(path)
        return str(path.relative_to(self.folder))

    def _report(self, feedback: str, signal: str) -> None:
        self._connection.sendall(json.dumps([feedback, signal]).encode())
        assert self._connection.recv(1024) == b"feedback received!"
