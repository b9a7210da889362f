"""Calls to DynamoDB: the client, its meter, batches, backoff, and the meaning of failures."""

from dynapages.calls import clock
from dynapages.calls.batches import Batches, BatchIncomplete, Keyed, in_chunks
from dynapages.calls.client import Connection, build_client
from dynapages.calls.faults import (
    FAILURES,
    EngineTooOld,
    NotSetUp,
    Throttled,
    Unauthorized,
    Unavailable,
    Unreachable,
    fault_in,
    sentence_about,
)
from dynapages.calls.meter import (
    UNLABELLED,
    Call,
    Meter,
    current_meter,
    labelled_calls,
    metered,
    request_of,
)
from dynapages.calls.pool import (
    Backoff,
    OutOfTime,
    Pool,
    Started,
    Together,
    budget_paused,
    seconds_left,
    time_budget,
)

__all__ = [
    "FAILURES",
    "UNLABELLED",
    "Backoff",
    "BatchIncomplete",
    "Batches",
    "Call",
    "Connection",
    "EngineTooOld",
    "Keyed",
    "Meter",
    "NotSetUp",
    "OutOfTime",
    "Pool",
    "Started",
    "Throttled",
    "Together",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "budget_paused",
    "build_client",
    "clock",
    "current_meter",
    "fault_in",
    "in_chunks",
    "labelled_calls",
    "metered",
    "request_of",
    "seconds_left",
    "sentence_about",
    "time_budget",
]
