"""The pictures of the README, and its film: ``make screenshot`` and ``make film`` write them.

The sample shop runs on a folder of its own, while Chromium is used as a visitor and as the staff.
The film is made of pictures that each say how long they are seen, so it is the same on a slow
machine; ffmpeg joins them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, FloatRect, Locator, Page, Response, sync_playwright

from dynapages.engine.child import LOOPBACK, Child, free_port, is_answering

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "chromium-headless-shell")
COMMENTS = "/products/enamelled-frying-pan/comments"
FILTERED = f"{COMMENTS}/de.en/1.2/"
COLOUR_SCHEMES = {"screenshot": "light", "screenshot-dark": "dark"}
"""Of the pictures, by the names of their files."""
WORDS = "screenshot.txt"
"""The page's own words on the pictures, a line each: a test looks for them on the page."""
WORDS_SHOWN = """() => [...document.querySelectorAll(
        "#comments :is(h2, h3, h4, a, button, label, legend, summary, th)"
    )]
    .filter((one) => one.checkVisibility())
    .filter((one) => !one.closest("article, tbody, [data-toggle], .chips, pre, select"))
    .map((one) => one.innerText.replace(/[\\d.,:]+/g, "#").replace(/\\s+/g, " ").trim())
    .filter((text) => text && text !== "#")"""
"""Returns them; a number, which is another in each shop, is a ``#``."""
PICTURE_SIZE = (1280, 1420)
COMMENTS_SHOWN = 2
"""The last ones of a page; below them is what the page cost."""
FILM = "film.webp"
FILM_SIZE = (1280, 800)
FILM_WIDTH = 1120
"""What it is scaled to."""
POINTER_STEPS = (0.2, 0.45, 0.7, 0.9, 1)
"""Where the pointer is seen on its way, as parts of it."""
LAST_FAST_PAGE = 40
"""The page of the list that the film runs to, showing every fourth."""

DRAW = """([caption, x, y, pressed]) => {
    const part = (id, style) => {
        const found = document.getElementById(id)
            ?? document.documentElement.appendChild(document.createElement("div"));
        Object.assign(found, {id}).setAttribute("aria-hidden", "true");
        Object.assign(found.style, {
            position: "fixed", zIndex: 2147483647, pointerEvents: "none", ...style,
        });
        return found;
    };
    part("film-caption", {
        left: "50%", bottom: "20px", transform: "translateX(-50%)", padding: "8px 22px",
        borderRadius: "999px", background: "#10231ee8", color: "white", whiteSpace: "nowrap",
        font: "600 21px sans-serif",
    }).textContent = caption;
    part("film-pointer", {
        left: `${x}px`, top: `${y}px`, width: "22px", height: "22px", margin: "-13px",
        borderRadius: "50%", border: "2px solid white", boxShadow: "0 0 0 1.5px #10231e",
        background: pressed ? "#e0a100" : "#10231e99",
    });
}"""
"""Draws the caption and the pointer, which a picture of a page lacks."""
SETTLED = "() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')"


