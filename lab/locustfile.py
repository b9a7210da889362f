"""People for Locust: visitors, customers and staff, who check every answer (docs/benchmarks.md).

Start it in the project's folder: ``python -m locust --locustfile lab/locustfile.py``.
"""

import html
import re
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from time import monotonic, sleep
from uuid import uuid4

from locust import HttpUser, events, task
from locust.exception import RescheduleTask

SAMPLE_SHOP = "http://127.0.0.1:8000"
STAFF_NAME, STAFF_PASSWORD = "sam", "sample-shop"
CUSTOMER_PASSWORD = "correct-horse-battery"  # noqa: S105 - of users that a load test makes

SHED_SENTENCES = ("Too many people are in the shop", "Too many passwords are being checked")
"""What a site that is full says; one without its database has other words for the same status."""
HTMX_SECONDS = 15.0
"""After which htmx gives up."""
IDLE_SECONDS = 1.0
"""After which a connection is not used again.

gunicorn closes it after 2, and a request sent at that moment is lost; browsers repeat it unseen.
"""
CSRF_TOKEN = "t" * 32
"""The cookie and the field have to agree, whatever it is."""

COMMENT_PATH = r"/comments/[\w-]+/$"
"""The page of a comment, not one that does something with it, whose address has more parts."""
ORDER_PATH = r"/orders/[0-9A-Z]{26}/"
ADDRESS = {
    "address-name": "Load Example",
    "address-lines": "Sample Street 1",
    "address-postal_code": "10115",
    "address-city": "Berlin",
    "address-country": "DE",
}
"""What is typed where an order is to go."""
LIST_MARKER = 'id="comments"'
SIGNED_IN_MARKER = 'action="/accounts/logout/"'
LANGUAGES, RATINGS = ("de", "en", "fr", "it", "nl"), "12345"


@dataclass(frozen=True)
class Page:
    """A page, or the part of one that htmx asks for."""

    text: str

    def links(self, pattern: str, *, rel: str = "") -> list[str]:
        """Return the paths of links that match from their beginning, without their fragments."""
        paths = []
        for tag in re.findall(r"<a\s[^>]*>", self.text):
            path = _attribute(tag, "href").partition("#")[0]
            if _attribute(tag, "rel") == rel and re.match(pattern, path):
                paths.append(path)
        return paths

    def form(self, pattern: str) -> tuple[str, dict[str, str]] | None:
        """Return the address and the hidden fields of the first form whose address begins so."""
        for tag, content in re.findall(r"(<form\s[^>]*>)(.*?)</form>", self.text, re.DOTALL):
            action = _attribute(tag, "action")
            if re.match(pattern, action):
                fields = {}
                for field in re.findall(r'<input\s[^>]*type="hidden"[^>]*>', content):
                    fields[_attribute(field, "name")] = _attribute(field, "value")
                return action, fields
        return None


def _attribute(tag: str, name: str) -> str:
    """Return the value of a tag's attribute; empty where it has none."""
    match = re.search(rf'\s{name}="([^"]*)"', tag)
    return html.unescape(match[1]) if match else ""


@events.init_command_line_parser.add_listener
def add_options(parser: ArgumentParser) -> None:
    """Add the option of this file."""
    parser.add_argument("--think-seconds", type=float, default=4.0, help="mean between two tasks")


