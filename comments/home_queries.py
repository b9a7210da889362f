"""Reads of the front page: shelves of products and the heads of the rankings, in one round."""

from dataclasses import dataclass
from functools import partial

from comments.rankings.queries import Leaderboards, find_leaderboards
from dynamo.calls.client import pool
from dynamo.lists.reader import Page, PageRequest
from shop.catalogue.queries import list_categories
from shop.catalogue.shelves import Shelf, shelves_in

RANKED = 10


@dataclass(frozen=True, slots=True)
class FrontPage:
    """A page of the categories; ``boards`` are on the first one alone."""

    page: Page
    shelves: tuple[Shelf, ...]
    boards: Leaderboards | None


def read_front_page(request: PageRequest, *, has_boards: bool) -> FrontPage:
    """Read a page of categories with their first products, and the heads of the rankings."""
    with pool().together() as together:
        boards = together.start(partial(find_leaderboards, RANKED)) if has_boards else None
        page = list_categories(request)
        return FrontPage(page, shelves_in(page), boards.result() if boards else None)
