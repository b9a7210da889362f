"""System checks of the app: what a project lacks is named before a request fails for it."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User as DjangosUser
from django.test import override_settings

from comments import checks, keys
from comments.checks import check_project, check_tables
from comments.models import TABLE
from comments.store.table import limiter, read_item
from dynapages.calls import clock
from dynapages.items import wire_key
from dynapages.writes import Limit
from tests.support.comments.own_base import BASE
from tests.support.own_templates import own_templates

CONTEXT = "django.template.context_processors.request"


def found(**changes):
    """Return the ids and hints of what the checks say with other settings."""
    with override_settings(**changes):
        return {message.id: message.hint for message in check_project(None)}


def without(setting, *left_out):
    return {setting: [one for one in getattr(settings, setting) if one not in left_out]}


def templates(*, lacking):
    (engine,) = settings.TEMPLATES
    names = [one for one in engine["OPTIONS"]["context_processors"] if one != lacking]
    return [{**engine, "OPTIONS": {"context_processors": names}}]


class TestTheChecks:
    def test_say_nothing_of_this_site(self):
        assert found() == {}

    def test_name_a_missing_option_and_an_unknown_one(self):
        told = found(COMMENTS={"PRODUKTS": "shop.for_comments.PRODUCTS"})
        assert told == {
            "comments.PRODUCTS": "Set it to a dotted path.",
            "comments.PRODUKTS": "Use PRODUCTS.",
        }

    @pytest.mark.parametrize(
        ("name", "path"),
        [
            ("HtmxMiddleware", "django_htmx.middleware.HtmxMiddleware"),
            ("RefusalMiddleware", "dynapages.django.middleware.RefusalMiddleware"),
            ("SessionMiddleware", "django.contrib.sessions.middleware.SessionMiddleware"),
            ("MessageMiddleware", "django.contrib.messages.middleware.MessageMiddleware"),
        ],
    )
    def test_name_missing_middleware_with_the_line_to_add(self, name, path):
        told = found(**without("MIDDLEWARE", path))
        assert told == {f"comments.{name}": f"Add {path!r} to MIDDLEWARE."}

    def test_name_the_app_whose_script_pages_load(self):
        assert found(**without("INSTALLED_APPS", "django_htmx")).keys() == {"comments.django_htmx"}

    def test_take_a_class_made_from_the_one_that_is_needed(self):
        own = "shop.accounts.sessions.SignedInMiddleware"
        assert own in settings.MIDDLEWARE
        assert found(**without("MIDDLEWARE", own)).keys() == {"comments.AuthenticationMiddleware"}

    def test_name_a_missing_context_processor(self):
        told = found(TEMPLATES=templates(lacking=CONTEXT))
        assert told["comments.request"].startswith(f"Add {CONTEXT!r}")

    def test_name_a_table_that_would_not_be_created(self):
        told = found(DYNAMODB_MODELS=["shop.models.ShopItem"])
        assert told == {"comments.DYNAMODB_MODELS": f"Add {checks.MODEL!r} to DYNAMODB_MODELS."}

    def test_want_the_table_of_copies_where_lists_are_read_from_it(self):
        told = found(COMMENTS={**settings.COMMENTS, "READ_MODEL": "sets"})
        assert checks.COPIES in told["comments.DYNAMODB_MODELS"]

    def test_name_a_read_model_that_does_not_exist(self):
        told = found(COMMENTS={**settings.COMMENTS, "READ_MODEL": "tables"})
        assert told == {"comments.READ_MODEL": "Use one of indexes, sets."}

    def test_want_comments_to_be_searched_where_topics_are_shown(self):
        told = found(COMMENTS={**settings.COMMENTS, "TOPICS": True})
        assert told == {"comments.TOPICS": "Switch 'SEARCH' on as well, or 'TOPICS' off."}
        both = {**settings.COMMENTS, "TOPICS": True, "SEARCH": True}
        models = [*settings.DYNAMODB_MODELS, checks.WORDS]
        assert found(COMMENTS=both, DYNAMODB_MODELS=models) == {}

    def test_name_a_base_template_that_does_not_exist(self):
        told = found(COMMENTS={**settings.COMMENTS, "BASE_TEMPLATE": "nowhere.html"})
        assert told.keys() == {"comments.BASE_TEMPLATE"}

    def test_name_a_base_template_that_would_show_nothing(self):
        base = "comments/posting/_text_field.html"  # of no block
        told = found(COMMENTS={**settings.COMMENTS, "BASE_TEMPLATE": base})
        assert "{% block content %}" in told["comments.BASE_TEMPLATE"]

    def test_want_the_templates_of_apps_to_be_found(self):
        told = found(TEMPLATES=[{**settings.TEMPLATES[0], "APP_DIRS": False}])
        assert told == {
            "comments.APP_DIRS": "Set 'APP_DIRS': True in TEMPLATES, for Django's own engine."
        }

    def test_name_a_template_of_the_project_that_is_gone_from_the_app(self, tmp_path):
        name = "comments/lists/_skip_link.html"
        with own_templates(tmp_path, {"base.html": BASE, name: "Mine"}):
            told = found()
        assert told.keys() == {"dynapages.templates"}
        assert "at 'comments/lists/list.html'" in told["dynapages.templates"]

    def test_name_addresses_that_are_missing(self):
        told = found(ROOT_URLCONF="shop.sitemap.urls")
        assert told.keys() == {"comments.urls", "comments.LOGIN_URL"}

    @pytest.mark.parametrize("wrong", ["sign_in_here", "/nowhere/"])
    def test_name_a_page_for_signing_in_that_does_not_exist(self, wrong):
        assert found(LOGIN_URL=wrong).keys() == {"comments.LOGIN_URL"}

    def test_leave_a_page_for_signing_in_on_another_site_alone(self):
        assert found(LOGIN_URL="https://sign-in.example.com/") == {}

    def test_name_a_user_model_without_staff(self, monkeypatch):
        monkeypatch.setattr(checks, "get_user_model", lambda: AbstractBaseUser)
        assert found().keys() == {"comments.is_staff"}


def found_of_djangos_users(**options):
    """Return what the checks say to a project with Django's own users and these options."""
    return found(AUTH_USER_MODEL="auth.User", COMMENTS={**settings.COMMENTS, **options})


