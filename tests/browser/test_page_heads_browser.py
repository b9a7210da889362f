"""Every type of page in Chromium: its heading is where all headings are, and as large."""

from collections import Counter

import pytest

from tests.support.config.addresses import people
from tests.support.config.page_types import addresses_of, furnished

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

HEAD = """() => {
    const heading = document.querySelector("h1");
    const { left, top } = heading.getBoundingClientRect();
    const edge = document.querySelector(".wordmark").getBoundingClientRect().left;
    const foot = document.querySelector(".site-header").getBoundingClientRect().bottom;
    const beside = heading.closest(".product-header")?.querySelector("img");
    const first = beside ? beside.getBoundingClientRect().left : left;
    const places = [first - edge, top - foot].map(Math.round);
    return `${getComputedStyle(heading).fontSize}, ${places} px from the left edge and the header`;
}"""


@pytest.fixture(scope="module")
def known(tables):
    return people()


@pytest.fixture(scope="module")
def arguments(known):
    return furnished(known)


@pytest.mark.parametrize("role", ["nobody", "owner", "staff"])
def test_every_page_has_its_heading_at_one_place(visitor, seat, known, arguments, role):
    arrived = seat(known[role]) if role in known else visitor
    arrived.page.set_viewport_size({"width": 1280, "height": 844})
    heads = {}
    for address in addresses_of(role, arguments):
        arrived.page.goto(address)
        heads[address] = arrived.page.evaluate(HEAD)
    arrived.forgive("Failed to load resource: the server responded with a status of 40")
    usual = Counter(heads.values()).most_common(1)[0][0]
    assert [f"{address}: {head}" for address, head in heads.items() if head != usual] == []
