"""Letters about passwords, and the links in them."""

import re
from typing import Any

from django.core import mail
from django.test import Client

from tests.support.accounts.cast import NEW_PASSWORD


def ask_for_link(browser: Client, asked: str | None) -> Any:
    return browser.post("/accounts/password_reset/", {"email": asked})


def link_in_mail() -> str:
    found = re.search(r"http://testserver(/accounts/reset/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def choose_password(browser: Client, link: str, password: str = NEW_PASSWORD) -> Any:
    form = browser.get(link, follow=True)
    typed = {"new_password1": password, "new_password2": password}
    return browser.post(form.request["PATH_INFO"], typed)