class TestTheChecksOfUsers:
    def test_say_nothing_of_djangos_own_with_the_defaults(self):
        assert found_of_djangos_users() == {}
        assert found_of_djangos_users(USER_ID="username", DISPLAY_NAME="get_full_name") == {}

    @pytest.mark.parametrize("field", ["code", "email", "first_name"])
    def test_refuse_an_id_that_is_no_field_or_an_address_or_not_unique(self, field):
        told = found_of_djangos_users(USER_ID=field)
        assert told.keys() == {"comments.USER_ID"}
        assert told["comments.USER_ID"].startswith("Name a unique field")

    @pytest.mark.parametrize("name", ["nick", "email"])
    def test_refuse_a_name_that_is_no_attribute_or_an_address(self, name):
        told = found_of_djangos_users(DISPLAY_NAME=name)
        assert told.keys() == {"comments.DISPLAY_NAME"}
        assert told["comments.DISPLAY_NAME"].startswith("Set it to 'get_short_name'")

    def test_refuse_the_default_name_where_user_names_are_addresses(self, monkeypatch):
        monkeypatch.setattr(DjangosUser, "USERNAME_FIELD", "email")
        assert found_of_djangos_users().keys() == {"comments.DISPLAY_NAME"}
        assert found_of_djangos_users(DISPLAY_NAME="get_short_name") == {}

    def test_refuse_what_an_email_field_is_called_by_the_model_though_it_is_any_text(
        self, monkeypatch
    ):
        monkeypatch.setattr(DjangosUser, "EMAIL_FIELD", "username")
        told = found_of_djangos_users(USER_ID="username")
        assert told.keys() == {"comments.USER_ID", "comments.DISPLAY_NAME"}

    @pytest.mark.parametrize("option", ["DISPLAY_NAME", "FIND_USER", "PROFILE_SLUGS"])
    def test_name_a_path_that_leads_nowhere(self, option):
        told = found_of_djangos_users(**{option: "comments.nowhere.at_all"})
        assert told == {f"comments.{option}": "Correct the path."}

    def test_want_both_ways_between_ids_and_slugs(self):
        told = found_of_djangos_users(PROFILE_SLUGS="comments.users.HasAuthor")
        assert told.keys() == {"comments.PROFILE_SLUGS"}
        assert found_of_djangos_users(PROFILE_SLUGS="comments.users.Slugs") == {}


class TestTheCheckOfTables:
    def test_asks_nothing_unless_a_database_is_named(self):
        with override_settings(COMMENTS={"READ_MODEL": "indexes"}):
            assert check_tables(None) == []

    def test_is_silent_when_they_exist(self, tables):
        assert check_tables(None, databases=["default"]) == []

    def test_warns_of_one_that_does_not_exist(self, monkeypatch):
        monkeypatch.setattr(checks, "import_string", lambda _name: AbsentModel)
        (told,) = check_tables(None, databases=["default"])
        assert told.id == "comments.create_tables"
        assert not told.is_serious()


class AbsentModel:
    class Meta:
        table_name = f"{TABLE}-absent"


class TestTheLimiterOfTheApp:
    """It is used by projects that name none: tests/test_installing.py posts by it."""

    def test_stores_what_expires_by_the_time_to_live_of_the_table(self, tables, fresh):
        name, hour = fresh("limit"), timedelta(hours=1)
        assert limiter().take(name, Limit(1, hour), now=clock.now()) == 0.0
        item = read_item(wire_key(keys.limit(name)))
        assert int(item["z"]["N"]) > clock.now().timestamp() + hour.total_seconds()
        assert limiter().take(name, Limit(1, hour), now=clock.now()) > 0.0


def test_the_worker_looks_into_the_queue_of_comments_though_no_setting_says_so():
    with override_settings(WORK_QUEUES=()):
        apps.get_app_config("comments").ready()
        assert settings.WORK_QUEUES == ["comments.work.QUEUE"]
