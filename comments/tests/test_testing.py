"""`comments.testing`: what the tests of other projects use."""

import pytest

from comments.gates import Reject
from comments.models import TABLE
from comments.posting.services import Rejected
from comments.testing import (
    StillOwed,
    TablesExist,
    finish_owed,
    make_comment,
    own_tables,
    sent_signals,
)
from dynapages.process import client, current_connection
from dynapages.work import worker
from sample_project import products
from sample_project.pages import ids_in, text_of

LAMP = "/reviews/products/lamp/"


def reject(comment, author):
    """A gate that wants no lamps."""
    return Reject("No lamps, please.")


class TestAMadeComment:
    def test_is_published_without_a_user_and_without_a_signal(self, tables, visitor):
        with sent_signals() as sent:
            comment = make_comment("lamp", rating=2, language="fr", title="Non", body="Trop rouge.")
        assert sent == []
        page = text_of(visitor, f"{LAMP}comments/fr/2/")
        assert ids_in(page) == [comment.id]
        assert "Trop rouge." in page

    def test_is_posted_by_a_user_whom_the_receivers_hear_of(self, someone, comment_signals):
        ann = someone("ann")
        comment = make_comment("lamp", user=ann)
        assert (comment.user_id, comment.author, comment.verified) == (str(ann.pk), "ann", False)
        assert [sent.name for sent in comment_signals] == ["comment_posted"]

    def test_is_verified_where_the_user_has_bought_the_product(self, someone):
        assert make_comment("lamp", user=someone("buyer")).verified

    def test_is_held_where_the_gates_say_so(self, someone, visitor, settings, comment_signals):
        settings.COMMENTS = {**settings.COMMENTS, "GATE": "comments.gates.hold_first"}
        make_comment("lamp", user=someone("ann"))
        assert ids_in(text_of(visitor, LAMP)) == []
        assert [sent.name for sent in comment_signals] == ["comment_held"]

    def test_is_refused_where_the_gates_refuse_it(self, someone, settings):
        settings.COMMENTS = {**settings.COMMENTS, "GATE": f"{__name__}.reject"}
        with pytest.raises(Rejected, match="No lamps"):
            make_comment("lamp", user=someone("ann"))


class TestWhatIsOwed:
    def test_is_done_at_once(self, tables):
        make_comment("lamp", rating=5)
        make_comment("lamp", rating=2)
        assert products.RATINGS == {}
        assert finish_owed() > 0
        rating = products.RATINGS["lamp"]
        assert (rating.count, rating.stars) == (2, 7)

    def test_is_nothing_the_second_time(self, tables):
        make_comment("lamp")
        finish_owed()
        assert finish_owed() == 0

    def test_raises_where_it_is_given_up(self, tables, monkeypatch):
        def fail(_products, _ratings):
            raise ValueError("no place for ratings")

        make_comment("lamp")
        monkeypatch.setattr(products.RatedProducts, "keep_ratings", fail)
        with pytest.raises(StillOwed, match="the log says why"):
            finish_owed()


class TestSentSignals:
    def test_are_those_of_the_block_alone(self, someone):
        ann = someone("ann")
        with sent_signals() as sent:
            comment = make_comment("lamp", user=ann)
        make_comment("chair", user=ann)
        assert [(one.name, one.arguments["comment_id"]) for one in sent] == [
            ("comment_posted", comment.id)
        ]


class TestOwnTables:
    def test_are_empty_and_gone_after_the_block(self, dynamodb_endpoint):
        for _again in range(2):
            with own_tables(dynamodb_endpoint):
                assert client().scan(TableName=TABLE)["Count"] == 0
                make_comment("lamp")
                names = client().list_tables()["TableNames"]
                assert TABLE in names
                here = client()
            assert TABLE not in here.list_tables()["TableNames"]

    def test_leave_the_tables_of_others(self, dynamodb_endpoint):
        with own_tables(dynamodb_endpoint):
            here = client()
            here.create_table(
                TableName="another-table",
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            )
        assert here.list_tables()["TableNames"] == ["another-table"]
        here.delete_table(TableName="another-table")

    def test_are_refused_where_there_are_some(self, comment_tables, dynamodb_endpoint):
        make_comment("lamp")
        refused = pytest.raises(TablesExist, match="another DYNAMODB_TABLE_PREFIX")
        with refused, own_tables(dynamodb_endpoint):
            pytest.fail("it has begun")
        assert client().scan(TableName=TABLE)["Count"] > 0

    def test_leave_connection_and_worker_as_they_were(self, dynamodb_endpoint):
        before = current_connection()
        worker().runs_by_itself = True
        with own_tables(dynamodb_endpoint):
            assert current_connection().endpoint_url == dynamodb_endpoint
            assert not worker().runs_by_itself
        assert current_connection() == before
        assert worker().runs_by_itself
