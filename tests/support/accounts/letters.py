"""Letters about passwords, and the links in them."""

import re
from typing import Any

from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client

from shop.accounts.letters import LETTERS
from tests.support.accounts.cast import NEW_PASSWORD


def ask_for_link(browser: Client, asked: str | None) -> Any:
    return browser.post("/accounts/password_reset/", {"email": asked})


def letters() -> list[EmailMessage]:
    """All letters of the test, after sending those that wait."""
    assert LETTERS.flush(seconds=30)
    return mail.outbox


def letter_about(words: str) -> EmailMessage:
    """The latest letter with these words in its subject."""
    return next(one for one in reversed(letters()) if words in str(one.subject))


def link_in_mail() -> str:
    """The link of the latest letter about a forgotten password."""
    found = re.search(r"http://testserver(/accounts/reset/\S+)", str(letter_about("Choose").body))
    assert found
    return found[1]


def link_to_confirm() -> str:
    """The link of the latest letter to an address that is to be confirmed."""
    body = str(letter_about("Confirm your e-mail").body)
    found = re.search(r"http://testserver(/accounts/confirm/\S+)", body)
    assert found
    return found[1]


def choose_password(browser: Client, link: str, password: str = NEW_PASSWORD) -> Any:
    form = browser.get(link, follow=True)
    typed = {"new_password1": password, "new_password2": password}
    return browser.post(form.request["PATH_INFO"], typed)
