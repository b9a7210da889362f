"""People for Locust: visitors, customers and staff, who check every answer (docs/benchmarks.md).

Start it in the project's folder: ``python -m locust --locustfile lab/locustfile.py``.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from random import Random
from time import monotonic, sleep
from typing import ClassVar
from urllib.parse import urlsplit
from uuid import uuid4

from locust import HttpUser, events, task
from locust.env import Environment
from locust.exception import RescheduleTask

OK, UNCHANGED, UNAVAILABLE = 200, 304, 503
SHED_SENTENCES = ("Too many people are in the shop", "Too many passwords are being checked")
"""What a site that is full says; one without its database has other words for the same status."""
MOST_RETRY_SECONDS = 30.0
"""Of a ``Retry-After`` that is waited for."""
HTMX_SECONDS = 15.0
"""After which htmx gives up."""
IDLE_SECONDS = 1.0
"""After which a connection is not used again.

gunicorn closes it after 2, and a request sent at that moment is lost; browsers repeat it unseen.
"""
LOOPBACK = {"localhost", "127.0.0.1", "::1"}

CSRF_TOKEN = "t" * 32
"""The cookie and the field have to agree, whatever it is."""
HTMX_HEADERS = {"HX-Request": "true"}
COMMENT_PATH = r"/comments/[\w-]+/$"
"""The page of a comment, not one that does something with it, whose address has more parts."""
ORDER_PATH = r"/orders/[0-9A-Z]{26}/"
LIST_MARKER = 'id="comments"'
SIGNED_IN_MARKER = 'action="/accounts/logout/"'

LANGUAGES, RATINGS = ("de", "en", "fr", "it", "nl"), "12345"
STATUSES = ("PLACED", "APPROVED", "SHIPPED", "DELIVERED")
PASSWORD = "correct-horse-battery"  # noqa: S105 - of users that a load test makes


@dataclass(slots=True)
class Form:
    """A form: where it is sent to, and its hidden fields."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self.options: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "a":
            self.links.append((given.get("rel", ""), given.get("href", "")))
        elif tag == "form":
            self.forms.append(Form(given.get("action", "")))
        elif tag == "option":
            self.options.append(value)
        elif tag == "input" and given.get("type") == "hidden" and self.forms:
            self.forms[-1].fields[name] = value


@dataclass(frozen=True)
class Page:
    """A page, or the part of one that htmx asks for."""

    status: int
    text: str
    headers: Mapping[str, str]

    def links(self, pattern: str, *, rel: str | None = None) -> list[str]:
        """Return the paths of links that match from their beginning, without their fragments."""
        paths = []
        for link_rel, href in self._parsed.links:
            path = href.partition("#")[0]
            if rel in {None, link_rel} and re.match(pattern, path):
                paths.append(path)
        return paths

    def forms(self, pattern: str) -> list[Form]:
        """Return the forms whose action matches from its beginning."""
        return [form for form in self._parsed.forms if re.match(pattern, form.action)]

    def months(self) -> list[str]:
        """Return the months that the list can jump to, such as ``2026-03``."""
        return [value for value in self._parsed.options if re.fullmatch(r"\d{4}-\d\d", value)]

    def headline(self) -> str:
        """Return the page's title and heading, for a report of what went wrong."""
        return " · ".join(re.findall(r"<(?:title|h1)[^>]*>\s*([^<]*?)\s*<", self.text)[:2])

    @cached_property
    def _parsed(self) -> _Parser:
        parser = _Parser()
        parser.feed(self.text)
        return parser


def is_loopback(host: str) -> bool:
    """Return whether an address such as ``http://127.0.0.1:8000`` is of this machine."""
    return urlsplit(host).hostname in LOOPBACK


