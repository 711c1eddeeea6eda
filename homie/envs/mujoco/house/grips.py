"""Welds by which a hand holds a thing: a robot's, and a person's."""

from __future__ import annotations

import mujoco
import numpy as np

SOLREF, SOLIMP = [0.008, 1.0], [0.99, 0.999, 0.001, 0.5, 2.0]
"""Much stiffer than MuJoCo's default, with which things turn by ten degrees in the hand."""


def weld_here(model: mujoco.MjModel, data: mujoco.MjData, equality: int, holder: int, body: int) -> None:
    """Weld a body to the body that holds it, where both are.

    Args:
        equality: The id of a weld of the model.
    """
    frame = data.xmat[holder].reshape(3, 3)
    model.eq_obj1id[equality], model.eq_obj2id[equality] = holder, body
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, (frame.T @ data.xmat[body].reshape(3, 3)).flatten())
    offset = frame.T @ (data.xpos[body] - data.xpos[holder])
    model.eq_data[equality, :11] = [0, 0, 0, *offset, *quat, 1.0]
    data.eq_active[equality] = 1
