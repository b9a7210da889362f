"""What stands on a page: ids of comments, links, and the fields of forms."""

import html
import re

from django.test import Client


def text_of(browser: Client, url: str) -> str:
    """Return the page at an address."""
    answer = browser.get(url)
    assert answer.status_code == 200, (url, answer.status_code)
    return answer.content.decode()


def ids_in(page: str) -> list[str]:
    """Return the ids of the comments on a page, in order."""
    return re.findall(r'data-comment-id="([^"]*)"', page)


def link_in(page: str, rel: str) -> str | None:
    """Return the address of the next or the previous page."""
    found = re.search(rf'rel="{rel}"\s+href="([^"#]*)', page)
    return html.unescape(found[1]) if found else None


def walked(browser: Client, url: str, rel: str) -> tuple[list[list[str]], str]:
    """Return the ids of each page from an address on, and the address of the last one."""
    pages = []
    while True:
        page = text_of(browser, url)
        pages.append(ids_in(page))
        following = link_in(page, rel)
        if following is None:
            return pages, url
        url = following


def fields_in(page: str, action: str) -> dict[str, str]:
    """Return the hidden fields of the form that is sent to an address."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}["?].*?</form>', page, re.DOTALL)
    assert form, (action, page)
    fields = {}
    for field in re.findall(r'<input[^>]*type="hidden"[^>]*>', form[0]):
        named = dict(re.findall(r'(name|value)="([^"]*)"', field))
        fields[named["name"]] = html.unescape(named.get("value", ""))
    return fields


def files_of(page: str) -> list[str]:
    """Return the names of the static files that a page loads."""
    return re.findall(r'"/static/([^"?]*)"', page)