class Person(HttpUser):
    """A user of the load test; the tasks are those of its classes.

    Each has an address of its own, which a site with ``TRUSTED_PROXIES=1`` believes: the site's
    limits for one address are then not what is measured.
    """

    abstract = True
    default_host: ClassVar[str] = "http://127.0.0.1:8000"
    host = default_host

    def on_start(self) -> None:
        self.random = Random()  # noqa: S311 - not a secret
        self._products: list[str] = []
        self._last_request = monotonic()
        number = uuid4().int
        address = f"10.{number % 256}.{number // 256 % 256}.{1 + number // 65536 % 250}"
        self.client.headers.update({"X-Forwarded-For": address, "Accept-Language": "en"})

    def wait_time(self) -> float:
        """Return seconds to the next task: as a rule short, at times long, as people's are."""
        mean: float = self.environment.parsed_options.think_seconds
        return min(self.random.expovariate(1 / mean), 5 * mean) if mean else 0.0

    def ask(
        self,
        name: str,
        path: str,
        *,
        marker: str = "<h1",
        send: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        statuses: Collection[int] = (OK,),
    ) -> Page:
        """Return a page, counted under ``name``; with ``send`` a form is posted.

        It fails with another status, and without ``marker`` in its text. The answer of a site that
        is full counts as "name (shed)", and its ``Retry-After`` is waited for. Then, as after a
        failure, the task ends by RescheduleTask.
        """
        form = None if send is None else {**send, "csrfmiddlewaretoken": CSRF_TOKEN}
        if form:  # the field has to be that of the cookie, which signing in changes
            self.client.cookies.set("csrftoken", None)
            self.client.cookies.set("csrftoken", CSRF_TOKEN)
        if monotonic() - self._last_request > IDLE_SECONDS:
            self.client.close()
        with self.client.request(
            "GET" if form is None else "POST",
            path,
            name=name,
            data=form,
            headers=dict(headers or {}),
            timeout=HTMX_SECONDS,
            catch_response=True,
        ) as response:
            page = Page(response.status_code, response.text or "", response.headers)
            is_shed = page.status == UNAVAILABLE and any(
                words in page.text for words in SHED_SENTENCES
            )
            wait = response.headers.get("Retry-After") if is_shed else None
            if wait is not None:
                response.request_meta["name"] = f"{name} (shed)"
                response.success()
            elif page.status not in statuses:
                error = getattr(response, "error", None)  # of the connection
                response.failure(error or f"{page.status}: {page.headline()}")
            elif page.status == OK and marker not in page.text:
                response.failure(f"without {marker!r}: {page.headline()}")
            else:
                response.success()
                self._last_request = monotonic()
                return page
        self._last_request = monotonic()
        if wait is not None:
            sleep(min(float(wait), MOST_RETRY_SECONDS))
        raise RescheduleTask

    def product(self) -> str:
        """Return the path of a product that the front page showed to this user."""
        if not self._products:
            self.look_at_front_page()
        return self.random.choice(self._products)

    def look_at_front_page(self) -> None:
        """Open the front page, and remember its products."""
        self._products = sorted(set(self.ask("front page", "/").links(r"/products/[\w-]+/$")))

    def swap(self, name: str, path: str, marker: str) -> Page:
        """Return the part of a page that htmx swaps in."""
        return self.ask(f"{name} (htmx)", path, marker=marker, headers=HTMX_HEADERS)


@events.init_command_line_parser.add_listener
def add_options(parser: ArgumentParser) -> None:
    """Add the options of this file."""
    parser.add_argument("--think-seconds", type=float, default=4.0, help="mean between two tasks")
    parser.add_argument("--staff-name", default="sam", help="of a user who is staff")
    parser.add_argument("--staff-password", default="sample-shop", is_secret=True)
    parser.add_argument("--elsewhere", action="store_true", help="load another machine than this")


@events.init.add_listener
@events.test_start.add_listener
def refuse_other_machines(environment: Environment, **_: object) -> None:
    """End the process where another machine would be loaded that nobody has said is meant."""
    host, options = environment.host or Person.default_host, environment.parsed_options
    if not is_loopback(host) and not (options and options.elsewhere):
        sys.exit(f"{host} is another machine: --elsewhere says that you may load it.")


