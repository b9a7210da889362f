"""Whatever the plan, the list is the same; the counts only tell which is cheapest."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from math import inf

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from comments.filters import RATINGS, CommentFilter
from comments.indexes import planner
from comments.indexes.planner import IndexPrices, ListPlan, NoSuchPlan, exact_runs, plan, plan_list
from comments.items import NewComment, items_of
from comments.lists.queries import list_comments
from comments.store.counts import ProductCounts, read_counts
from dynapages.calls import Pool
from dynapages.lists import (
    MeanSizes,
    PageRequest,
    QuerySource,
    best_first_read,
    id_at,
    read_page,
)
from dynapages_testing.query_model import QueryModel
from tests.support.chance import examples
from tests.support.comments.loading import load
from tests.support.comments.truth import START, Truth, tied_comments

BY_LANGUAGE = {"by_language", "by_language_and_rating"}
PLANS = ("all", "by_language", "by_rating", "by_language_and_rating")
COUNTS = ProductCounts(
    {(language, rating): 100 * weight for language, weight in (("en", 6), ("de", 3), ("ja", 1))
     for rating in RATINGS}
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _typical_sizes():
    """Price as a new process does, whatever was read by other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "SIZES", MeanSizes())
        yield


def choose(languages: str = "~", ratings: str = "~", counts: ProductCounts = COUNTS) -> str:
    return plan_list("42", CommentFilter.parse(languages, ratings), counts, needed=21).name


class TestTheChoice:
    @pytest.mark.parametrize(
        ("chosen", "plan"),
        [
            (("~", "~"), "all"),
            (("de", "~"), "by_language"),
            (("~", "3"), "by_rating"),
            (("ja", "3"), "by_language_and_rating"),
            (("~", "1.2.3.4"), "all"),
            (("de", "1.2.3.5"), "by_language"),
        ],
    )
    def test_is_the_cheapest(self, chosen, plan):
        assert choose(*chosen) == plan

    def test_goes_by_rule_where_nothing_is_counted(self):
        nothing = ProductCounts({})
        assert choose("de.en", "1.2.3.5", nothing) == "by_language_and_rating"
        assert choose("~", "1.2.3.4", nothing) == "by_rating"

    def test_of_a_plan_there_is_not_names_those_there_are(self):
        with pytest.raises(NoSuchPlan, match="by_language_and_rating"):
            plan_list("42", CommentFilter(), COUNTS, needed=21, forced="magic")

    def test_comes_with_what_the_others_would_cost(self):
        plan = plan_list("42", CommentFilter.of(["en"]), COUNTS, needed=21)
        assert {plan.name, *(other.plan for other in plan.compare().alternatives)} == set(PLANS)

    @pytest.mark.parametrize("ratings", ["~", "5", "1.2.5"])
    def test_never_goes_by_the_languages_counted_when_any_will_do(self, monkeypatch, ratings):
        """Although they are cheaper: their index leaves out of each item what its key has."""
        monkeypatch.setattr(planner, "SIZES", MeanSizes())
        for name, size in zip(PLANS, (345, 260, 330, 240), strict=True):
            planner.SIZES.note(name, [{"x": {"S": "x" * size}}])
        only_english = ProductCounts({("en", rating): 10_000 for rating in RATINGS})
        chosen = CommentFilter.parse("~", ratings)
        priced = IndexPrices(chosen, only_english, needed=21).all()
        assert planner.cheapest(list(priced.values())).name in BY_LANGUAGE
        assert choose("~", ratings, only_english) not in BY_LANGUAGE


class TestTheMix:
    """Some languages by their ratings, a rarer one by language."""

    counts = ProductCounts(
        {(language, rating): weight * stars
         for language, weight in (("en", 900), ("es", 50), ("it", 20), ("pt", 10))
         for rating, stars in zip(RATINGS, (37, 8, 9, 9, 37), strict=True)}
    )  # fmt: skip

    def plan(self, languages: str, ratings: str, **how: str) -> ListPlan:
        chosen = CommentFilter.parse(languages, ratings)
        return plan_list("42", chosen, self.counts, needed=21, **how)

    def test_reads_each_language_as_is_cheapest(self):
        plan = self.plan("es.it.pt", "1.2")
        assert plan.name == "mixed"
        assert sorted(run.partition for run in plan.runs) == [
            "PRODUCT#42/es/1",
            "PRODUCT#42/es/2",
            "PRODUCT#42/it/1",
            "PRODUCT#42/it/2",
            "PRODUCT#42/pt",
        ]

    @pytest.mark.parametrize(("languages", "ratings"), [("~", "1.2"), ("en.it", "~"), ("~", "~")])
    def test_is_of_languages_and_ratings(self, languages, ratings):
        compared = self.plan(languages, ratings).compare()
        assert "mixed" not in {other.plan for other in compared.alternatives}


