"""`homie serve` refuses what cannot be served, before it listens."""

from __future__ import annotations

import pytest

pytest.importorskip("websockets")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["robt", "m3"], "There is no command 'robt':"),
        (["robot", "franca"], "Unknown robot 'franca': did you mean 'franka'?"),
        (["robot", "franka:pick", "--listen", "tcp://0.0.0.0:1"], "listens on this machine only, not at 0.0.0.0"),
        (["robot", "franka:pick", "--listen", "unix:nowhere/robot"], "Cannot listen at unix:nowhere/robot"),
        (["ros", "--profile", "fetsch"], "There is no robot profile 'fetsch': did you mean 'fetch'?"),
        (["policy", "octto"], "Unknown skill set 'octto': did you mean 'octo'?"),
        (["policy", "tiny"], "The skill set 'tiny' has no policy that could be served."),
        (["policy", "octo"], "The skill set 'octo' has no checkpoint: give what would follow the colon"),
        (["policy", "nomad"], "as `--checkpoint PATH`."),
        (["policy", "m3", "--checkpoint", "nowhere"], "There is no nowhere"),
        (["policy", "m3", "--host", "0.0.0.0"], "needs a token"),
        (["policy", "m3", "--skill-option", "speed=1"], "A setting of a skill set is SET.NAME"),
        (["policy", "m3,octo"], "One skill set is served"),
    ],
)
def test_what_can_not_be_served_is_refused_in_a_sentence(homie, arguments, message):
    port = ("--port", "0") if arguments[0] == "policy" else ()
    completed = homie("serve", *arguments, *port, HOMIE_POLICY_TOKEN="")
    assert completed.returncode == 2
    assert message in completed.stderr and "Traceback" not in completed.stderr
    assert completed.stdout == ""


@pytest.mark.slow
def test_a_remote_without_an_address_or_a_server(homie):
    for argument, code in (("remote", 2), ("remote:localhost", 2), ("remote:ws://127.0.0.1:9", 4)):
        completed = homie("run", "go to the kitchen", "--skills", argument, "--no-video")
        assert completed.returncode == code, completed.stderr
        assert "policy server" in completed.stderr and "Traceback" not in completed.stderr