class Visitor(Person):
    """Looks around, and reads comments by any filter."""

    weight = 8
    """In shops a few visitors of a hundred write or buy; two of ten, so that a minute has some."""

    @task(3)
    def front_page(self) -> None:
        self.look_at_front_page()

    @task(6)
    def look_at_product(self) -> None:
        self.ask("product", self.product(), marker='id="main"')

    @task(2)
    def category(self) -> None:
        page = self.ask("categories", "/categories/")
        path = self.random.choice(page.links(r"/categories/[\w-]+/$"))
        self.ask("category", f"{path}?order={self.random.choice(('price', 'name'))}")

    @task(8)
    def filtered_list(self) -> None:
        """Choose languages and ratings, which htmx swaps in, and page on and back."""
        page = self.swap("comments", self._filtered(), LIST_MARKER)
        for rel in ("next", "next", "prev", "last", "prev"):
            links = page.links("/", rel=rel)
            if links:
                page = self.swap(f"comments, {rel}", self.random.choice(links), LIST_MARKER)

    @task(2)
    def month(self) -> None:
        product = self.product()
        page = self.ask("comments", f"{product}comments/~/~/", marker=LIST_MARKER)
        months = page.months()
        if months:
            path = f"{product}comments/~/~/?month={self.random.choice(months)}"
            self.swap("comments, month", path, LIST_MARKER)

    @task(2)
    def again(self) -> None:
        """Load a list once more: a browser asks whether its copy is still the newest."""
        path = self._filtered()
        page = self.ask("comments", path, marker=LIST_MARKER)
        headers = {"If-None-Match": page.headers["ETag"]}
        statuses = (OK, UNCHANGED)
        self.ask("comments, ETag", path, headers=headers, statuses=statuses, marker=LIST_MARKER)

    def _filtered(self) -> str:
        return (
            f"{self.product()}comments/{some(self.random, LANGUAGES)}/{some(self.random, RATINGS)}/"
        )


class Customer(Person):
    """Signs up once, then reads, comments, votes and orders."""

    weight = 2
    is_signed_in = False

    @task(4)
    def comment(self) -> None:
        """Write a comment, and change it."""
        self._sign_in()
        path = f"{self.product()}comments/new/"
        (form,) = self.ask("comment, form", f"{path}?another=yes").forms(path)
        words = {
            "title": "Under load",
            "language": self.random.choice(LANGUAGES),
            "rating": self.random.choice(RATINGS),
        }
        text = f"It does what it should, says {uuid4()}."
        sent = {**form.fields, **words, "body": text}
        # The page that follows the form shows the comment among the newest.
        page = self.ask("comment, post", path, send=sent, marker=text)
        edit_path = self.random.choice(page.links("/comments/edit/"))
        (form,) = self.ask("comment, edit form", edit_path).forms("/comments/edit/")
        sent = {**form.fields, **words, "body": f"{text} Edited."}
        self.ask("comment, edit", form.action, send=sent)

    @task(6)
    def vote(self) -> None:
        path = self._others_comment()
        if path:
            vote = path.replace("/comments/", "/comments/vote/")
            self.ask("vote", vote, send={"helpful": "yes"}, marker="helpful")

    @task(1)
    def report(self) -> None:
        path = self._others_comment()
        if path:
            report = path.replace("/comments/", "/comments/report/")
            (form,) = self.ask("report, form", report).forms(report)
            self.ask("report", form.action, send={**form.fields, "reason": "spam"})

    @task(2)
    def order(self) -> None:
        """Put products into the basket, and order them."""
        self._sign_in()
        for path in (self.product(), self.product()):
            added = {"product_id": path.split("/")[2], "quantity": "1"}
            self.ask("basket, add", "/basket/add/", send=added)
        checkout = self.ask("checkout", "/basket/order/")
        (form,) = checkout.forms("/basket/place/")
        sent = {**form.fields, "point": ""}
        self.ask("order, place", "/basket/place/", send=sent, marker="has been placed")

    @task(4)
    def own_orders(self) -> None:
        self._sign_in()
        statuses = "&".join(f"status={status}" for status in self.random.sample(STATUSES, 2))
        page = self.ask("orders", "/orders/")
        self.swap("orders", f"/orders/?{statuses}", "</section>")
        links = page.links(ORDER_PATH)
        if links:
            self.ask("order", self.random.choice(links))

    def _others_comment(self) -> str | None:
        """Return the path of a comment that somebody else wrote, if the product has one."""
        self._sign_in()
        page = self.ask("product", self.product(), marker='id="main"')
        own = {path.replace("/edit/", "/") for path in page.links("/comments/edit/")}
        others = [path for path in page.links(COMMENT_PATH) if path not in own]
        return self.random.choice(others) if others else None

    def _sign_in(self) -> None:
        """Sign up, out and in again, if that is not done."""
        if self.is_signed_in:
            return
        name = f"load-{uuid4().hex[:12]}"
        sent = {"username": name, "password1": PASSWORD, "password2": PASSWORD, "email": ""}
        self.ask("sign up", "/accounts/sign-up/", send=sent, marker=SIGNED_IN_MARKER)
        self.ask("sign out", "/accounts/logout/", send={})
        sent = {"username": name, "password": PASSWORD}
        self.ask("sign in", "/accounts/login/", send=sent, marker=SIGNED_IN_MARKER)
        self.is_signed_in = True


