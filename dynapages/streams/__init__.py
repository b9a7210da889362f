"""Streams: a table's changes, read in order and at least once."""

from dynapages.streams.checkpoints import MemoryCheckpoints, TableCheckpoints
from dynapages.streams.walk import (
    NoStream,
    Record,
    StreamsApi,
    StreamWalk,
    build_streams_client,
    stream_of,
)

__all__ = [
    "MemoryCheckpoints",
    "NoStream",
    "Record",
    "StreamWalk",
    "StreamsApi",
    "TableCheckpoints",
    "build_streams_client",
    "stream_of",
]
