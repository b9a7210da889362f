"""The worker of a Django project: the queues of ``WORK_QUEUES``, and their start in web processes.

It is started by the first request that a process serves, not by those of test clients. What is owed
is done there by a thread, or by ``manage.py work`` where the setting ``WORK_IN_WEB`` is false.
"""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_started
from django.utils.module_loading import import_string

from dynapages.work import Queue, worker


def queues() -> list[Queue]:
    """Return the queues of the setting ``WORK_QUEUES``, dotted paths. Raises ImproperlyConfigured.

    Their handlers are those that Django's apps have registered when they were ready.
    """
    named: list[Queue] = []
    for path in settings.WORK_QUEUES:
        queue = import_string(path)
        if not isinstance(queue, Queue):
            raise ImproperlyConfigured(f"WORK_QUEUES has {path!r}, which is not a Queue")
        named.append(queue)
    return named


def queue_named(name: str) -> Queue | None:
    """Return the queue of a name; None where no queue has it."""
    for queue in queues():
        if queue.name == name:
            return queue
    return None


def start_worker() -> None:
    """Start the worker of this process, unless a process of its own does the work.

    In the process that serves: threads do not survive a fork.
    """
    if settings.WORK_IN_WEB and settings.WORK_QUEUES:
        worker().start(queues())


def start_with_first_request() -> None:
    """Have the worker started by the first request that this process serves, or one it forks."""
    # The test client has another handler: tests start no threads by the way.
    for handler in (WSGIHandler, ASGIHandler):
        request_started.connect(_start, sender=handler)


def _start(sender: type, **_: object) -> None:
    request_started.disconnect(_start, sender=sender)
    start_worker()
