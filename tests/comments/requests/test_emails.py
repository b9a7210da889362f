"""The e-mail that asks for reviews: what it says, in which language, and its headers."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy

import pytest

from comments.host import Product
from comments.requests.emails import MOST_PRODUCTS, build_email
from comments.requests.links import purchase_in
from comments.requests.purchases import DuePurchase
from tests.support.chance import unique
from tests.support.comments.requested import (
    SITE,
    ask,
    emails_to,
    form_links_in,
    links_in,
    opt_out_path,
    purchase_of,
)
from tests.support.comments.writers import made_product

LAMP = Product("lamp", "Desk\nlamp", "/lamp/")
CHAIR = Product("a/b c", "Chair <&>", "/chair/")
BOUGHT = DuePurchase(
    id="order-1",
    user_id="ann",
    address="ann@example.com",
    bought_at=datetime(2026, 11, 3, tzinfo=UTC),
    product_ids=("lamp", "chair"),
    name="Ann",
    language="en",
)


def built(*products: Product, **told: str) -> object:
    return build_email(_with(**told), products or (LAMP, CHAIR), site=SITE)


def _with(**told: str) -> DuePurchase:
    return replace(BOUGHT, **told)


def test_a_purchase_needs_a_moment_with_a_time_zone():
    with pytest.raises(ValueError, match="no time zone"):
        replace(BOUGHT, bought_at=datetime(2026, 11, 3))  # noqa: DTZ001 - it is what is refused


class TestTheEmail:
    def test_names_the_customer_the_day_and_each_product(self):
        email = built()
        assert email.to == ["ann@example.com"]
        assert email.subject == "What do you think of your purchase at shop.example.com?"
        assert "Hello Ann," in email.body
        assert "3 Nov 2026" in email.body
        assert "\nDesk lamp\n" in email.body
        assert "\nChair <&>\n" in email.body

    def test_has_a_link_to_the_form_for_each_of_several_products(self):
        lamp, chair = form_links_in(built())
        assert lamp.startswith("/products/lamp/comments/new/?bought=yes&request=")
        assert chair.startswith("/products/")
        token = lamp.partition("request=")[2].replace("%3A", ":")
        assert purchase_in(token, user_id="ann") == "order-1"
        assert purchase_in(token, user_id="bob") == ""

    def test_has_a_link_for_each_number_of_stars_of_one_product(self):
        links = form_links_in(built(LAMP))
        assert [re.findall(r"rating=(\d)", link) for link in links] == [[n] for n in "54321"]
        assert "\n5 stars: https://" in built(LAMP).body
        assert "\n1 star: https://" in built(LAMP).body

    def test_is_in_the_language_of_the_customer_if_the_site_has_it(self):
        german = built(language="de")
        assert german.subject == "Wie gefällt Ihnen Ihr Einkauf bei shop.example.com?"
        assert "Guten Tag Ann," in german.body
        assert "3. Nov 2026" in german.body
        assert "5 Sterne" in built(LAMP, language="de").body
        for other in ("", "fr", "nonsense"):
            assert built(language=other).subject == built().subject

    def test_greets_somebody_without_a_name(self):
        assert built(name="").body.startswith("Hello,\n")
        assert built(name="", language="de").body.startswith("Guten Tag,\n")

    def test_has_the_headers_of_rfc_8058_as_they_are(self):
        email = built()
        sent = message_from_bytes(email.message().as_bytes(), policy=policy.compat32)
        assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        opt_out = re.compile(r"<https://shop\.example\.com/review-requests/[^>\s]+/>")
        assert opt_out.fullmatch(sent["List-Unsubscribe"].strip())
        assert opt_out_path(email) in links_in(email), "for readers whose program has no button"

    def test_has_no_line_twice_and_no_gap(self):
        for email in (built(), built(LAMP)):
            lines = [line for line in email.body.splitlines() if line]
            assert len(lines) == len(set(lines))
            assert "\n\n\n" not in email.body


@pytest.mark.usefixtures("tables")
def test_an_email_asks_about_ten_products_at_the_most():
    products = [made_product() for _ in range(MOST_PRODUCTS + 2)]
    purchase = purchase_of(unique("ann"), *products)
    ask(purchase)
    (email,) = emails_to(purchase.user_id)
    assert len(form_links_in(email)) == MOST_PRODUCTS == 10
    assert products[0] in email.body
