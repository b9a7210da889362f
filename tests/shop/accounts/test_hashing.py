"""Password hashes take no more cores than are set aside for them, and none of a form's time."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.urls import get_resolver
from django.utils.module_loading import import_string

from config import settings as site_settings  # the tests have another hasher
from config.web.answers import SECRET_FIELD
from dynapages.calls import seconds_left, time_budget
from dynapages.process import client
from shop.accounts import hashing
from shop.accounts.hashing import BoundedHasher, HashSlots, cores_for_hashes
from shop.accounts.queries import find_user
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    WatchedHasher,
    change_password,
    new_browser,
    sign_in,
    sign_up,
)
from tests.support.accounts.emails import ask_for_link, choose_password, link_in_mail
from tests.support.comments.spying import spied
from tests.support.project import PROJECT

BUSY = "Too many passwords are being checked at the moment. Send this again in a moment."

NEW = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}


@pytest.fixture
def slots(monkeypatch):
    """One slot, which is free."""
    slots = HashSlots(1)
    monkeypatch.setattr(hashing, "SLOTS", slots)
    return slots


class TestWhileOthersAreHashed:
    @pytest.fixture
    def busy(self, slots):
        """All slots are taken; makes one free."""
        slot = slots.acquire()
        return lambda: slots.release(slot)

    @pytest.mark.parametrize("password", [PASSWORD, "wrong"])
    def test_a_sign_in_is_refused_at_once(self, browser, alice, busy, caplog, password):
        with spied() as asked, caplog.at_level("INFO", logger="request"):
            response = sign_in(browser, alice.username, password, next="/basket/")
        page = response.content.decode()
        assert (response.status_code, response["Retry-After"]) == (503, "1")
        assert BUSY in page
        assert f'value="{alice.username}"' in page
        assert 'name="next" value="/basket/"' in page
        assert password not in page
        assert asked == []
        assert "view=login method=POST status=503" in caplog.text
        assert "fault=TooManyHashes" in caplog.text

    @pytest.mark.parametrize("name", ["nobody-here", "no name at all"])
    def test_a_wrong_name_is_refused_alike(self, browser, tables, busy, name):
        assert sign_in(browser, name, "wrong").status_code == 503

    def test_a_sign_up_is_refused_and_not_counted(self, browser, tables, busy, fresh):
        name, address = fresh("new"), f"{fresh('new')}@example.com"
        answers = [sign_up(browser, name, email=address).status_code for _ in range(6)]
        assert answers == [503] * 6
        assert find_user(name) is None
        busy()
        assert sign_up(browser, name, email=address).status_code == 302

    def test_a_password_by_email_is_refused_and_the_link_still_works(self, browser, alice, slots):
        ask_for_link(browser, alice.username)
        link, slot = link_in_mail(), slots.acquire()
        with spied() as asked:
            assert choose_password(browser, link).status_code == 503
        assert {call.operation for call in asked} == {"GetItem"}
        slots.release(slot)
        assert choose_password(browser, link).status_code == 302

    @pytest.mark.parametrize(
        ("path", "typed"),
        [
            ("/account/email/", {"new_email": "alice@new.example", "password": PASSWORD}),
            ("/accounts/second-factor/", {"code": "123456", "password": PASSWORD}),
            ("/accounts/password_change/", NEW),
        ],
    )
    def test_forms_that_ask_for_the_password_are_refused(self, hers, alice, slots, path, typed):
        slot = slots.acquire()
        response = hers.post(path, typed)
        slots.release(slot)
        assert response.status_code == 503
        assert PASSWORD not in response.content.decode()
        user = find_user(alice.username)
        assert (user.check_password(PASSWORD), user.new_email, user.totp_secret) == (
            True,
            None,
            None,
        )


class TestASlot:
    def test_is_free_again_after_each_form(self, browser, alice, slots):
        sign_in(browser, alice.username, "wrong")
        sign_in(new_browser(), "nobody-here")
        sign_in(browser, alice.username)
        change_password(browser)
        assert slots.acquire() is not None

    def test_is_held_for_both_hashes_of_a_new_password(self, hers, slots, monkeypatch):
        """Else the first would be thrown away whenever others are waiting."""
        free: list[bool] = []
        monkeypatch.setattr(
            WatchedHasher, "watcher", lambda: free.append(slots.acquire() is not None)
        )
        assert change_password(hers).status_code == 302
        assert free == [False, False]

    @pytest.mark.parametrize("do", [sign_in, sign_up])
    def test_is_not_held_while_the_database_writes(self, browser, alice, slots, fresh, do):
        free: list[bool] = []

        def note(model: Any, **_: object) -> None:
            if model.name == "TransactWriteItems":
                slot = slots.acquire()
                free.append(slot is not None)
                slots.release(slot)

        client().meta.events.register("before-call.dynamodb.*", note)
        try:
            do(browser, alice.username if do is sign_in else fresh("new"))
        finally:
            client().meta.events.unregister("before-call.dynamodb.*", note)
        assert set(free) == {True}

    def test_is_shared_by_all_processes_and_freed_by_one_that_is_killed(self):
        script = """