class Film:
    """Pictures of a page, and how long each is seen."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page = page
        self._folder = folder
        self._seconds: list[float] = []
        self._pointer = (FILM_SIZE[0] * 0.7, FILM_SIZE[1] * 0.8)
        self.caption = ""

    def show(self, seconds: float, *, pressed: bool = False) -> None:
        """Add a picture of the page as it is."""
        self._page.wait_for_function(SETTLED)
        self._page.evaluate(DRAW, [self.caption, *self._pointer, pressed])
        self._page.screenshot(path=self._folder / f"{len(self._seconds)}.png")
        self._seconds.append(seconds)

    def click(self, target: Locator, *, seconds: float, loads: bool = True) -> None:
        """Move the pointer to an element, click it, wait for what it ``loads``, and show that."""
        target.scroll_into_view_if_needed()
        box = _box(target)
        from_x, from_y = self._pointer
        x, y = box["x"] + min(box["width"] / 2, 60), box["y"] + box["height"] / 2
        for part in POINTER_STEPS:
            self._pointer = (from_x + (x - from_x) * part, from_y + (y - from_y) * part)
            self.show(0.05 if part < 1 else 0.25)
        self.show(0.15, pressed=True)
        self.press(target, loads=loads)
        self.show(seconds)

    def press(self, target: Locator, *, loads: bool = True) -> None:
        """Click an element, and wait for what it ``loads``."""
        if loads:
            with self._page.expect_response(_is_page):
                target.click()
            self._page.wait_for_load_state()
        else:
            target.click()
        self._page.wait_for_timeout(200)  # transitions end

    def write(self, path: Path) -> None:
        """Join the pictures. Raises CalledProcessError."""
        lines = []
        for number, seconds in enumerate(self._seconds):
            lines.append(f"file {number}.png\nduration {seconds}\n")
        # The last one's duration counts only where it is named again.
        lines.append(f"file {len(self._seconds) - 1}.png\n")
        (self._folder / "list").write_text("".join(lines))
        read = f"ffmpeg -loglevel error -y -f concat -i {self._folder / 'list'} -fps_mode vfr"
        scale = f"-vf scale={FILM_WIDTH}:-2:flags=lanczos"
        encode = f"{scale} -c:v libwebp_anim -quality 75 -compression_level 6 -loop 0"
        subprocess.run([*read.split(), *encode.split(), str(path)], check=True)


def _box(target: Locator) -> FloatRect:
    box = target.bounding_box()
    if box is None:
        sys.exit(f"The page does not show {target}.")
    return box


def _is_page(response: Response) -> bool:
    request = response.request
    return request.is_navigation_request() or "hx-request" in request.headers


def write_pictures(chromium: Browser, shop: str, folder: Path) -> None:
    """Write the pictures of a filtered list, its cost unfolded, to ``folder``."""
    for name, scheme in COLOUR_SCHEMES.items():
        page = _new_page(chromium, f"{shop}{FILTERED}", PICTURE_SIZE, scheme)
        page.locator("#explanation-chip").click()
        page.locator("#explanation").wait_for()
        page.mouse.move(0, 0)
        shown = page.locator("#comments article").nth(-COMMENTS_SHOWN)
        shown.evaluate("(comment) => comment.scrollIntoView({block: 'start'})")
        page.wait_for_timeout(500)  # transitions end
        page.screenshot(path=folder / f"{name}.png")
        words = sorted({*page.evaluate(WORDS_SHOWN)})
        (folder / WORDS).write_text("".join(f"{line}\n" for line in words), encoding="utf-8")
        page.close()


def write_film(chromium: Browser, shop: str, folder: Path) -> None:
    """Write the film to ``folder``: a list filtered and paged, its cost, and orders moved on."""
    with TemporaryDirectory() as pictures:
        page = _new_page(chromium, f"{shop}{COMMENTS}/~/~/", FILM_SIZE, "light")
        film = Film(page, Path(pictures))
        _film_the_list(film, page)
        page.goto(f"{shop}/accounts/login/?next=/staff/orders/")
        as_sam = page.locator("form", has=page.locator("[name=username][value=sam]"))
        as_sam.get_by_role("button").click()
        page.wait_for_url("**/staff/orders/")
        _film_the_queue(film, page)
        film.write(folder / FILM)
        page.close()


def _film_the_list(film: Film, page: Page) -> None:
    film.caption = "Any filter: two languages, two ratings"
    film.show(1)
    for kind, value in (("language", "de"), ("language", "en"), ("rating", "5"), ("rating", "4")):
        toggle = page.locator(f"[data-toggle={kind}][data-value='{value}']")
        film.click(toggle, seconds=0.6)
    heading = page.locator("#list-heading")
    film.caption = "Page 2, 3, …"
    film.click(page.locator("a[rel=next]"), seconds=0.5)
    heading.scroll_into_view_if_needed()
    for number in range(3, LAST_FAST_PAGE + 1):
        film.press(page.locator("a[rel=next]"))
        film.caption = f"Page {number}: its cost is below the list"
        if number % 4 == 0:
            film.show(0.2 if number < LAST_FAST_PAGE else 1.2)
    film.caption = "The last page: a few calls as well"
    film.click(page.locator("a[rel=last]"), seconds=1.5)
    film.caption = "What it cost, and which keys were read"
    film.click(page.locator("#explanation-chip"), seconds=2.5)


def _film_the_queue(film: Film, page: Page) -> None:
    film.caption = "The staff's queue of open orders"
    film.show(1)
    film.click(page.locator("[data-toggle=status][data-value=PROCESSING]"), seconds=0.7)
    film.caption = "Ship them all at once"
    film.click(page.locator("[data-select-all=order]"), seconds=0.5, loads=False)
    film.click(page.locator("#bulk [name=move][value=SHIPPED]"), seconds=2)


def _new_page(chromium: Browser, address: str, size: tuple[int, int], scheme: str) -> Page:
    page = chromium.new_page(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
    )
    page.goto(address)
    return page


@contextmanager
def sample_shop() -> Iterator[str]:
    """Run the sample shop on a folder of its own, and give its address."""
    port = free_port()
    command = [sys.executable, str(ROOT / "manage.py"), "demo", "--port", str(port)]
    with TemporaryDirectory() as var:
        # The user's settings would show in a picture, or reach an AWS account.
        environment = {"PATH": os.environ["PATH"], "VAR_DIR": var}
        with Child(command, env=environment) as shop:
            while not is_answering(port, path="/healthz"):
                if shop.poll() is not None:
                    sys.exit("The sample shop did not open; see above.")
                time.sleep(0.2)
            yield f"http://{LOOPBACK}:{port}"


def _find_browser() -> str | None:
    """Return the path of a browser of the Chromium kind that is installed; None without one."""
    for name in BROWSERS:
        path = shutil.which(name)
        if path is not None:
            return path
    return None


def main() -> None:
    """Write the pictures, or the film; end with a sentence where a program is missing."""
    parser = argparse.ArgumentParser(prog="python -m demo.screenshot", description=__doc__)
    parser.add_argument("--film", action="store_true", help="the film instead of the pictures")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs", help="docs/")
    options = parser.parse_args()
    browser = _find_browser()
    if browser is None:
        sys.exit("Chromium is not installed here: 'apt-get install chromium' or the like.")
    if options.film and shutil.which("ffmpeg") is None:
        sys.exit("ffmpeg is not installed here: 'apt-get install ffmpeg' or the like.")
    options.folder.mkdir(parents=True, exist_ok=True)
    with sample_shop() as shop, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser)
        for _ in range(8):  # the first visit of each process takes longer, and pages say how long
            _new_page(chromium, f"{shop}{FILTERED}", PICTURE_SIZE, "light").close()
        if options.film:
            write_film(chromium, shop, options.folder)
        else:
            write_pictures(chromium, shop, options.folder)


if __name__ == "__main__":
    main()
