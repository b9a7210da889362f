"""The counts of a product, added up in one pass, are those of each filter."""

from hypothesis import given
from hypothesis import strategies as st

from comments.filters import RATINGS, CommentFilter
from comments.store.counts import ProductCounts

LANGUAGES = ("de", "en", "ja")
counts_of_products = st.dictionaries(
    st.tuples(st.sampled_from(LANGUAGES), st.sampled_from(RATINGS)), st.integers(-2, 50)
).map(ProductCounts)
filters = st.builds(
    CommentFilter.of,
    st.sets(st.sampled_from(LANGUAGES)),
    st.sets(st.sampled_from(RATINGS)),
)


class TestTheCountsByValue:
    @given(counts=counts_of_products, chosen=filters)
    def test_of_a_language_are_those_of_the_list_in_it_alone(self, counts, chosen):
        numbers = counts.by_value(chosen)
        for language in LANGUAGES:
            alone = CommentFilter.of([language], chosen.ratings)
            assert numbers.in_language(language) == counts.of(alone)
        assert numbers.in_any_language == counts.of(chosen.in_any_language())

    @given(counts=counts_of_products, chosen=filters)
    def test_of_a_rating_are_those_of_the_list_with_it_alone(self, counts, chosen):
        numbers = counts.by_value(chosen)
        for rating in RATINGS:
            alone = CommentFilter.of(chosen.languages, [rating])
            assert numbers.with_rating(rating) == counts.of(alone)
        assert numbers.with_any_rating == counts.of(chosen.with_any_rating())


class TestTheTotal:
    @given(counts=counts_of_products)
    def test_is_of_all_languages_and_ratings(self, counts):
        assert counts.total == counts.within(LANGUAGES, RATINGS)
        assert counts.of(CommentFilter()) == counts.total


class TestTheAverageRating:
    def test_leaves_out_what_is_below_zero_for_a_moment(self):
        counts = ProductCounts({("en", 5): 3, ("de", 1): 1, ("ja", 2): -7})
        assert counts.average_rating == 4

    def test_of_nothing_is_none(self):
        assert ProductCounts({("en", 5): 0}).average_rating is None
