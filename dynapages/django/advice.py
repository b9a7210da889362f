"""Advice to the operators of a site of Django: which command or setting puts a fault right.

The library's own sentences name none, as it also serves programs without Django.
"""

from dynapages.calls.faults import NO_CREDENTIALS, NotSetUp, Unauthorized, fault_in, sentence_about
from dynapages.errors import gettext_noop
from dynapages.streams.walk import NoStream

_SET_UP = gettext_noop("“manage.py create_tables” creates what is missing.")
_SWITCH_ON = "“manage.py create_tables” switches it on."
_NAME_ANOTHER = "The setting DYNAMODB_ENDPOINT_URL may name one."


def advice_on(failure: BaseException) -> str:
    """Return one sentence on what puts a failure right; empty where that is not known."""
    if isinstance(failure, NoStream):
        return _SWITCH_ON
    fault = fault_in(failure)
    if isinstance(fault, NotSetUp):
        return _SET_UP
    if isinstance(fault, Unauthorized) and fault.detail == NO_CREDENTIALS:
        return _NAME_ANOTHER
    return ""


def sentence_with_advice(failure: BaseException) -> str:
    """Return what went wrong as one line, and what puts it right."""
    return f"{sentence_about(failure)} {advice_on(failure)}".rstrip()
