"""The calls of a request share a chunk of the interpreter's call stack, however deep a loop is."""

import sys
from resource import RUSAGE_THREAD, getrusage

import pytest
from django.http import HttpResponse

from config.web.call_stack import CallStackMiddleware

DEEPEST = 300
CALLS = 200

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts page faults")


def larger() -> int:
    """Have a larger frame than `faults_of_a_loop`: at one depth it is the first of a chunk."""
    a = b = c = d = e = f = g = h = i = j = k = m = n = o = p = q = 1
    return a + b + c + d + e + f + g + h + i + j + k + m + n + o + p + q


def faults_of_a_loop(depth: int) -> int:
    """Return the page faults of a loop of calls that is so many frames deep."""
    if depth:
        return faults_of_a_loop(depth - 1)
    before = getrusage(RUSAGE_THREAD).ru_minflt
    for _ in range(CALLS):
        larger()
    return getrusage(RUSAGE_THREAD).ru_minflt - before


def test_no_depth_of_a_loop_takes_a_page_fault_for_each_call():
    def get_response(request):
        return max(faults_of_a_loop(depth) for depth in range(DEEPEST))

    assert CallStackMiddleware(get_response)(None) < CALLS / 2


def test_the_answer_is_that_of_the_view():
    answer = HttpResponse("a page")
    assert CallStackMiddleware(lambda _request: answer)(None) is answer


def test_an_exception_comes_through():
    def get_response(request):
        raise ValueError("of the view")

    with pytest.raises(ValueError, match="of the view"):
        CallStackMiddleware(get_response)(None)
