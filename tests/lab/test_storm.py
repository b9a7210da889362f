"""A storm: what was told as done is stored once, and nothing answers with an error of its own.

What searches show is held to the same, while eventual reads lag.

And a load of people who sign in, which leaves the pages alone.
"""

from importlib.util import find_spec

import pytest
from django.conf import settings
from django.test import override_settings

from dynapages.django.options import Progress
from lab.bench.throughput import measure_load
from lab.reports.results import Results
from lab.storm.run import (
    COMPARED,
    DONE,
    FAILED,
    KILLABLE,
    WRONGLY_REFUSED,
    StormOptions,
    run_storm,
)

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.real_engine]
SETS_MODEL = "comments.sets.models.CommentSetItem"


@pytest.fixture(scope="module", params=[("indexes", 60), ("sets", 30)])
def storm(request):
    read_model, seconds = request.param
    models = {*settings.DYNAMODB_MODELS, *([SETS_MODEL] if read_model == "sets" else [])}
    with override_settings(
        COMMENTS={**settings.COMMENTS, "READ_MODEL": read_model}, DYNAMODB_MODELS=sorted(models)
    ):
        options = StormOptions(seconds=seconds, rate=0.05, kill=KILLABLE, lag_seconds=1.0)
        yield run_storm(options, progress=Progress(shown=False))


class TestAStorm:
    def test_lets_every_operation_through(self, storm):
        done = storm.where(reader=DONE, metric="told").names("list")
        assert {"read", "search", "post", "edit", "vote", "delete"} <= {*done}

    def test_compares_what_visitors_search_for(self, storm):
        assert storm.where(list="search", reader=COMPARED).number("told") > 30

    def test_is_one(self, storm):
        assert sum(storm.numbers("faults")) > 50
        assert sum(storm.numbers("kills")) >= 3

    @pytest.mark.parametrize("outcome", [FAILED, WRONGLY_REFUSED])
    def test_makes_no_error_of_our_own_and_refuses_nothing_that_was_done(self, storm, outcome):
        assert storm.where(reader=outcome) == ()

    @pytest.mark.parametrize("what", ["traceback", "wrong", "owed", "difference"])
    def test_logs_no_traceback_loses_nothing_and_leaves_nothing_to_repair(self, storm, what):
        assert storm.values(what) == []


@pytest.mark.skipif(find_spec("locust") is None, reason="Locust is not installed")
class TestPeopleWhoSignIn:
    def test_are_answered_and_leave_the_pages_to_others(self):
        found = Results(measure_load(seconds=5, progress=Progress(shown=False), parts=()))
        assert found.value("lost") == 0
        people, pages = (found.where(list=name).facts() for name in ("sign-ins", "pages"))
        assert people["answered"] > 0
        assert people["refused"] > 0
        assert 100 * pages["refused"] <= pages["answered"] + pages["refused"]
