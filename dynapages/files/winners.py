"""The newest version of each id in a file, found with a bit of memory for each row.

What is known of each row is written to temporary files, each of which has the rows of some ids, and
is then looked at by itself. So a file of ten million rows takes a megabyte, and 300 MB of the disk
for a while.
"""

from collections.abc import Iterator
from hashlib import blake2b
from struct import Struct
from tempfile import SpooledTemporaryFile
from typing import Self

Version = tuple[str, int]
"""The id of a row, and a number that is greater for a newer version; of two alike the last wins."""
_ID_DIGEST_BYTES = 12
_ENTRY = Struct(f">{_ID_DIGEST_BYTES}sqQ")
"""The digest of an id, the number of its version, and that of its row."""
_BUCKETS = 64
"""Temporary files: of ten million rows each has 160,000."""
_BUCKET_IN_MEMORY = 64 * 1024
"""Bytes up to which a bucket is no file yet."""
_READ_AT_A_TIME = _ENTRY.size * 4_096
_BITS = 8


class Winners:
    """The numbers of the rows that are the newest of their ids, as bits."""

    def __init__(self) -> None:
        self._bits = bytearray()
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def __contains__(self, row: int) -> bool:
        index, bit = divmod(row, _BITS)
        return index < len(self._bits) and bool(self._bits[index] >> bit & 1)

    def add(self, row: int) -> None:
        """Add the number of a row, once."""
        index, bit = divmod(row, _BITS)
        if index >= len(self._bits):
            self._bits.extend(bytes(index + 1 - len(self._bits)))
        self._bits[index] |= 1 << bit
        self._number += 1


class Versions:
    """The versions in a file's rows, within a ``with`` block."""

    def __init__(self) -> None:
        self._buckets: list[SpooledTemporaryFile[bytes]] = []
        for _ in range(_BUCKETS):
            bucket = SpooledTemporaryFile(_BUCKET_IN_MEMORY)  # noqa: SIM115 - closed at the end
            self._buckets.append(bucket)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for bucket in self._buckets:
            bucket.close()

    def offer(self, version: Version, *, row: int) -> None:
        """Add the version in a row, by its number in the file."""
        row_id, order = version
        digest = blake2b(row_id.encode(), digest_size=_ID_DIGEST_BYTES).digest()
        bucket = self._buckets[digest[0] % _BUCKETS]
        bucket.write(_ENTRY.pack(digest, order, row))

    def winners(self) -> Winners:
        """Return the rows of which no version that was offered is newer."""
        winners = Winners()
        for bucket in self._buckets:
            newest: dict[bytes, tuple[int, int]] = {}
            for digest, order, row in _entries_of(bucket):
                if digest not in newest or newest[digest] < (order, row):
                    newest[digest] = order, row
            for _, row in newest.values():
                winners.add(row)
        return winners


def _entries_of(bucket: "SpooledTemporaryFile[bytes]") -> Iterator[tuple[bytes, int, int]]:
    """Yield the entries of a bucket, from its start."""
    bucket.seek(0)
    while chunk := bucket.read(_READ_AT_A_TIME):
        yield from _ENTRY.iter_unpack(chunk)
