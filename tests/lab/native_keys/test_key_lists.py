"""The lists that native keys return, and what their pages take, on little data."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from dynapages.calls import metered
from dynapages.engine.child import EngineError
from dynapages.engine.server import NoEngine
from dynapages.items import UNITS_PER_BLOCK
from dynapages.lists import PageRequest
from dynapages.process import client
from lab.bench.readers import WrongAnswer
from lab.designs.comments import comment_item, load_sample
from lab.designs.measuring import put_items
from lab.native_keys.byte_prices import priced_queries
from lab.native_keys.designs import DESIGNS, Concatenated
from lab.native_keys.figures import PUBLISHED_KEYS, KeyFigures, find_published_keys
from lab.native_keys.lists import lists_of, price_readings, questions_about
from lab.native_keys.run import compare_keys, own_moto
from tests.support.lab.labs import NOW, PAGE_SIZE, QUIET, lab_engine

COMMENTS = 80
ENOUGH_FOR_BLOCKS = 600
LARGER_PAGE = 20
"""Lists that fill such pages are longer than two blocks of 4 KB."""
PARTITION, SORT_KEY = "native, in the partition", "native, in the sort key"
HIGHEST, LOWEST = "highest rating first", "lowest rating first"


@pytest.fixture(scope="module", autouse=True)
def moto_server():
    """Skip all where moto's server is not installed."""
    for module in ("moto", "flask", "flask_cors"):
        pytest.importorskip(module)


@pytest.fixture(scope="module")
def figures():
    """Those of a run; it ends with WrongAnswer where a page is not what it should be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.PAGE_SIZE", PAGE_SIZE)
        return compare_keys(comments=COMMENTS, now=NOW, progress=QUIET)


def readings(figures: KeyFigures, design: str, question: str):
    (found,) = (one for one in figures.designs if one.name == design)
    return found.of_question(question)


def as_texts(items):
    """Items as texts, in one order whatever theirs is."""
    return sorted(json.dumps(item, sort_keys=True, default=str) for item in items)


class TestARun:
    def test_prices_the_same_pages_of_each_design(self, figures):
        pages = []
        for design in figures.designs:
            pages.append([(reading.question, reading.page) for reading in design.readings])
        assert pages[0] == pages[1] == pages[2]
        assert len(pages[0]) > len(figures.questions)

    def test_makes_as_many_queries_by_native_partitions_as_today(self, figures):
        today, native = figures.designs[:2]
        assert [one.requests for one in native.readings] == [one.requests for one in today.readings]

    def test_reads_the_highest_rating_first_by_one_query_where_it_is_in_the_sort_key(self, figures):
        assert {one.requests for one in readings(figures, SORT_KEY, HIGHEST)} == {1}
        assert max(one.requests for one in readings(figures, PARTITION, HIGHEST)) > 1

    def test_reads_a_run_for_each_rating_of_the_lowest_first(self, figures):
        numbers = [one.requests for one in readings(figures, SORT_KEY, LOWEST)]
        assert numbers == [one.requests for one in readings(figures, PARTITION, LOWEST)]

    def test_can_be_stored_and_read_again(self, figures):
        assert KeyFigures.from_json(figures.as_json()) == figures


@pytest.mark.parametrize("design", DESIGNS, ids=["concatenated", "partition", "sort key"])
def test_an_index_has_the_entries_that_are_priced(design):
    items = [design.item_of(comment_item(one)) for one in load_sample(9, now=NOW).all]
    request = design.create_request()
    with own_moto():
        client().create_table(**request)
        put_items(request["TableName"], items)
        for index in design.indexes:
            scanned = client().scan(TableName=request["TableName"], IndexName=index.name)["Items"]
            entries = [index.entry_of(item) for item in items]
            assert as_texts(scanned) == as_texts(filter(None, entries)), index.name


def test_a_machine_without_moto_is_told_what_is_missing(monkeypatch):
    def is_missing(**_):
        raise NoEngine

    monkeypatch.setattr("lab.native_keys.run.MotoEngine", is_missing)
    with pytest.raises(EngineError, match="moto's server, which is not here"), own_moto():
        pass


def test_a_page_that_is_not_as_it_should_be_is_not_priced():
    comments = load_sample(COMMENTS, now=NOW).of_product
    design = Concatenated()
    question = next(questions_about(comments, size=PAGE_SIZE))
    without_first = replace(question, answer=question.answer[1:])
    with own_moto():
        client().create_table(**design.create_request())
        put_items(design.create_request()["TableName"], map(comment_item, comments))
        with pytest.raises(WrongAnswer, match="concatenated"):
            list(price_readings(lists_of(design, comments), [without_first], size=PAGE_SIZE))


@pytest.mark.real_engine
@pytest.mark.usefixtures("dynoxide")
def test_units_counted_from_bytes_are_those_that_an_engine_charges():
    comments = load_sample(ENOUGH_FOR_BLOCKS, now=NOW).of_product
    design = Concatenated()
    lists = lists_of(design, comments)
    with lab_engine():
        client().create_table(**design.create_request())
        put_items(design.create_request()["TableName"], map(comment_item, comments))
        for question in questions_about(comments, size=LARGER_PAGE):
            with metered() as meter, priced_queries() as price:
                lists.read(question, PageRequest(len(comments)))
            assert (price.calls, price.units) == (meter.calls, meter.units), question.name
            assert price.units > price.calls * UNITS_PER_BLOCK, "no Query reads a second block"


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def run_before(self, monkeypatch, figures):
        monkeypatch.setattr(
            "lab.management.commands.compare_keys.compare_keys", lambda **_: figures
        )

    def test_prints_all_figures(self):
        out = StringIO()
        call_command("compare_keys", stdout=out)
        for part in ("native, in the sort key", "move to another product", "replies of staff"):
            assert part in out.getvalue()

    def test_prints_json(self):
        out = StringIO()
        call_command("compare_keys", "--json", stdout=out)
        assert json.loads(out.getvalue())["page_size"] == PAGE_SIZE

    def test_writes_the_figures_of_the_documents(self, figures, tmp_path):
        (tmp_path / "lab").mkdir()
        call_command("compare_keys", "--write-docs", str(tmp_path), stdout=StringIO())
        written = (tmp_path / PUBLISHED_KEYS).read_text()
        assert KeyFigures.from_json(written) == figures


def test_the_documents_have_figures_of_all_designs():
    names = [design.name for design in find_published_keys().designs]
    assert names == ["concatenated", PARTITION, SORT_KEY]
