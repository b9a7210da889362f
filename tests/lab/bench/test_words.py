"""``bench words``: each search is right, and what other designs would read is counted."""

import pytest

from dynapages.django.options import Progress
from dynapages.engine.server import find_dynoxide
from lab.bench import words
from lab.bench.word_designs import FILTER, SEGMENTS, THIN, Listed, OtherDesigns
from lab.bench.words import measure_words, words_section
from lab.reports.results import Results
from tests.support.project import PROJECT


def listed(*stems: str, entry_bytes: int = 400) -> Listed:
    return Listed(frozenset(stems), entry_bytes)


class TestOtherDesigns:
    def test_read_a_key_and_an_entry_for_each_comment_of_one_word(self):
        costs = OtherDesigns([listed("pan")] * 30, size=20).costs(["pan"])
        assert (costs[THIN].capacity_units, costs[THIN].rounds) == (0.5 + 20 * 0.5, 2)

    def test_filter_all_entries_up_to_the_last_that_is_shown(self):
        comments = [*[listed("pan")] * 2, *[listed("lid")] * 200, listed("pan")]
        assert OtherDesigns(comments, size=1).costs(["pan"])[FILTER].capacity_units == 0.5
        assert OtherDesigns(comments, size=2).costs(["pan"])[FILTER].capacity_units == 10

    def test_pass_over_what_the_other_word_does_not_have(self):
        comments = [listed("pan", "lid"), *[listed("pan")] * 900, listed("pan", "lid")]
        cost = OtherDesigns(comments, size=20).costs(["pan", "lid"])[THIN]
        # Both words, then the first one from where the other ends; and two entries.
        assert (cost.capacity_units, cost.rounds) == (2 * 0.5 + 0.5 + 2 * 0.5, 3)

    def test_end_where_a_word_has_no_more(self):
        comments = [*[listed("pan")] * 900, listed("lid")]
        cost = OtherDesigns(comments, size=20).costs(["pan", "lid"])[SEGMENTS]
        assert cost.rounds <= 2

    def test_write_a_key_or_a_segment_for_each_stem(self):
        assert OtherDesigns([listed("pan", "lid")], size=20).written()[THIN] == 2


@pytest.mark.real_engine
@pytest.mark.slow
def test_searches_of_made_comments_cost_what_is_promised(tmp_path, settings, monkeypatch):
    if find_dynoxide(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
    settings.VAR_DIR = tmp_path
    monkeypatch.setenv("REAL_DATA_DIR", str(tmp_path))
    for name, value in {"MADE": 600, "ENOUGH": 100, "SEARCHES": 20}.items():
        monkeypatch.setattr(words, name, value)
    found = Results(measure_words(fresh=True, progress=Progress(shown=False)))
    assert "Made comments" in found.value("data")
    assert len(found.values("is_full")) == 3 * 20
    section = words_section(found)
    assert section.tables[-1].rows[2][-1] == "yes", section.text()
