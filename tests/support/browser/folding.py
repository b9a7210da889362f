"""What folds out on a page."""

from playwright.sync_api import Page


def unfold_all(page: Page) -> None:
    """Open all that folds; how the page was read is loaded first, as a sheet may lie over it.

    The header's menu of staff stays as it is: open, it lies over the page.
    """
    folded = page.locator("a#explanation-chip")
    if folded.count():
        folded.click()
        page.locator("details#explanation").wait_for()
    folded_parts = page.locator("details:not(.nav-more)")
    folded_parts.evaluate_all("all => all.forEach(details => (details.open = true))")