class Person(HttpUser):
    """A user of the load test; the tasks are those of its classes.

    Each has an address of its own, which a site with ``TRUSTED_PROXIES=1`` believes: the site's
    limits for one address are then not what is measured.
    """

    abstract = True
    host = SAMPLE_SHOP
    is_signed_in = False

    def on_start(self) -> None:
        self.random = Random()  # noqa: S311 - not a secret
        self._products: list[str] = []
        self._last_request = monotonic()
        address = ".".join(str(self.random.randint(1, 250)) for _ in range(3))
        self.client.headers.update({"X-Forwarded-For": f"10.{address}", "Accept-Language": "en"})

    def wait_time(self) -> float:
        """Return seconds to the next task: as a rule short, at times long, as people's are."""
        mean: float = self.environment.parsed_options.think_seconds
        if not mean:
            return 0.0
        return min(self.random.expovariate(1 / mean), 5 * mean)

    def get(self, name: str, path: str, *, marker: str = "<h1", htmx: bool = False) -> Page:
        """Return a page, or with ``htmx`` the part of it that htmx swaps in."""
        if htmx:
            headers = {"HX-Request": "true"}
            return self._request("GET", f"{name} (htmx)", path, marker, headers=headers)
        return self._request("GET", name, path, marker)

    def post(self, name: str, path: str, fields: Mapping[str, str], *, marker: str = "<h1") -> Page:
        """Send a form; return the page that follows."""
        # The field has to be that of the cookie, which signing in changes.
        self.client.cookies.set("csrftoken", None)
        self.client.cookies.set("csrftoken", CSRF_TOKEN)
        form = {**fields, "csrfmiddlewaretoken": CSRF_TOKEN}
        return self._request("POST", name, path, marker, data=form)

    def _request(
        self, method: str, name: str, path: str, marker: str, **options: Mapping[str, str]
    ) -> Page:
        """Return a page, counted under a name.

        With another status than 200, or without the marker in its text, it counts as a failure. The
        answer of a site that is full counts as "name (shed)", and its ``Retry-After`` is waited
        for. After both the task ends by RescheduleTask.
        """
        if monotonic() - self._last_request > IDLE_SECONDS:
            self.client.close()
        retry_seconds = 0.0
        with self.client.request(
            method, path, name=name, timeout=HTMX_SECONDS, catch_response=True, **options
        ) as response:
            self._last_request = monotonic()
            page = Page(response.text or "")
            if response.status_code == 200 and marker in page.text:  # noqa: PLR2004 - HTTP's
                response.success()
                return page
            if any(sentence in page.text for sentence in SHED_SENTENCES):
                retry_seconds = float(response.headers["Retry-After"])
                response.request_meta["name"] = f"{name} (shed)"
                response.success()
            else:
                # A connection that broke has an error of its own, and no status.
                broken = getattr(response, "error", None)
                response.failure(broken or f"{response.status_code}, without {marker!r}")
        sleep(retry_seconds)
        raise RescheduleTask

    def product(self) -> str:
        """Return the path of a product that the front page showed to this user."""
        if not self._products:
            links = self.get("front page", "/").links(r"/products/[\w-]+/$")
            self._products = sorted(set(links))
        return self.random.choice(self._products)

    def sign_in(self, name: str, password: str) -> None:
        """Sign in by a name and a password."""
        fields = {"username": name, "password": password}
        self.post("sign in", "/accounts/login/", fields, marker=SIGNED_IN_MARKER)
        self.is_signed_in = True

    def walk(self, name: str, page: Page, marker: str) -> None:
        """Follow the links of a list's pages, on, back, and to the end."""
        for rel in ("next", "next", "prev", "last", "prev"):
            links = page.links("/", rel=rel)
            if links:
                page = self.get(
                    f"{name}, {rel}", self.random.choice(links), marker=marker, htmx=True
                )


class Visitor(Person):
    """Looks around, and reads comments by any filter."""

    weight = 8
    """In shops a few visitors of a hundred write or buy; two of ten, so that a minute has some."""

    @task(2)
    def category(self) -> None:
        page = self.get("categories", "/categories/")
        path = self.random.choice(page.links(r"/categories/[\w-]+/$"))
        self.get("category", f"{path}?order=price")

    @task(6)
    def look_at_product(self) -> None:
        self.get("product", self.product(), marker='id="main"')

    @task(8)
    def filtered_list(self) -> None:
        """Choose languages and ratings, which htmx swaps in, and page on and back."""
        chosen = f"{some(self.random, LANGUAGES)}/{some(self.random, RATINGS)}"
        path = f"{self.product()}comments/{chosen}/"
        page = self.get("comments", path, marker=LIST_MARKER, htmx=True)
        self.walk("comments", page, LIST_MARKER)


