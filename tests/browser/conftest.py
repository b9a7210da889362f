"""The site on a port of its own, and a Chromium that reports whatever goes wrong in it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from django.conf import settings
from playwright.sync_api import BrowserContext, Page, Response, Route, expect, sync_playwright

from tests.conftest import CHROMIUM
from tests.support.comments.writers import Writer
from tests.support.config.serving import served_site

UNUSED = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "SpareRendererForSitePerProcess",
    "PaintHolding",
)
"""Features of a window that nobody sees: drawing its address bar takes half of Chromium's time.

This list replaces the one that Playwright passes: Chromium heeds the last.
"""

OF_THE_WINDOW = ["--disable-gpu", "--in-process-gpu", f"--disable-features={','.join(UNUSED)}"]
"""Arguments that the shell, which has no window, does not need."""

PATIENCE = 30_000
"""Milliseconds until a browser on a busy machine is taken to be stuck."""
expect.set_options(timeout=PATIENCE)

REPLACED = ("htmx:afterRequest", "htmx:sendAbort")
"""What htmx says of a request that gave way to a newer one; of a failed one it says more."""

REFUSED = (
    "Failed to load resource: the server responded with a status of",
    "Response Status Error Code",
)
"""What Chromium and htmx say of an answer that is an error."""

NOTE_VIOLATIONS = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
        window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
    });
"""


def hold_requests(page: Page, address: str) -> list[Route]:
    """Leave requests to an address unanswered; return the list that each of them is added to."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(address, hold)
    return held


def wait_until_held(page: Page, held: Sequence[Route], address: str) -> None:
    """Wait until a request to an address that has this part is held."""
    for _ in range(500):
        if any(address in route.request.url for route in held):
            return
        page.wait_for_timeout(20)
    pytest.fail(f"nothing asked for {address}")


@pytest.fixture(scope="session")
def site():
    """The address of the running site, the same one for all modules."""
    with served_site() as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright's event loop stays in this thread, and tests of PostgreSQL may come after.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        more = [] if CHROMIUM.endswith("shell") else OF_THE_WINDOW
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *more])
        yield browser
        browser.close()


Contexts = defaultdict[str, list[BrowserContext]]
OpenContext = Callable[..., BrowserContext]


@pytest.fixture(scope="session")
def unused_contexts():
    """Contexts of earlier tests, by their options. Their caches hold the static files."""
    return defaultdict(list)


@pytest.fixture
def open_context(site, chromium, unused_contexts):
    """Opens the browser of somebody who was never here; takes what `Browser.new_context` takes."""
    opened = []

    def open_context(**options: object) -> BrowserContext:
        unused = unused_contexts[repr(options)]
        if unused:
            context = unused.pop()
        else:
            context = chromium.new_context(base_url=site, **options)
            context.set_default_timeout(PATIENCE)
            context.add_init_script(NOTE_VIOLATIONS)
        opened.append((repr(options), context))
        return context

    yield open_context
    for options, context in opened:
        for page in context.pages:
            page.close()
        context.clear_cookies()
        context.set_offline(offline=False)
        unused_contexts[options].append(context)


Seat = Callable[..., "Visitor"]


@dataclass
class Visitor:
    """Someone at the browser."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    @classmethod
    def arrive(cls, context: BrowserContext) -> "Visitor":
        visitor = cls(context.new_page())
        page = visitor.page
        page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
        page.on("console", visitor._note_console)
        page.on("response", visitor._note_load)
        return visitor

    def _note_console(self, message) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(REPLACED):
            self.complaints.append(message.text)

    def _note_load(self, response: Response) -> None:
        if response.request.is_navigation_request():
            self.loads.append(response.url)

    @property
    def comment_ids(self) -> list[str]:
        self.page.wait_for_load_state()
        ids: list[str] = self.page.locator("[data-comment-id]").evaluate_all(
            "elements => elements.map(element => element.dataset.commentId)"
        )
        return ids

    @property
    def address(self) -> str:
        """Path and query of the address bar."""
        address: str = self.page.evaluate("location.pathname + location.search")
        return address

    @property
    def focus(self) -> str:
        """The id of the element that has the focus."""
        element_id: str = self.page.evaluate("document.activeElement.id")
        return element_id

    def wait_for(self, *comment_ids: str) -> None:
        """Wait until the list shows exactly these comments."""
        self.page.wait_for_function(
            "ids => JSON.stringify([...document.querySelectorAll('[data-comment-id]')]"
            ".map(element => element.dataset.commentId)) === JSON.stringify(ids)",
            arg=list(comment_ids),
        )

    def forgive(self, *beginnings: str) -> None:
        """Drop complaints that a test provokes."""
        self.complaints = [said for said in self.complaints if not said.startswith(beginnings)]

    def is_clean(self) -> bool:
        """Nothing went wrong, and no script ran that came with somebody's text."""
        found = self.page.evaluate("[window.violations ?? [], window.hit ?? 0]")
        assert (self.complaints, *found) == ([], [], 0)
        return True


@pytest.fixture
def visitor(open_context):
    """A visitor whose browser must have had nothing to complain about in the end."""
    visitor = Visitor.arrive(open_context(locale="fr-FR"))
    yield visitor
    assert visitor.is_clean()


@pytest.fixture
def seat(site, open_context):
    """Puts somebody who is signed in at a browser of their own.

    What it complains of in the end may only be that the site refused something.
    """
    seated = []

    def seat(writer: Writer, **options: object) -> Visitor:
        context = open_context(**{"locale": "en-GB", **options})
        value = writer.browser.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": site}])
        seated.append(Visitor.arrive(context))
        return seated[-1]

    yield seat
    for visitor in seated:
        visitor.forgive(*REFUSED)
        assert visitor.is_clean()
