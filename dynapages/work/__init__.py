"""Work that is owed: stored in the transaction that owes it, done soon after by some process."""

from dynapages.work.owed import Owed, Postponed
from dynapages.work.queues import LEASE, SHARDS, Handler, Outcome, Queue
from dynapages.work.workers import INTERVAL, Figures, Worker, worker

__all__ = [
    "INTERVAL",
    "LEASE",
    "SHARDS",
    "Figures",
    "Handler",
    "Outcome",
    "Owed",
    "Postponed",
    "Queue",
    "Worker",
    "worker",
]