class Customer(Person):
    """Signs up once, then comments, votes and orders."""

    weight = 2

    @task(4)
    def comment(self) -> None:
        """Write a comment, and change it."""
        self._sign_up()
        path = f"{self.product()}comments/new/"
        form = self.get("comment, form", f"{path}?another=yes").form(path)
        if form is None:
            return
        words = {"title": "Under load", "language": "en", "rating": self.random.choice(RATINGS)}
        text = f"It does what it should, says {uuid4()}."
        # The page that follows the form shows the comment among the newest.
        page = self.post("comment, post", path, {**form[1], **words, "body": text}, marker=text)
        edit_path = self.random.choice(page.links("/comments/edit/"))
        form = self.get("comment, edit form", edit_path).form("/comments/edit/")
        if form is not None:
            action, fields = form
            self.post("comment, edit", action, {**fields, **words, "body": f"{text} Edited."})

    @task(6)
    def vote(self) -> None:
        """Find a comment helpful that somebody else wrote, if the product has one."""
        self._sign_up()
        page = self.get("product", self.product(), marker='id="main"')
        # One may not vote on one's own comments: these are the ones with a link to edit them.
        own = {path.replace("/edit/", "/") for path in page.links("/comments/edit/")}
        others = [path for path in page.links(COMMENT_PATH) if path not in own]
        if others:
            path = self.random.choice(others).replace("/comments/", "/comments/vote/")
            self.post("vote", path, {"helpful": "yes"}, marker="helpful")

    @task(2)
    def order(self) -> None:
        """Put products into the basket, order them, and look at the order."""
        self._sign_up()
        for path in (self.product(), self.product()):
            fields = {"product_id": path.split("/")[2], "quantity": "1"}
            self.post("basket, add", "/basket/add/", fields)
        form = self.get("checkout", "/basket/order/").form("/basket/place/")
        if form is not None:
            action, fields = form
            self.post(
                "order, place", action, {**fields, "point": "", **ADDRESS}, marker="has been placed"
            )
            orders = self.get("orders", "/orders/").links(ORDER_PATH)
            self.get("order", self.random.choice(orders))

    def _sign_up(self) -> None:
        """Sign up, out and in again, if that is not done."""
        if self.is_signed_in:
            return
        name = f"load-{uuid4().hex[:12]}"
        passwords = {"password1": CUSTOMER_PASSWORD, "password2": CUSTOMER_PASSWORD}
        fields = {"username": name, **passwords, "email": ""}
        self.post("sign up", "/accounts/sign-up/", fields, marker=SIGNED_IN_MARKER)
        self.post("sign out", "/accounts/logout/", {})
        self.sign_in(name, CUSTOMER_PASSWORD)


class Staff(Person):
    """Works on the queue of open orders."""

    fixed_count = 1
    """A shop has few of them; sessions of one name are what its sign-in limits allow."""

    @task(2)
    def move_order(self) -> None:
        """Move an order of the queue to its next status."""
        self._sign_in()
        # Orders of these statuses can be moved on; new ones come from the customers.
        status = self.random.choice(("PLACED", "APPROVED"))
        form = self.get("queue", f"/staff/orders/?status={status}").form(f"{ORDER_PATH}move/")
        if form is not None:
            self.post("order, move", *form)

    @task(1)
    def queue(self) -> None:
        self._sign_in()
        self.walk("queue", self.get("queue", "/staff/orders/"), 'id="queue"')

    def _sign_in(self) -> None:
        if not self.is_signed_in:
            self.sign_in(STAFF_NAME, STAFF_PASSWORD)


def some(random: Random, values: str | tuple[str, ...]) -> str:
    """Return some values as the URL of a filter has them; two times of five all, which is ``~``."""
    (number,) = random.choices((0, 1, 2, 3), (4, 3, 2, 1))
    return ".".join(sorted(random.sample(values, number))) or "~"