class Staff(Person):
    """Works on the queue of open orders, and on comments."""

    fixed_count = 1
    """A shop has few of them; sessions of one name are what its sign-in limits allow."""
    is_signed_in = False

    @task(4)
    def ship(self) -> None:
        """Move an order of the queue to its next status."""
        self._sign_in()
        path = f"/staff/orders/?status={self.random.choice(('PLACED', 'APPROVED'))}"
        forms = self.ask("queue", path).forms(rf"{ORDER_PATH}move/")
        if forms:
            form = self.random.choice(forms)
            self.ask("order, move", form.action, send=form.fields)

    @task(2)
    def queue(self) -> None:
        self._sign_in()
        page = self.ask("queue", "/staff/orders/")
        for rel in ("next", "last", "prev"):
            links = page.links("/", rel=rel)
            if links:
                page = self.swap(f"queue, {rel}", self.random.choice(links), 'id="queue"')

    @task(2)
    def moderate(self) -> None:
        """Decide about a reported comment."""
        self._sign_in()
        page = self.ask("moderation", "/staff/comments/")
        keep = [f for f in page.forms("/staff/comments/decide/") if f.fields["decision"] == "keep"]
        if keep:
            form = self.random.choice(keep)
            self.ask("moderation, decide", form.action, send=form.fields)

    @task(2)
    def reply(self) -> None:
        """Reply to a comment, or change the reply."""
        self._sign_in()
        comments = self.ask("product", self.product(), marker='id="main"').links(COMMENT_PATH)
        if not comments:
            return
        page = self.ask("comment", self.random.choice(comments))
        form = page.forms("/staff/comments/reply/")[0]
        text = f"Thank you for your words, {uuid4()}."
        self.ask("reply", form.action, send={**form.fields, "text": text}, marker=text)

    def _sign_in(self) -> None:
        if self.is_signed_in:
            return
        options = self.environment.parsed_options
        sent = {"username": options.staff_name, "password": options.staff_password}
        self.ask("sign in", "/accounts/login/", send=sent, marker=SIGNED_IN_MARKER)
        self.is_signed_in = True


def some(random: Random, values: str | tuple[str, ...]) -> str:
    """Return some values as the URL of a filter has them; two times of five all, which is ``~``."""
    number = random.choices((0, 1, 2, 3), (4, 3, 2, 1))[0]
    return ".".join(sorted(random.sample(values, number))) or "~"
