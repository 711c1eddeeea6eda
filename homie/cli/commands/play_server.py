"""`homie play-server`: a person answers a planner's questions in a browser and sees exactly what a model would see."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from homie.cli.output import print_json, say, tell
from homie.kernel import registry

Option = typer.Option


def play_server_command(
    host: Annotated[str, Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8808,
    token_env: Annotated[
        str, Option(help="An environment variable with a token of your own (default: one made for this once).")
    ] = "HOMIE_PLAY_TOKEN",
    json: Annotated[bool, Option("--json", help="Print one JSON object on stdout when it is ready.")] = False,
) -> None:
    """Answer planners' questions yourself, in a browser, until Ctrl-C."""
    serve = registry.load("pages", "play")

    def ready(server: Any) -> None:
        if json:
            print_json({"page": server.page, "base_url": server.base_url, "token": server.token})
        else:
            say(_how_to(server.page, server.base_url, server.token, token_env))
        tell("Ctrl-C ends it.")

    serve(host=host, port=port, token_env=token_env, ready=ready)


def _how_to(page: str, base_url: str, token: str, variable: str) -> str:
    """Return the address of the page, and the command that asks the person."""
    return (
        f"Open this page and answer there:\n  {page}\n"
        "Ask it from another terminal:\n"
        f"  export {variable}={token}\n"
        f'  homie run "put the apple in the bowl" --planner chat:person --base-url {base_url} \\\n'
        f"    --api-key-env {variable} --set timeout=3600 --set deadline=3600"
    )
