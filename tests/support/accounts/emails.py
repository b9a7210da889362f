"""E-mails about passwords, and the links in them."""

import re
from typing import Any

from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client

from tests.support.accounts.cast import NEW_PASSWORD
from tests.support.work import finish_what_waits


def ask_for_link(browser: Client, asked: str | None) -> Any:
    return browser.post("/accounts/password_reset/", {"email": asked})


def emails() -> list[EmailMessage]:
    """All emails of the test, after sending those that are owed by its process."""
    finish_what_waits()
    return mail.outbox


def email_about(words: str) -> EmailMessage:
    """The latest email with these words in its subject."""
    return next(one for one in reversed(emails()) if words in str(one.subject))


def link_in_mail() -> str:
    """The link of the latest email about a forgotten password."""
    found = re.search(r"http://testserver(/accounts/reset/\S+)", str(email_about("Choose").body))
    assert found
    return found[1]


def link_to_confirm() -> str:
    """The link of the latest email to an address that is to be confirmed."""
    body = str(email_about("Confirm your e-mail").body)
    found = re.search(r"http://testserver(/accounts/confirm/\S+)", body)
    assert found
    return found[1]


def choose_password(browser: Client, link: str, password: str = NEW_PASSWORD) -> Any:
    form = browser.get(link, follow=True)
    typed = {"new_password1": password, "new_password2": password}
    return browser.post(form.request["PATH_INFO"], typed)
