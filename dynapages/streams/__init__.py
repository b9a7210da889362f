"""Streams: a table's changes, read in order and at least once."""

from dynapages.streams.walk import (
    Checkpoint,
    MemoryCheckpoints,
    NoStream,
    Record,
    StreamsApi,
    StreamWalk,
    TableCheckpoints,
    build_streams_client,
    stream_of,
)

__all__ = [
    "Checkpoint",
    "MemoryCheckpoints",
    "NoStream",
    "Record",
    "StreamWalk",
    "StreamsApi",
    "TableCheckpoints",
    "build_streams_client",
    "stream_of",
]