class TestAPlanAfterOneMoreComment:
    counts = ProductCounts({(language, 5): 20_000 for language in ("de", "en", "fr", "ja")})

    def plan(self, counts: ProductCounts) -> ListPlan:
        chosen = CommentFilter.of(["de", "en", "fr"], [4, 5])
        return plan_list("42", chosen, counts, needed=21)

    def test_reads_the_partition_that_has_got_its_first_one(self):
        chosen = CommentFilter.of(["de", "fr"], [1])
        partitions = []
        for cells in ({("de", 1): 30}, {("de", 1): 30, ("fr", 1): 1}):
            counts = ProductCounts({("en", 1): 20_000, ("fr", 2): 20_000, **cells})
            plan = plan_list("42", chosen, counts, needed=21)
            partitions.append([run.partition for run in plan.runs])
        assert partitions == [["PRODUCT#42/de/1"], ["PRODUCT#42/de/1", "PRODUCT#42/fr/1"]]

    def test_needs_no_new_prices_where_there_are_many(self):
        self.plan(self.counts)
        before = best_first_read.cache_info().misses
        self.plan(ProductCounts({**self.counts.cells, ("de", 5): 20_001}))
        assert best_first_read.cache_info().misses == before

    def test_says_how_many_the_rule_would_read(self):
        counts = ProductCounts({("de", 5): 3})
        more = ProductCounts({("de", 5): 4})
        chosen = CommentFilter.of(["de"], [5])
        numbers = [
            plan_list("42", chosen, each, needed=21).compare().by_rule for each in (counts, more)
        ]
        assert numbers == [(3,), (4,)]


class TestAPlanWhereItemsTurnOutLarger:
    counts = ProductCounts({("en", 5): 1_000, ("en", 1): 1_000})

    def estimate(self) -> float | None:
        plan = plan_list("42", CommentFilter.of(ratings=[5]), self.counts, needed=21)
        return plan.estimated_capacity_units

    def test_costs_more(self, monkeypatch):
        monkeypatch.setattr(planner, "SIZES", MeanSizes())
        before = self.estimate()
        large = {"x": {"S": "x" * 2_000}}
        for name in ("all", "by_rating", "by_language_and_rating"):
            planner.SIZES.note(name, [large])
        assert (self.estimate() or 0) > (before or 0)

    def test_is_compared_by_the_sizes_that_it_was_chosen_by(self, monkeypatch):
        monkeypatch.setattr(planner, "SIZES", MeanSizes())
        plan = plan_list("42", CommentFilter.of(ratings=[5]), self.counts, needed=21)
        before = plan.compare()
        planner.SIZES.note("all", [{"x": {"S": "x" * 2_000}}])
        assert plan.compare() == before


class TestAnEmptyPartition:
    counts = ProductCounts({("en", 5): 100, ("en", 1): 3})

    def test_is_not_read_but_named_so_that_the_last_page_can_look_into_it(self):
        plan = plan_list("42", CommentFilter.of(["de", "en"], [1, 2]), self.counts, needed=21)
        assert [run.partition for run in plan.runs] == ["PRODUCT#42/en/1"]
        assert {run.partition for run in plan.empty_partitions} == {
            "PRODUCT#42/de/1",
            "PRODUCT#42/de/2",
            "PRODUCT#42/en/2",
        }


filters = st.builds(
    CommentFilter.of,
    st.sets(st.sampled_from(["en", "de", "ja", "is", "fr"])),
    st.sets(st.sampled_from(RATINGS)),
)


def walk(
    product_id: str,
    chosen: CommentFilter,
    counts: ProductCounts,
    plan_of_page: Callable[[], str | None],
    *,
    size: int = 20,
) -> list[str]:
    """Walk a list, with a plan named anew for each page."""
    ids: list[str] = []
    request: PageRequest | None = PageRequest(size)
    while request:
        forced = plan_of_page()
        found = list_comments(product_id, chosen, request, counts=counts, forced_plan=forced)
        ids += [comment.id for comment in found.comments]
        page = found.page
        request = PageRequest(size, page.next_position) if page.has_next else None
    return ids


