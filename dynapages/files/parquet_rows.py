"""Records of Parquet, which `parquet_process` reads, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dynapages.files.json_rows import JsonRecords
from dynapages.files.lines import FileUnreadable
from dynapages.files.records import Record, Rejected

MAGIC = b"PAR1"
MOST_MEMORY = 512 * 1024 * 1024
"""Bytes that the process may have, 120 MB of pyarrow's own included."""
NEEDS_MORE = f"needs more than {MOST_MEMORY // 1024**2} MB of memory to be read."


class ParquetRows(JsonRecords):
    """The rows of a file, numbered from 1 where others have lines, and its ``columns``.

    Moments, dates and times are in ISO 8601 and UTC; decimals and bytes are texts. Raises
    FileUnreadable where pyarrow is missing, the file is damaged, or it needs more memory.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        if find_spec("pyarrow") is None:
            raise FileUnreadable(
                f"{path} is a Parquet file, which pyarrow reads: pip install pyarrow."
            )
        self._path = path
        self._process = _start(path)
        self._messages = self._received()
        self._done = 0
        try:
            about = next(self._messages)
        except FileUnreadable:
            self.close()
            raise
        self._rows: int = about["rows"]
        self.add(about["columns"])

    def bytes_read(self) -> int:
        """Return the share of the file's bytes that the rows read so far have of all rows."""
        return self._path.stat().st_size * self._done // max(self._rows, 1)

    def __iter__(self) -> Iterator[Record | Rejected]:
        for message in self._messages:
            self._done += 1
            if isinstance(message, str):
                yield Rejected(self._done, message)
            else:
                yield self.record(self._done, message, "the row")

    def close(self) -> None:
        """End the process."""
        with self._process:
            self._process.kill()

    def _received(self) -> Iterator[Any]:
        for line in self._process.stdout or ():
            if line.endswith(b"\n"):
                message = json.loads(line)
                if isinstance(message, list):
                    raise FileUnreadable(f"{self._path} {message[0]}")
                yield message
        if self._process.wait():
            # What was written in C++ may end the process where it gets no more memory.
            raise FileUnreadable(f"{self._path} is damaged, or {NEEDS_MORE}")


def _start(path: Path) -> subprocess.Popen[bytes]:
    # Without -P and the empty path, files of the current folder could stand for modules.
    modules = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "dynapages.files.parquet_process", path.absolute()],
        env=os.environ | {"PYTHONPATH": modules, "ARROW_DEFAULT_MEMORY_POOL": "system"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for this process, which then ends the other
    )
