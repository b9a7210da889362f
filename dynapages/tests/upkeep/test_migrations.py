"""Steps bring items over once, whatever interrupts them or happens beside them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from dynapages.calls.meter import metered
from dynapages.calls.pool import Pool
from dynapages.items import Item, table_key
from dynapages.upkeep import migrations
from dynapages.upkeep.migrations import AnotherRun, Checkpoint, Migration, MigrationStep, Pace
from dynapages.writes.transactions import (
    Action,
    ConditionFailed,
    Contended,
    Expression,
    unchanged,
    update,
)

THINGS = Expression("begins_with(#p, :p)", {"#p": "pk"}, {":p": {"S": "THING#"}})
ITEMS = 9


@dataclass(frozen=True)
class Things:
    """A table of things in an old shape, of other items, and a step that brings the things over."""

    client: Any
    table: str

    def step(self, derive: Callable[[Item], Sequence[Action]] | None = None) -> MigrationStep:
        return MigrationStep(
            name="rename",
            sentence="Rename an attribute.",
            table=self.table,
            only=THINGS,
            derive=derive or self.renamed,
        )

    def renamed(self, item: Item) -> list[Action]:
        if "old" not in item:
            return []
        key = table_key(item["pk"]["S"], item["sk"]["S"])
        values = {":new": {"S": item["old"]["S"].upper()}}
        changes = Expression("SET #n = :new REMOVE #o", {"#n": "new", "#o": "old"}, values)
        return [update(self.table, key, changes, unchanged(item, "pk", "old"))]

    def put(self, **values: str) -> None:
        item = {name: {"S": value} for name, value in values.items()}
        self.client.put_item(TableName=self.table, Item=item)

    def stored(self) -> dict[str, dict[str, str]]:
        """All items but the checkpoint, without their sort keys."""
        items = self.client.scan(TableName=self.table, ConsistentRead=True)["Items"]
        found = ({name: value.get("S") for name, value in item.items()} for item in items)
        by_key = {item.pop("pk"): item for item in found if item.pop("sk")}
        return {pk: item for pk, item in by_key.items() if not pk.startswith("MIGRATION#")}

    def migration(self, *, page: int | None = None, **how: Any) -> Migration:
        pace = Pace(page, sleep=lambda _seconds: None)
        return Migration(self.client, Pool(2), pace, **how)

    def carry_out(self, **how: Any) -> Checkpoint:
        return self.migration().carry_out(self.step(), **how)


@pytest.fixture
def things(client, new_table):
    things = Things(client, new_table())
    for number in range(ITEMS):
        things.put(pk=f"THING#{number}", sk="THING", old=f"a{number}")
        things.put(pk=f"OTHER#{number}", sk="OTHER", old=f"a{number}")
    return things


def brought_over(count: int = ITEMS) -> dict[str, dict[str, str]]:
    return {f"THING#{n}": {"new": f"A{n}"} for n in range(count)} | {
        f"OTHER#{n}": {"old": f"a{n}"} for n in range(count)
    }


class TestAStep:
    def test_changes_each_item_of_its_kind_and_counts(self, things):
        reached = things.carry_out()
        assert things.stored() == brought_over()
        assert (reached.state, reached.changed) == ("finished", ITEMS)
        assert reached.read == 2 * ITEMS + 1
        assert "" < reached.started <= reached.finished

    def test_that_is_finished_is_remembered_and_reads_nothing(self, things):
        things.carry_out()
        things.put(pk="THING#late", sk="THING", old="late")
        with metered() as meter:
            assert things.carry_out().changed == ITEMS
        assert [call.operation for call in meter.log] == ["GetItem"]

    def test_is_run_again_from_its_beginning_if_that_is_asked_for(self, things):
        things.carry_out()
        things.put(pk="THING#late", sk="THING", old="late")
        assert things.carry_out(restart=True).changed == 1
        assert things.stored()["THING#late"] == {"new": "LATE"}

    def test_writes_nothing_at_all_when_it_is_tried(self, things):
        before = things.stored()
        migration = things.migration(is_trial=True)
        assert migration.carry_out(things.step()).changed == ITEMS
        assert things.stored() == before
        assert migration.load(things.step()).state == "not run"


class Killed(BaseException):
    """Stands for the end of the process."""


class TestAnInterruptedStep:
    def interrupt(self, things: Things, monkeypatch: pytest.MonkeyPatch, *, at: str) -> Checkpoint:
        """Kill a step that reads four items at a time in its third page; return how far it came."""
        calls = iter(range(2))

        def kill(*_: object) -> None:
            if next(calls, None) is None:
                raise Killed

        with monkeypatch.context() as patch:
            original = getattr(Migration, at)
            patch.setattr(Migration, at, lambda *args: (kill(), original(*args))[1])
            with pytest.raises(Killed):
                things.migration(page=4).carry_out(things.step())
        return things.migration().load(things.step())

    def test_goes_on_behind_the_last_page_that_was_done(self, things, monkeypatch):
        reached = self.interrupt(things, monkeypatch, at="_bring_page_over")
        assert (reached.state, reached.read) == ("interrupted", 8)
        done = things.carry_out()
        # Had it started over, it would have counted the items of two pages twice.
        assert (done.changed, done.read, done.started) == (ITEMS, 2 * ITEMS + 1, reached.started)
        assert things.stored() == brought_over()

    def test_that_was_killed_before_its_checkpoint_repeats_only_that_page(
        self, things, monkeypatch
    ):
        reached = self.interrupt(things, monkeypatch, at="_store")
        assert reached.read == 4
        assert things.carry_out().state == "finished"
        assert things.stored() == brought_over()


class TestBesideOthers:
    def meddled(
        self, things: Things, meddle: Callable[[], object], *, times: int = 1
    ) -> MigrationStep:
        """A step beside which others do something, each time the item 3 was derived."""
        left = iter(range(times))

        def derive(item: Item) -> Sequence[Action]:
            actions = things.renamed(item)
            if item["pk"]["S"] == "THING#3" and next(left, None) is not None:
                meddle()
            return actions

        return things.step(derive)

    def test_an_item_that_changes_is_derived_again(self, things):
        def change() -> None:
            things.put(pk="THING#3", sk="THING", old="other", note="kept")

        step = self.meddled(things, change)
        assert things.migration().carry_out(step).changed == ITEMS
        assert things.stored()["THING#3"] == {"new": "OTHER", "note": "kept"}

    def test_an_item_that_is_deleted_stays_so(self, things):
        key = table_key("THING#3", "THING")
        delete = partial(things.client.delete_item, TableName=things.table, Key=key)
        assert things.migration().carry_out(self.meddled(things, delete)).changed == ITEMS - 1
        assert "THING#3" not in things.stored()

    def test_an_item_that_never_stands_still_ends_the_run(self, things):
        values = iter("abcdefgh")

        def change() -> None:
            things.put(pk="THING#3", sk="THING", old=next(values))

        with pytest.raises(Contended, match="THING#3"):
            things.migration().carry_out(self.meddled(things, change, times=9))
        assert things.carry_out().state == "finished"

    def test_another_run_of_the_step_takes_over(self, things):
        step = self.meddled(things, things.carry_out)
        with pytest.raises(AnotherRun, match="rename is under way"):
            things.migration().carry_out(step)
        assert things.migration().load(step).state == "finished"
        assert things.stored() == brought_over()

    def test_its_own_checkpoint_is_known_when_the_answer_was_lost(self, things, monkeypatch):
        write = migrations.write_item

        def write_and_lose(client: Any, action: Action) -> None:
            write(client, action)
            if "Put" in action:
                raise ConditionFailed({0: {}})

        monkeypatch.setattr(migrations, "write_item", write_and_lose)
        assert things.carry_out().changed == ITEMS


class TestThePace:
    @pytest.mark.real_engine
    def test_is_kept_by_the_units_that_dynamodb_reports(self, things):
        slept: list[float] = []
        pace = Pace(10, sleep=slept.append, now=lambda: sum(slept))
        replace(things.migration(), pace=pace).carry_out(things.step())
        assert pace.spent > ITEMS
        assert sum(slept) == pytest.approx(pace.spent / 10)

    def test_bounds_the_items_read_at_a_time(self):
        assert [Pace(units).page for units in (None, 1, 40, 10_000)] == [500, 1, 40, 500]
