"""Room for the calls of a request in one piece of the interpreter's call stack.

CPython keeps the frames of a thread in chunks of 16 KB. Before a fix of March 2026, in 3.13 and
3.14, it frees a chunk as soon as the first frame in it ends
(https://github.com/python/cpython/issues/142183). A request is a hundred frames deep where
templates are rendered: a loop that happens to run at the end of a chunk begins and frees the next
one with each call, by two system calls and a page fault. That took up to a third of the time of a
page. Which pages it hits changes with each frame more or less.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

SLOTS = 9_000
"""Values in a frame that is larger than 64 KB, for which CPython makes a chunk of 128 KB.

The 56 KB behind it have room for some 250 frames, twice as many as a page takes.
"""


def _call(function: Callable[[Any], Any], argument: object) -> Any:  # noqa: ANN401 - of any function
    return function(argument)


# The stack of a frame, which is not written to before it is used, is a part of it.
_call.__code__ = _call.__code__.replace(co_stacksize=SLOTS)


class CallStackMiddleware:
    """Has all calls of a request share a chunk of the call stack."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response: HttpResponse = _call(self._get_response, request)
        return response