@pytest.fixture(scope="module")
def truth(tables):
    """120 comments on the product ``any-plan``, at six moments."""
    comments = tied_comments("any-plan", count=120)
    load(comments)
    return Truth(comments)


@pytest.mark.real_engine
@pytest.mark.usefixtures("tables")
class TestAnyPlan:
    @given(
        chosen=filters, plans=st.lists(st.sampled_from(PLANS), min_size=1), size=st.integers(3, 50)
    )
    @settings(max_examples=examples(60))
    def test_gives_the_same_list_also_when_it_changes_between_pages(
        self, truth, chosen, plans, size
    ):
        turns = iter(plans * 200)
        ids = walk("any-plan", chosen, read_counts("any-plan"), lambda: next(turns), size=size)
        assert ids == truth.ids(chosen.languages, chosen.ratings)


CELLS = [(language, rating) for language in ("en", "de", "ja", "is", "fr") for rating in RATINGS]
INDEXES = {"all": "a", "by_language": "l", "by_rating": "r", "by_language_and_rating": "b"}
wrong_counts = st.dictionaries(
    st.sampled_from(CELLS), st.sampled_from((0, 1, 5, 80, 4_000)), max_size=len(CELLS)
).map(ProductCounts)
choices = st.builds(
    CommentFilter.of,
    st.sets(st.sampled_from(["en", "de", "ja", "is", "fr"]), min_size=1),
    st.sets(st.sampled_from(RATINGS), min_size=1, max_size=4),
)
shapes = st.lists(st.tuples(st.sampled_from(CELLS), st.integers(0, 30)), max_size=90)


A_MIX_OF_THREE = ProductCounts(
    {(language, rating): number
     for language, row in (("en", (80, 0, 0, 5)), ("de", (80, 1, 80, 5)), ("fr", (5, 5, 0, 8_000)),
                           ("ja", (1_000,)))
     for rating, number in enumerate(row, 1)}
)  # fmt: skip
"""English and French are read by both, German by language, two stars of the others by rating."""


class TestTheCheapestPlan:
    @given(
        chosen=filters,
        counts=wrong_counts,
        needed=st.sampled_from((2, 21, 101)),
        most=st.sampled_from((1.0, 3.0, 12.0, inf)),
    )
    @settings(max_examples=examples(300))
    def test_is_that_of_all_of_them_though_most_are_not_priced(self, chosen, counts, needed, most):
        prices = IndexPrices(chosen, counts, needed=needed)
        allowed = []
        for name, priced in prices.all().items():
            needs_languages = name in BY_LANGUAGE
            if len(priced.runs) <= most and (chosen.languages or not needs_languages):
                allowed.append(priced)
        assert prices.cheapest(most) == planner.cheapest(allowed)


class TestEveryPlan:
    @given(chosen=choices, counts=wrong_counts)
    @example(chosen=CommentFilter.of(("de", "en", "fr"), (1, 2, 3)), counts=A_MIX_OF_THREE)
    @settings(max_examples=examples(300))
    def test_holds_each_language_with_each_rating_once(self, chosen, counts):
        expected = sorted(run.partition for run in plan("p", chosen).runs)
        for name in IndexPrices(chosen, counts, needed=21).all():
            found = plan_list("p", chosen, counts, needed=21, forced=name)
            if not found.runs and found.estimated_capacity_units is None:
                continue  # nothing in it belongs to the list, by the counts
            held = [
                run
                for one in (*found.runs, *found.empty_partitions)
                for run in exact_runs("p", one)
            ]
            assert sorted(run.partition for run in held) == expected


class TestAPlanForSoManyUnits:
    MANY = CommentFilter.of(("da", "de", "en", "es", "fr", "is", "it", "ja"), (1, 2, 3, 4))

    @given(counts=wrong_counts, most=st.floats(0, 8))
    def test_leaves_room_to_read_on(self, counts, most):
        found = plan_list("p", self.MANY, counts, needed=21, most_units=most)
        assert len(found.runs) * 0.5 <= max(most * 0.75, 4)

    @given(chosen=choices, counts=wrong_counts, most=st.integers(0, 40))
    def test_falls_back_to_no_more_runs_than_it_may(self, chosen, counts, most):
        found = plan_list("p", chosen, counts, needed=21)
        for run in found.runs if found.fallback else ():
            others = found.fallback(run, most)
            assert len(others) <= most
            held = sorted(one.partition for other in others for one in exact_runs("p", other))
            assert held in ([], sorted(one.partition for one in exact_runs("p", run)))

    def test_falls_back_to_languages_where_both_are_too_many(self):
        evenly = ProductCounts(
            {(one, r): 90 for one in ("ru", *self.MANY.languages) for r in RATINGS}
        )
        found = plan_list("p", self.MANY, evenly, needed=21, most_units=8)
        (run,) = found.runs
        assert [len(found.fallback(run, most)) for most in (32, 31, 8, 7)] == [32, 8, 8, 0]


