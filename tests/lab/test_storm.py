"""A storm: what was told as done is stored once, and nothing answers with an error of its own.

And a load of people who sign in, which leaves the pages alone.
"""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import override_settings

from dynamo.progress import Progress
from lab.reports.storm_figures import DONE, FAILED, WRONGLY_REFUSED, StormFigures, StormOptions
from lab.storm.load import run_load
from lab.storm.run import KILLABLE, run_storm

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.real_engine]
SETS_MODEL = "comments.sets.models.CommentSetItem"


@pytest.fixture(scope="module", params=[("indexes", 60), ("sets", 30)])
def storm(request: pytest.FixtureRequest) -> Iterator[StormFigures]:
    read_model, seconds = request.param
    models = {*settings.DYNAMODB_MODELS, *([SETS_MODEL] if read_model == "sets" else [])}
    with override_settings(COMMENTS_READ_MODEL=read_model, DYNAMODB_MODELS=sorted(models)):
        options = StormOptions(seconds=seconds, rate=0.05, kill=KILLABLE)
        yield run_storm(options, progress=Progress(shown=False))


def outcomes(storm: StormFigures, outcome: str) -> dict[str, int]:
    return {name: number for (name, what), number in storm.outcomes.items() if what == outcome}


class TestAStorm:
    def test_lets_every_operation_through(self, storm):
        assert {"read", "post", "edit", "vote", "delete"} <= outcomes(storm, DONE).keys()

    def test_is_one(self, storm):
        assert storm.faults.total() > 50
        assert storm.kills.total() >= 3

    def test_makes_no_error_of_our_own(self, storm):
        assert outcomes(storm, FAILED) == {}

    def test_logs_no_traceback(self, storm):
        assert storm.tracebacks == ()

    def test_makes_no_refusal_of_what_was_done(self, storm):
        assert outcomes(storm, WRONGLY_REFUSED) == {}

    def test_loses_and_doubles_nothing(self, storm):
        assert storm.wrong == ()

    def test_leaves_nothing_for_the_integrity_check(self, storm):
        assert storm.differences == ()


# Clients leave the connections open that their threads have kept, until the process ends.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
class TestPeopleWhoSignIn:
    def test_are_answered_and_leave_the_pages_to_others(self):
        found = run_load(seconds=5, progress=Progress(shown=False)).sign_ins
        assert found.lost == 0
        assert len(found.sign_ins) > 0
        assert found.sign_ins_refused > 0
        assert found.refused_pages_of_100 <= 1
