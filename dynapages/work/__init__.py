"""Work that is owed: stored in the transaction that owes it, done soon after by some process."""

from dynapages.work.queues import Owed, Postponed, Queue
from dynapages.work.workers import INTERVAL, Worker, worker

__all__ = ["INTERVAL", "Owed", "Postponed", "Queue", "Worker", "worker"]
