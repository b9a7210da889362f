"""What somebody types finds a comment, or does not, in many languages.

The table of docs/search.md has an example for a family of languages. words_typed.jsonl has more, of
the kinds that people complain of in public threads about searches.
"""

import json
import re
from pathlib import Path

import pytest

from comments.filters import CommentFilter
from comments.lists.search_queries import SearchRequest, search_comments
from comments.search.words import indexed_stems, parse_search
from comments.store.counts import ProductCounts
from dynapages.lists import PageRequest
from tests.support.comments.searched import load_searched
from tests.support.comments.truth import written
from tests.support.project import PROJECT

DOCUMENT = PROJECT / "docs" / "search.md"
CASES = Path(__file__).with_name("words_typed.jsonl")
HEADING = "| language | a comment with | is found by | not by |"


def documented() -> list[tuple[str, str, list[str], list[str]]]:
    """The table: language, text, and searches that find it and that do not."""
    lines = DOCUMENT.read_text("utf-8").splitlines()
    first = lines.index(HEADING) + 2
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        language, text, finds, misses = line.strip("|").split("|")
        rows.append((_code(language)[0], _code(text)[0], _code(finds), _code(misses)))
    return rows


def _code(cell: str) -> list[str]:
    return re.findall("`([^`]+)`", cell)


def collected() -> list[tuple[str, str, list[str], list[str]]]:
    rows = map(json.loads, CASES.read_text("utf-8").splitlines())
    return [(row["language"], row["body"], row["found_by"], row["not_by"]) for row in rows]


def is_found(typed: str, text: str, language: str) -> bool:
    wanted = parse_search(typed).stems(language)
    return bool(wanted) and {*wanted} <= {*indexed_stems("", text, language)}


EVERY_ROW = pytest.mark.parametrize(
    ("language", "text", "finds", "misses"), [*documented(), *collected()]
)


class TestAComment:
    @EVERY_ROW
    def test_is_found_by_what_its_row_says(self, language, text, finds, misses):
        assert [typed for typed in finds if not is_found(typed, text, language)] == []

    @EVERY_ROW
    def test_is_not_found_by_the_rest(self, language, text, finds, misses):
        assert [typed for typed in misses if is_found(typed, text, language)] == []


class TestTheTable:
    def test_has_families_of_languages_and_both_kinds_of_searches(self):
        rows = documented()
        assert len({language for language, *_ in rows}) == len(rows) - 1  # "any" is English
        assert len(rows) > 30
        assert all(finds and misses for _, _, finds, misses in rows)


@pytest.mark.real_engine
@pytest.mark.usefixtures("searchable")
def test_comments_are_found_in_a_list_of_all_languages(fresh):
    product_id = fresh("product")
    comments = [
        written(product_id, id=f"{product_id}-{number}", language=language, body=text)
        for number, (language, text, *_) in enumerate(collected())
    ]
    load_searched(comments)
    languages = {comment.language for comment in comments}
    counts = ProductCounts({(language, 4): 2 for language in languages})
    for comment, (_, _, finds, misses) in zip(comments, collected(), strict=True):
        chosen = CommentFilter.of([comment.language])
        for typed in [*finds, *misses]:
            wanted = SearchRequest(parse_search(typed))
            found = search_comments(product_id, wanted, chosen, PageRequest(20), counts=counts)
            is_there = comment.id in [one.id for one in found.comments]
            assert is_there == (typed in finds), typed