class TestCountsThatAreStaleWrongOrMissing:
    @given(chosen=filters, counts=wrong_counts, shape=shapes, size=st.integers(1, 8))
    @settings(max_examples=examples(300))
    def test_lose_repeat_and_misplace_no_comment(self, chosen, counts, shape, size):
        """What is in partitions counted as empty comes with the end of the list."""
        comments = [
            NewComment(f"{n:03}", "p", *cell, created_at=START + timedelta(minutes=minute))
            for n, (cell, minute) in enumerate(shape)
        ]
        items = [items_of(comment)[0].serialize() for comment in comments]
        model = QueryModel({name: (key, "o") for name, key in INDEXES.items()}, items)
        how = {"source": QuerySource(model), "pool": Pool(2)}
        walked: list[str] = []
        request: PageRequest | None = PageRequest(size)
        while request:
            plan = plan_list("p", chosen, counts, needed=size + 1)
            limits = {"first_reads": plan.first_reads, "fallback": plan.fallback}
            page = read_page(plan.runs, request, **how, **limits)
            walked += [id_at(entry.position.place) for entry in page.entries]
            request = PageRequest(size, page.next_position) if page.has_next else None
        late = read_page(plan.empty_partitions, PageRequest(200), **how).entries
        found_late = {id_at(entry.position.place) for entry in late}
        truth = Truth(comments).ids(chosen.languages, chosen.ratings)
        assert walked == [one for one in truth if one not in found_late]
        assert found_late <= set(truth)


SHAPES: dict[str, Callable[[int], dict[str, object]]] = {
    "a rating that is only old": lambda n: {"rating": 1} if n < 20 else {},
    "a rating that is only new": lambda n: {"rating": 1} if n > 180 else {},
    "a language all in one hour": lambda n: (
        {"language": "de", "created_at": START} if 50 < n < 100 else {}
    ),
    "all in the same microsecond": lambda n: {"created_at": START, "rating": n % 5 + 1},
}


def adversarial(product_id: str, kind: str) -> list[NewComment]:
    """Comments that no mean tells anything about."""
    comments = tied_comments(product_id, count=200)
    spread = [
        replace(c, created_at=START + timedelta(hours=n), language="en", rating=5)
        for n, c in enumerate(comments)
    ]
    return [replace(c, **SHAPES[kind](n)) for n, c in enumerate(spread)]


@pytest.mark.real_engine
@pytest.mark.usefixtures("tables")
class TestAdversarialData:
    @pytest.mark.parametrize("kind", SHAPES)
    def test_is_listed_exactly_and_costs_little_more_than_the_exact_plan(self, kind, fresh):
        product_id = fresh("adversarial")
        comments = adversarial(product_id, kind)
        load(comments)
        counts, truth = read_counts(product_id), Truth(comments)
        for chosen in (
            CommentFilter.of([], [1]),
            CommentFilter.of([], [1, 2, 3, 4]),
            CommentFilter.of(["de"], [1, 5]),
            CommentFilter.of(["de", "en"], [2, 3, 4, 5]),
        ):
            assert walk(product_id, chosen, counts, lambda: None) == truth.ids(
                chosen.languages, chosen.ratings
            )
            self.assert_bounded(product_id, chosen, counts)

    def assert_bounded(self, product_id: str, chosen: CommentFilter, counts: ProductCounts) -> None:
        request = PageRequest(20)
        spent = Counter[str]()
        for name in (None, "by_language_and_rating" if chosen.languages else "by_rating"):
            found = list_comments(product_id, chosen, request, counts=counts, forced_plan=name)
            spent[name or "chosen"] = sum(r.capacity_units for r in found.page.reads)
            if name is None:
                estimate = found.plan.estimated_capacity_units or 0.0
        exact = max(spent[n] for n in spent if n != "chosen")
        assert spent["chosen"] <= exact + max(estimate, 1.0) + 0.5
