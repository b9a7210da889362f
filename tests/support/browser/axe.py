"""axe-core: what it finds on a page that hinders people who do not see well, or do not point."""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from tests.support.browser.folding import unfold_all
from tests.support.chance import is_thorough
from tests.support.project import PROJECT

AXE = PROJECT / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (390, 1280)
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules whose answer depends on the colour scheme; the others are asked once for a width."""
OF_LAYOUT = (*OF_COLOURS, "target-size", "scrollable-region-focusable")
"""The rules whose answer depends on the width, as long as the same elements are shown."""
LOOK = """
    async (runOnly) => {
        scrollTo(0, 0);  // what stays in sight covers nothing there
        await new Promise(requestAnimationFrame);  // scripts are told of the colours before it
        const preload = {assets: ["media"]};  // no rule of these reads the stylesheets
        const found = await axe.run({runOnly, preload, resultTypes: ["violations"]});
        return found.violations.flatMap(({id, nodes}) =>
            nodes.map(({target, failureSummary}) => [id, target.join(" "), failureSummary]));
    }
"""


def bring_axe(page: Page) -> None:
    """Have axe on every page that is opened from now on; no policy for scripts concerns that."""
    page.add_init_script(path=AXE)


def axe_finds_nothing(page: Page) -> bool:
    """Look at the page, wide and narrow, light and dark; all that folds is open."""
    unfold_all(page)
    found = [
        f"{rule} at {width} px, {colours}: {selector} on {page.url}\n{why}"
        for width, colours, runs in _looks()
        for rule, selector, why in _look(page, width, colours, runs)
    ]
    assert not found, "\n".join(found)
    return True


def _looks() -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield every rule in the wide light page, in the narrow dark one what may differ there.

    With ``--thorough`` also what may differ in the other two.
    """
    narrow, wide = WIDTHS
    yield wide, "light", {"type": "tag", "values": RULES}
    yield narrow, "dark", {"type": "rule", "values": OF_LAYOUT}
    if is_thorough():
        yield narrow, "light", {"type": "tag", "values": RULES}
        yield wide, "dark", {"type": "rule", "values": OF_COLOURS}


def _look(page: Page, width: int, colours: Any, runs: dict[str, Any]) -> list[list[str]]:
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    found: list[list[str]] = page.evaluate(LOOK, runs)
    return found
