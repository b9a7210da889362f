"""``bench api``: what a list costs the processor as JSON of the API, compared with its page.

It measures the processor time of the whole process, with all its threads.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from statistics import median
from time import process_time
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from dynapages.django.options import Advance, Progress
from dynapages.django.paging import tokens
from dynapages.lists import id_at
from lab.bench.data import PRODUCT_ID
from lab.bench.pages import COMMENT_FILTERS, MeasuredList, MeasuredPage
from lab.bench.readers import WrongAnswer, cut_page
from lab.bench.site import Site
from lab.report import Limit, Section, Table

MOST_OF_A_PAGE = 0.75
"""How much of the time of its page a list of the API may take."""
WARM_UP_PAGES = 5
"""Pages of each list that are not counted, in which connections and templates are made."""


@dataclass(frozen=True, slots=True)
class ListTimes:
    """Median milliseconds of a list's pages, and of those in the API."""

    name: str
    page: float
    api: float

    @property
    def api_share(self) -> float:
        """How much of the time of its pages the list takes in the API."""
        return self.api / self.page


def measure_api(
    lists: Sequence[MeasuredList], site: Site, *, turns: int, progress: Progress
) -> Section:
    """Measure random pages of each list, each in both forms. Raises WrongAnswer and PageFailed."""
    measured = []
    with progress.step("Timing", total=turns * len(lists), unit=" pages") as advance:
        for each in lists:
            measured.append(_times_of(each, site, turns=turns, advance=advance))
    rows = []
    for times in measured:
        rows.append((times.name, round(times.page, 1), round(times.api, 1)))
    titles = ("list", "page", "API")
    caption = f"Milliseconds of the processor, as medians of {turns} pages of {settings.PAGE_SIZE}"
    ratio = median(times.api_share for times in measured)
    return Section(
        "Lists of comments in the API",
        (),
        [Table(caption, titles, rows)],
        [Limit("API ÷ page, median of the lists", MOST_OF_A_PAGE, ratio)],
    )


def _times_of(
    measured_list: MeasuredList, site: Site, *, turns: int, advance: Advance
) -> ListTimes:
    """Return the times of random pages of a list, each shown in both forms."""
    random = Random(1)  # noqa: S311 - which pages, not a secret
    pages = _random_pages(measured_list, WARM_UP_PAGES + turns, random)
    warm_up = min(WARM_UP_PAGES, len(pages) - 1)
    milliseconds: dict[str, list[float]] = {"page": [], "api": []}
    for number, page in enumerate(pages):
        address = _address_in_api(page)
        _require_same_comments(page, site.get(address))
        forms = {"page": page.path, "api": address}
        for form in random.sample(sorted(forms), len(forms)):
            spent = _milliseconds(site.get, forms[form])
            if number >= warm_up:
                milliseconds[form].append(spent)
        advance(1)
    return ListTimes(
        measured_list.name, page=median(milliseconds["page"]), api=median(milliseconds["api"])
    )


def _random_pages(
    measured_list: MeasuredList, number: int, random: Random
) -> Sequence[MeasuredPage]:
    """Return pages of a list, as many as it has if these are fewer; none of them twice."""
    size = settings.PAGE_SIZE
    last = ceil(len(measured_list.positions) / size)
    pages = []
    for page_number in random.sample(range(1, last + 1), min(number, last)):
        request, sort_keys = cut_page(measured_list.positions, page=page_number, size=size)
        pages.append(MeasuredPage(measured_list, page_number, request, sort_keys))
    return pages


def _address_in_api(page: MeasuredPage) -> str:
    """Return the address of a page's list in the API, as a link there has it."""
    chosen = COMMENT_FILTERS[page.list.name]
    query: list[tuple[str, object]] = [("language", code) for code in chosen.languages]
    query += [("rating", rating) for rating in chosen.ratings]
    position = page.request.position
    if position is not None:
        token = tokens().write(position, list_name=page.list.pager.list_name)
        query.append(("cursor", f"after.{token}"))
    return f"{reverse('api:list_comments', args=[PRODUCT_ID])}?{urlencode(query)}"


def _require_same_comments(page: MeasuredPage, answer: bytes) -> None:
    """Raise WrongAnswer unless the API answers the comments of a page."""
    found = [comment["id"] for comment in json.loads(answer)["items"]]
    if found != [id_at(sort_key) for sort_key in page.sort_keys]:
        raise WrongAnswer(f"The API answers others than {page.name}.")


def _milliseconds(get: Callable[[str], object], path: str) -> float:
    began = process_time()
    get(path)
    return 1_000 * (process_time() - began)
