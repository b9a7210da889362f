"""Streams: a table's changes, read in order and at least once."""

from dynapages.streams.walk import (
    Checkpoint,
    NoStream,
    Record,
    StreamWalk,
    TableCheckpoints,
    stream_of,
)

__all__ = [
    "Checkpoint",
    "NoStream",
    "Record",
    "StreamWalk",
    "TableCheckpoints",
    "stream_of",
]
