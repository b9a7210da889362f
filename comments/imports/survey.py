"""The first pass over a file: how many rows it has, and which version of each comment wins."""

from datetime import UTC, datetime
from hashlib import blake2b

from comments.items import NewComment

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ROW_BITS = 40


class Winners:
    """Remembers, for each comment id, its newest row; at equal dates its last one.

    About 150 bytes for each id, whatever its length: a digest of the id, and one number that
    holds the date (first) and the row, so that the greater number wins.
    """

    def __init__(self) -> None:
        self._versions: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._versions)

    def offer(self, comment: NewComment, *, row: int) -> None:
        """Take note of a version."""
        key, version = _key(comment), _version(comment, row)
        if version > self._versions.get(key, version - 1):
            self._versions[key] = version

    def is_winner(self, comment: NewComment, *, row: int) -> bool:
        """Tell whether no version that was offered is newer than this one."""
        return self._versions.get(_key(comment)) == _version(comment, row)


def _key(comment: NewComment) -> bytes:
    return blake2b(comment.id.encode(), digest_size=12).digest()


def _version(comment: NewComment, row: int) -> int:
    age = comment.created_at - _EPOCH
    seconds = age.days * 86_400 + age.seconds
    return (seconds * 1_000_000 + age.microseconds) << _ROW_BITS | row
