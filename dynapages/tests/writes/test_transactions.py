"""Transactions are tried again when others were in the way, and only then."""

from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError

from dynapages.calls.pool import Backoff
from dynapages.items import Item
from dynapages.writes.transactions import (
    Action,
    ConditionFailed,
    Contended,
    Transactions,
    write_transaction,
)

ITEM: Item = {"pk": {"S": "it"}}
ACTIONS: list[Action] = [{"Put": {"n": 0}}, {"Put": {"n": 1}}]


def cancelled(*codes: str, items: Sequence[Any] = ()) -> ClientError:
    reasons: list[dict[str, Any]] = [{"Code": code} for code in codes]
    for reason, item in zip(reasons, items, strict=False):
        reason["Item"] = item
    return refused("TransactionCanceledException", CancellationReasons=reasons)


def refused(code: str, **more: Any) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}, **more}, "TransactWriteItems")


class Database:
    """Answers each call with the next of ``answers``; after them it takes everything."""

    def __init__(self, *answers: ClientError) -> None:
        self.answers = list(answers)
        self.calls: list[list[Action]] = []
        self.tokens: list[str] = []

    def transact_write_items(
        self,
        *,
        TransactItems: list[Action],  # noqa: N803 - botocore's
        ClientRequestToken: str,  # noqa: N803 - botocore's
    ) -> dict[str, Any]:
        self.calls.append(TransactItems)
        self.tokens.append(ClientRequestToken)
        if self.answers:
            raise self.answers.pop(0)
        return {}


def transactions(database: Any, *, attempts: int = 4) -> tuple[Transactions, list[float]]:
    pauses: list[float] = []
    backoff = Backoff(attempts=attempts, first=1.0, longest=4.0)
    return Transactions(database, backoff, pauses.append), pauses


class TestATransactionThatMeetsAnother:
    def test_is_built_anew_for_each_attempt(self):
        database = Database(cancelled("TransactionConflict"), cancelled("TransactionConflict"))
        built = iter([["first"], ["second"], ["third"]])
        transactions(database)[0].write(lambda: next(built))
        assert database.calls == [["first"], ["second"], ["third"]]

    def test_keeps_its_token_while_its_actions_are_the_same(self):
        database = Database(*[cancelled("TransactionConflict")] * 3)
        built = iter([["first"], ["first"], ["second"], ["second"]])
        transactions(database)[0].write(lambda: next(built))
        assert [database.tokens.index(token) for token in database.tokens] == [0, 0, 2, 2]

    def test_is_not_built_anew_where_its_own_answer_may_be_lost(self):
        met = cancelled("TransactionConflict")
        met.response["ResponseMetadata"] = {"RetryAttempts": 1}
        database = Database(met)
        built = iter([["first"], ["second"]])
        transactions(database)[0].write(lambda: next(built))
        assert database.calls == [["first"], ["first"]]
        assert len({*database.tokens}) == 1

    def test_tells_which_actions_met_it(self):
        database = Database(cancelled("None", "TransactionConflict"))
        told: list[frozenset[int]] = []
        transactions(database)[0].write(lambda: ACTIONS, on_conflict=told.append)
        assert told == [frozenset({1})]

    def test_is_given_up_after_the_last_attempt(self):
        database = Database(*[cancelled("TransactionConflict")] * 9)
        writer, _ = transactions(database, attempts=4)
        with pytest.raises(Contended):
            writer.write(lambda: ACTIONS)
        assert len(database.calls) == 4


class TestTheActionsOfATransaction:
    def test_may_be_any_iterable_though_they_are_sent_twice(self):
        database = Database(cancelled("TransactionConflict"))
        write_transaction(database, iter(ACTIONS))
        assert database.calls == [ACTIONS, ACTIONS]


class TestATransactionThatIsThrottled:
    @pytest.mark.parametrize(
        ("answer", "numbers"),
        [
            (cancelled("None", "ThrottlingError"), {1}),
            (cancelled("ProvisionedThroughputExceeded", "TransactionConflict"), {0}),
            (refused("ThrottlingException"), {0, 1}),
        ],
    )
    def test_tells_which_of_its_actions_were_or_else_all(self, answer, numbers):
        told: list[frozenset[int]] = []
        transactions(Database(answer))[0].write(lambda: ACTIONS, on_throttled=told.append)
        assert told == [numbers]


class TestAConditionThatDoesNotHold:
    @pytest.mark.parametrize(("items", "told"), [([], {}), ([None, ITEM], ITEM)])
    def test_is_the_answer_and_not_tried_again(self, items, told):
        database = Database(cancelled("None", "ConditionalCheckFailed", items=items))
        with pytest.raises(ConditionFailed) as failure:
            transactions(database)[0].write(lambda: ACTIONS)
        assert failure.value.failed == {1: told}
        assert len(database.calls) == 1

    def test_counts_for_more_than_a_conflict_beside_it(self):
        database = Database(cancelled("TransactionConflict", "ConditionalCheckFailed"))
        with pytest.raises(ConditionFailed):
            transactions(database)[0].write(lambda: ACTIONS)


class TestOtherRefusals:
    @pytest.mark.parametrize("code", ["ThrottlingException", "TransactionInProgressException"])
    def test_that_pass_are_waited_out(self, code):
        database = Database(refused(code))
        transactions(database)[0].write(lambda: ACTIONS)
        assert len(database.calls) == 2

    @pytest.mark.parametrize(
        "error", [refused("ValidationException"), cancelled("ValidationError", "None")]
    )
    def test_that_do_not_pass_are_raised(self, error):
        with pytest.raises(ClientError):
            transactions(Database(error))[0].write(lambda: ACTIONS)
