"""A storm: what was told as done is stored once, and nothing answers with an error of its own.

Calls fail, transactions conflict, eventual reads lag, and processes are killed. What searches show
is held to the same.
"""

import pytest
from django.conf import settings
from django.test import override_settings

from dynapages.engine.server import find_dynoxide
from tests.support.project import PROJECT
from tests.support.storm import ACTIONS, COMPARED, DONE, FAILED, WRONGLY_REFUSED, run_storm

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.real_engine,
    pytest.mark.skipif(find_dynoxide(PROJECT) is None, reason="dynoxide is not installed"),
]
SETS_MODEL = "comments.sets.models.CommentSetItem"


@pytest.fixture(scope="module", params=[("indexes", 60), ("sets", 30)], ids=["indexes", "sets"])
def storm(request, tmp_path_factory):
    read_model, seconds = request.param
    models = {*settings.DYNAMODB_MODELS}
    if read_model == "sets":
        models.add(SETS_MODEL)
    with override_settings(
        COMMENTS={**settings.COMMENTS, "READ_MODEL": read_model}, DYNAMODB_MODELS=sorted(models)
    ):
        yield run_storm(tmp_path_factory.mktemp("storm"), seconds=seconds)


class TestAStorm:
    def test_lets_every_operation_through(self, storm):
        done = {operation for operation, outcome in storm.outcomes if outcome == DONE}
        assert done == {*ACTIONS}

    def test_compares_what_visitors_search_for(self, storm):
        assert storm.number(COMPARED) > 10

    def test_is_one(self, storm):
        assert storm.faults > 50
        assert storm.kills.total() >= 3

    def test_makes_no_error_of_our_own(self, storm):
        assert storm.number(FAILED) == 0
        assert storm.tracebacks == []

    def test_refuses_nothing_that_was_done(self, storm):
        assert storm.number(WRONGLY_REFUSED) == 0

    def test_loses_nothing_and_finds_what_is_there(self, storm):
        assert storm.wrong == []

    def test_leaves_nothing_to_do_and_nothing_to_repair(self, storm):
        assert storm.unfinished == []
        assert storm.differences == []
