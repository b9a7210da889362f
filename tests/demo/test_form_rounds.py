"""The rounds of a form are those that its visitor waits for, and little is left for afterwards."""

import re

import pytest

from dynapages import Meter
from dynapages.calls import metered
from tests.support.forms.cast import Cast
from tests.support.forms.every_form import FORMS
from tests.support.forms.waiting import MILLISECONDS, Observation, observed
from tests.support.work import finish_what_waits

pytestmark = [pytest.mark.usefixtures("searched"), pytest.mark.real_engine, pytest.mark.slow]

LONG_MILLISECONDS = 400
DELETION = re.compile(
    r"(TransactWriteItems Delete \S+  CHANGES, Delete \S+  PENDING)|(DeleteItem \S+  DUE)"
)
"""Of the items that name a change which is not finished."""
COUNT = re.compile(r"(Query \S+-comments )|(TransactWriteItems Update \S+  MODERATED MODERATED)")
"""Of what staff decide: the reports of a comment are read, and what was done is counted."""
WITH_COUNTS = frozenset(
    {
        "post a comment that waits for staff",
        "hide a comment",
        "take back that a comment is hidden",
        "hide a comment by API",
        "hide a comment by API, with an Idempotency-Key",
    }
)
"""Forms behind whose answer it is counted for the page about reviews what was held or hidden."""
WITH_SENDING = frozenset(
    {
        "sign up with an e-mail address",
        "change one's password",
        "ask for a new password",
        "choose a new password",
        "change one's e-mail address",
        "have the confirmation sent again",
        "set up a second factor",
        "turn off the second factor",
        "send a webhook a test event",
    }
)
"""Forms behind whose answer the worker sends an e-mail or an event, whatever it reads for that."""


def sent(name: str, milliseconds: int = MILLISECONDS) -> tuple[Observation, Meter]:
    """Send a form for the second time; return its calls as observed, and as counted."""
    cast = Cast()
    once, again = FORMS[name](cast), FORMS[name](cast)
    once.send()
    finish_what_waits()
    with observed(milliseconds) as observation:
        with metered() as meter:
            again.send()
        observation.is_answered()
        finish_what_waits()
    return observation, meter


class TestAForm:
    @pytest.mark.parametrize("name", FORMS)
    def test_waits_for_the_rounds_that_are_counted(self, name):
        observation, meter = sent(name)
        if observation.rounds > meter.rounds:
            # On a busy machine a thread may begin when another one's call has ended already.
            # Calls that wait for one another still do so if each takes much longer.
            observation, meter = sent(name, milliseconds=LONG_MILLISECONDS)
        assert [call.kind for call in observation.awaited if call.was_refused] == []
        assert len(observation.awaited) == meter.calls
        assert observation.rounds == meter.rounds
        behind = [call.kind for call in observation.behind if not DELETION.fullmatch(call.kind)]
        if name in WITH_COUNTS:
            behind = [kind for kind in behind if not COUNT.fullmatch(kind)]
        assert behind == [] or name in WITH_SENDING
