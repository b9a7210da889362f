"""Users of another model, in SQL: the recipe of docs/accounts.md, in a process of its own."""

import json

import pytest
from django.conf import settings

from tests.support.config.environments import run_python
from tests.support.documented_code import follow
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

WALK = """
import json
import django
django.setup()
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
users = get_user_model().objects
alex = users.create_user("Alex", password="sample-shop-1")
users.create_user("sam", password="sample-shop-1", is_staff=True)
told = {}
for name in ("Alex", "sam"):
    browser = Client(SERVER_NAME="localhost")
    signed_in = browser.post("/accounts/login/", {"username": name, "password": "sample-shop-1"})
    told[name] = {
        url: browser.get(url).status_code
        for url in ("/orders/", "/users/Alex/", "/users/nobody/", "/staff/customers/Alex/orders/")
    }
    told[name]["session"] = sorted(browser.session.keys())
alex.refresh_from_db()
told["has_signed_in"] = alex.last_login is not None
print(json.dumps(told))
"""
OF_DJANGO = ["_auth_user_backend", "_auth_user_hash", "_auth_user_id"]


@pytest.fixture
def told(tmp_path):
    """What a walk by two users of the other model has found."""
    follow("accounts.md", tmp_path)
    ended = run_python(
        "-c",
        WALK,
        PYTHONPATH=f"{tmp_path}:{PROJECT}",
        DJANGO_SETTINGS_MODULE="own_settings",
        VAR_DIR=str(tmp_path),
        DEBUG="1",
        DYNAMODB_ENDPOINT_URL=settings.DYNAMODB_ENDPOINT_URL,
        DYNAMODB_TABLE_PREFIX=settings.DYNAMODB_TABLE_PREFIX,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_have_pages_of_their_own_and_sign_in_as_in_any_project(told):
    assert told["Alex"] == {
        "/orders/": 200,
        "/users/Alex/": 200,
        "/users/nobody/": 404,
        "/staff/customers/Alex/orders/": 404,
        "session": OF_DJANGO,
    }
    assert told["sam"]["/staff/customers/Alex/orders/"] == 200
    assert told["has_signed_in"]
