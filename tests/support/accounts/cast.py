"""People with a name of their own in each test, and their browsers."""

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from shop.accounts.hashing import BoundedHasher
from shop.accounts.queries import find_user

PASSWORD = "correct horse battery"  # noqa: S105 - it opens nothing
NEW_PASSWORD = "staple of the year"  # noqa: S105 - the same

_addresses = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in itertools.count(1))


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account and the password `PASSWORD`."""

    username: str
    email: str | None = None


def new_browser(**extra: Any) -> Client:
    """A browser at a network address that no other test has."""
    return Client(**{"REMOTE_ADDR": next(_addresses), **extra})


def sign_in(browser: Client, username: str, password: str = PASSWORD, **query: str) -> Any:
    return browser.post("/accounts/login/", {"username": username, "password": password, **query})


def browser_of(person: Person) -> Client:
    """A new browser in which somebody has typed name and password."""
    browser = new_browser()
    sign_in(browser, person.username)
    return browser


def sign_up(browser: Client, username: str, password: str = PASSWORD, **fields: str) -> Any:
    typed = {"username": username, "password1": password, "password2": password, **fields}
    return browser.post("/accounts/sign-up/", typed)


def change_password(browser: Client, old: str = PASSWORD, new: str = NEW_PASSWORD) -> Any:
    typed = {"old_password": old, "new_password1": new, "new_password2": new}
    return browser.post("/accounts/password_change/", typed)


def set_once(person: Person, password: str) -> None:
    """Set another password while the first one is hashed, as another browser does."""
    WatchedHasher.watcher = staticmethod(lambda: None)
    user = find_user(person.username)
    user.set_password(password)
    user.save()


def signed_in_name(browser: Client) -> str | None:
    """Who the site says is signed in."""
    page = browser.get("/accounts/login/").content.decode()
    name = re.search(r'class="user-name"[^>]*>([^<]+)<', page)
    return name[1] if name else None


class _Hasher(MD5PasswordHasher):
    def encode(self, password: str, salt: str) -> str:
        WatchedHasher.watcher()
        return super().encode(password, salt)


class WatchedHasher(BoundedHasher, _Hasher):
    """Hashes fast, bounded as on the site, and tells the test of each hash it makes."""

    watcher: Callable[[], object] = staticmethod(lambda: None)
