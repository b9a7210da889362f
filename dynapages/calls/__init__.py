"""Calls to DynamoDB: the client, its meter, batches, backoff, and the meaning of failures."""

from dynapages.calls import clock
from dynapages.calls.batches import Batches, BatchIncomplete, Keyed, in_chunks, size_of_batch
from dynapages.calls.client import Connection, build_client
from dynapages.calls.client_types import ItemClient, QueryClient
from dynapages.calls.costs import TooExpensive
from dynapages.calls.faults import (
    FAILURES,
    EngineTooOld,
    NotSetUp,
    Throttled,
    Unauthorized,
    Unavailable,
    Unreachable,
    fault_in,
    few_of,
    sentence_about,
)
from dynapages.calls.meter import (
    UNLABELLED,
    Call,
    Meter,
    Units,
    current_meter,
    instead_of_batches,
    labelled_calls,
    metered,
    request_of,
    units_of_process,
)
from dynapages.calls.patience import Patience, one_task, patient
from dynapages.calls.pool import (
    Backoff,
    OutOfTime,
    Pool,
    Started,
    Together,
    budget_paused,
    one_operation,
    patience_is_over,
    seconds_left,
    time_budget,
)
from dynapages.calls.query_explanation import QueryExplanation, explain_query

__all__ = [
    "FAILURES",
    "UNLABELLED",
    "Backoff",
    "BatchIncomplete",
    "Batches",
    "Call",
    "Connection",
    "EngineTooOld",
    "ItemClient",
    "Keyed",
    "Meter",
    "NotSetUp",
    "OutOfTime",
    "Patience",
    "Pool",
    "QueryClient",
    "QueryExplanation",
    "Started",
    "Throttled",
    "Together",
    "TooExpensive",
    "Unauthorized",
    "Unavailable",
    "Units",
    "Unreachable",
    "budget_paused",
    "build_client",
    "clock",
    "current_meter",
    "explain_query",
    "fault_in",
    "few_of",
    "in_chunks",
    "instead_of_batches",
    "labelled_calls",
    "metered",
    "one_operation",
    "one_task",
    "patience_is_over",
    "patient",
    "request_of",
    "seconds_left",
    "sentence_about",
    "size_of_batch",
    "time_budget",
    "units_of_process",
]
