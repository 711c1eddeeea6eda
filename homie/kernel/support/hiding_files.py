"""Detection of user files that Python imports in place of modules that Homie needs.

This module imports almost nothing: it is used after a failed import of the command line.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder


def hiding_file(error: BaseException) -> str:
    """Return a message if an exception names a module of the current folder that hides one of Python or of a package;
    "" for any other exception."""
    current_folder = os.path.realpath(os.getcwd())
    if os.path.realpath(__file__) == os.path.join(
        current_folder, "homie", "kernel", "support", os.path.basename(__file__)
    ):
        return ""  # a checkout of Homie itself
    other_places = [place for place in sys.path if os.path.realpath(place or current_folder) != current_folder]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if "." in name or f"'{name}" not in str(error) or not isinstance(file, str):
            continue
        folder = os.path.dirname(os.path.realpath(file))
        if os.path.basename(file) == "__init__.py":
            folder, file = os.path.dirname(folder), os.path.dirname(file)
        if folder == current_folder and PathFinder.find_spec(name, other_places) is not None:
            return f"{os.path.basename(file)} of this folder hides the module '{name}', which Homie needs: rename it."
    return ""
