"""Work that is owed: stored in the transaction that owes it, done soon after by some process."""

from dynapages.work.owed import Owed, Postponed
from dynapages.work.queues import Queue
from dynapages.work.workers import INTERVAL, Worker, worker

__all__ = ["INTERVAL", "Owed", "Postponed", "Queue", "Worker", "worker"]
