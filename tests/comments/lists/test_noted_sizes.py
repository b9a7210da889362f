"""Plans are priced by the sizes of a few items of each page."""

from comments.indexes.planner import BY_LANGUAGE, BY_RATING
from comments.lists import queries
from dynapages.lists import Entry, MeanSizes, Page, Position, Run
from dynapages.lists.first_reads import _SAMPLE

SHORT, LONG = ({"text": {"S": "x" * size}} for size in (96, 996))


def page_of(entries: list[Entry]) -> Page:
    return Page(
        entries=tuple(entries),
        has_next=False,
        has_previous=False,
        rounds=1,
        reads=(),
    )


class TestThePageOfAMix:
    def test_gives_the_first_three_items_of_each_index(self, monkeypatch):
        sizes = MeanSizes()
        monkeypatch.setattr(queries, "SIZES", sizes)
        runs = [Run(BY_LANGUAGE.index, "p"), Run(BY_RATING.index, "p")]
        entries = []
        for number in range(12):
            # What is behind the third of an index is no part of the mean.
            item = SHORT if number < 2 * _SAMPLE else LONG
            entries.append(Entry(item, Position(f"{number:02}"), runs[number % 2]))
        queries._note_sizes(page_of(entries))
        assert sizes.mean(BY_LANGUAGE.name) == sizes.mean(BY_RATING.name) == 100
