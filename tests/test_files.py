"""Files that survive what happens to them."""

from __future__ import annotations

import subprocess
import sys

FULL = """
import resource, sys
from pathlib import Path
from homie.files import write_atomically
write_atomically(Path("page.html"), b"the first")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_atomically(Path("page.html"), b"x" * 1000)
except OSError as error:
    print(error.errno)
"""


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "27"  # EFBIG
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == b"the first"