import os, signal
from shop.accounts.hashing import HashSlots
slots = HashSlots(1)
taken, tell = os.pipe()
child = os.fork()
if not child:
    slots.acquire()
    os.write(tell, b"x")
    signal.pause()
os.read(taken, 1)
assert slots.acquire() is None
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
assert slots.acquire() is not None
"""
        subprocess.run([sys.executable, "-c", script], cwd=PROJECT, check=True)

    def test_is_made_before_processes_fork(self):
        """That is, with the models: gunicorn loads the site, then forks."""
        script = "import django, sys; django.setup(); assert 'shop.accounts.hashing' in sys.modules"
        environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "k" * 50}
        subprocess.run([sys.executable, "-c", script], cwd=PROJECT, env=environment, check=True)
        assert "\npreload_app = True\n" in (PROJECT / "deploy" / "gunicorn.conf.py").read_text()


class TestTheCores:
    @pytest.mark.parametrize(
        ("cores", "quota", "left"),
        [(8, "max 100000", 7), (2, "max 100000", 1), (1, "max 100000", 1), (64, "200000 100000", 1),
         (64, "350000 100000", 2), (2, "800000 100000", 1), (4, "", 3)],
    )  # fmt: skip
    def test_for_hashes_are_all_but_one(self, cores, quota, left):
        assert cores_for_hashes(cores, quota) == left


class TestTheTimeOfAForm:
    def test_does_not_pass_while_a_password_is_hashed(self, monkeypatch):
        now = [1_000.0]
        monkeypatch.setattr("dynapages.calls.pool.monotonic", lambda: now[0])

        def take_long() -> None:
            now[0] += 5

        monkeypatch.setattr(WatchedHasher, "watcher", take_long)
        with time_budget(6):
            now[0] += 1
            WatchedHasher().encode(PASSWORD, "salt")
            assert seconds_left() == 5


def fields_of_all_forms() -> Iterator[tuple[str, forms.Field]]:
    assert get_resolver().url_patterns  # whose views have loaded the forms
    kinds = [forms.BaseForm]
    for kind in kinds:
        kinds += kind.__subclasses__()
        yield from getattr(kind, "base_fields", {}).items()


class TestAPageThatARefusedFormComesBackWith:
    def test_has_no_field_that_a_form_keeps_to_itself(self):
        secret = {
            name
            for name, field in fields_of_all_forms()
            if isinstance(field.widget, forms.PasswordInput)
            or field.widget.attrs.get("autocomplete") == "one-time-code"
        }
        assert {"password", "password1", "old_password", "new_password2", "code"} <= secret
        assert [name for name in secret if not SECRET_FIELD.search(name)] == []


def test_the_hasher_of_the_site_is_bounded():
    assert issubclass(import_string(site_settings.PASSWORD_HASHERS[0]), BoundedHasher)
