"""Arrays by what their numbers are."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Image: TypeAlias = NDArray[np.uint8]
Depth: TypeAlias = NDArray[np.float32]
Mask: TypeAlias = NDArray[np.bool_]
