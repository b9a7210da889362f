"""Streams: a table's changes, read in order and at least once."""

from dynapages.streams.walk import (
    Checkpoint,
    MemoryCheckpoints,
    NoStream,
    Record,
    StreamWalk,
    TableCheckpoints,
    stream_of,
)

__all__ = [
    "Checkpoint",
    "MemoryCheckpoints",
    "NoStream",
    "Record",
    "StreamWalk",
    "TableCheckpoints",
    "stream_of",
]
