"""Error detection: one file per layer, one table of sentences, two orders of checks.

`paper_order` is that of the EMMOE paper (appendix E.1): format, logical, distance. `code_order` is that of the
official code: F1, L1/L2, L3, L4, F2, D. Both are sequences of `homie.kernel.interfaces.ErrorCheck`; the executor stops
official code: F1, L1/L2, L3, L4, F2, D. Both are sequences of `homie.kernel.interfaces.ErrorCheck`; the executor stops
"""

from __future__ import annotations

from error_detection import execution, further_sentences
from error_detection.layer_order import code_order, paper_order
from error_detection.layers import LayerCheck

__all__ = ["LayerCheck", "code_order", "execution", "further_sentences", "paper_order"]
