"""What folds out on a page."""

from playwright.sync_api import Page


def unfold_all(page: Page) -> None:
    """Open all that folds; how the page was read is loaded first, as a sheet may lie over it."""
    folded = page.locator("a#explanation-chip")
    if folded.count():
        folded.click()
        page.locator("details#explanation").wait_for()
    page.locator("details").evaluate_all("all => all.forEach(details => (details.open = true))")
