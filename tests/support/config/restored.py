"""What a site shows of restored tables, compared with what is stored in them."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from typing import Any
from unittest.mock import patch

from django.core.management import call_command
from django.test import Client

from comments import keys
from comments.items import NewComment
from comments.models import TABLE as COMMENTS
from comments.rankings.queries import list_most_helpful, list_ranking
from comments.rankings.services import BEST_RATING, Ranking
from comments.store.comments import load_comment
from comments.store.states import is_listed
from comments.store.table import id_of, is_comment
from dynapages.lists import PageRequest
from dynapages.process import client
from dynapages.upkeep import every_item, integrity
from shop.catalogue.stored import stored_products
from tests.support.comments.searched import found_in

WORDS = ("bright", "lamp", "velvet", "secret", "creaked", "sofa")
"""That some comments of the shop of `tests.support.config.moments` have."""
Found = Mapping[str, Any]


def checked(*options: str) -> Found:
    """What ``check_integrity`` prints as JSON, without a pause to let others write."""
    out = StringIO()
    no_pauses = (0.0,) * len(integrity.PAUSES)
    with suppress(SystemExit), patch.object(integrity, "PAUSES", no_pauses):
        call_command("check_integrity", "--json", *options, stdout=out)
    printed: Found = json.loads(out.getvalue())
    return printed


def kinds_in(rows: list[dict[str, str]]) -> set[tuple[str, str]]:
    """The checks and kinds of some differences."""
    return {(row["check"], row["kind"]) for row in rows}


def listed_comments() -> dict[str, list[NewComment]]:
    """All comments that lists show, by their products, each read by itself."""
    by_product = defaultdict[str, list[NewComment]](list)
    for item in every_item(client(), COMMENTS):
        if item["pk"]["S"].startswith(keys.COMMENT_PREFIX) and is_comment(item) and is_listed(item):
            comment = load_comment(id_of(item)).comment
            by_product[comment.product_id].append(comment)
    return by_product


def differences_of_pages() -> list[str]:
    """Return in which lists the site shows other comments than are stored."""
    by_product = listed_comments()
    products = stored_products(by_product)
    ranked = _five_stars()
    votes = _votes()
    wrong = []
    for product_id, comments in sorted(by_product.items()):
        product = products.get(product_id)
        if product:
            for query, stored in _lists_of(comments).items():
                shown = _shown(product_id, query)
                if shown != stored:
                    wrong.append(f"{product_id}{query}: {shown}, not {stored}")
        # One that is not sold any more is in no ranking of products.
        best = sum(comment.rating == BEST_RATING for comment in comments)
        if product and product.content.is_off:
            best = 0
        if ranked.get(product_id, 0) != best:
            wrong.append(f"{product_id} has {best} five-star comments, not as ranked")
        helpful = {c.id: votes[c.id] for c in comments if votes[c.id]}
        if _most_helpful(product_id) != helpful:
            wrong.append(f"{product_id} has comments with {helpful} votes, not as ranked")
    return wrong


def _lists_of(comments: list[NewComment]) -> dict[str, list[str]]:
    """The ids of comments that lists of their product must show, by the queries of these."""
    newest = sorted(comments, key=lambda c: (c.created_at, c.id), reverse=True)
    lists = {
        "": [c.id for c in newest],
        "?language=en": [c.id for c in newest if c.language == "en"],
        "?rating=5": [c.id for c in newest if c.rating == BEST_RATING],
        "?language=en&rating=1&rating=4": [
            c.id for c in newest if c.language == "en" and c.rating in {1, 4}
        ],
    }
    for word in WORDS:
        lists[f"?q={word}"] = found_in(comments, word)
    return lists


def _shown(product_id: str, query: str) -> list[str]:
    """The ids of comments that the API lists."""
    answer = Client().get(f"/api/v1/products/{product_id}/comments{query}")
    assert answer.status_code == 200, answer.content
    return [comment["id"] for comment in answer.json()["items"]]


def _five_stars() -> dict[str, int]:
    """The numbers of 5-star comments by which products rank."""
    ranked = list_ranking(Ranking.FIVE_STARS, PageRequest(100))
    return {one.product.id: one.five_stars or 0 for one in ranked.items}


def _most_helpful(product_id: str) -> dict[str, int]:
    """The numbers of votes by which comments rank."""
    ranked = list_most_helpful(product_id, PageRequest(100))
    return {one.id: one.helpful_votes or 0 for one in ranked.items}


def _votes() -> Counter[str]:
    """The numbers of votes by the ids of comments, counted one by one."""
    votes = Counter[str]()
    for item in every_item(client(), COMMENTS):
        if item["sk"]["S"].startswith(keys.VOTE_PREFIX):
            votes[keys.comment_id_in(item["pk"]["S"])] += 1
    return votes
