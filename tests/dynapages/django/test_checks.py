"""What the library's checks say of a project's templates."""

import pytest
from django.core.checks import run_checks
from django.core.checks.registry import Tags
from django.test import override_settings

from dynapages.django.checks import check_templates
from tests.support.own_templates import own_templates

PAGER = "dynapages/pager.jinja"


class TestTheCheckOfTemplates:
    def test_says_nothing_of_this_site(self):
        assert check_templates(None) == []

    def test_says_nothing_of_a_template_in_the_place_of_the_librarys(self, tmp_path):
        with own_templates(tmp_path, {PAGER: "Mine"}):
            assert check_templates(None) == []

    @pytest.mark.parametrize(
        "name",
        [
            "dynapages/pager",
            "dynapages/toggle",
            "dynapages/list_choice",
            "comments/lists/_comment",
            "comments/lists/_toggle",
            "comments/votes/_helpful",
        ],
    )
    def test_names_a_file_of_the_old_name(self, tmp_path, name):
        with own_templates(tmp_path, {f"{name}.html": "Mine"}):
            (warning,) = check_templates(None)
        assert warning.id == "dynapages.templates"
        assert warning.msg == f"The template {tmp_path / name}.html is not read any more."
        assert f"at '{name}.jinja'" in warning.hint

    def test_leaves_two_templates_of_one_app_alone(self, tmp_path):
        with own_templates(tmp_path, {"goods/row.html": "", "goods/row.jinja": ""}):
            assert check_templates(None) == []

    @override_settings(TEMPLATES=[])
    def test_says_nothing_without_an_engine_of_django(self):
        assert check_templates(None) == []

    def test_is_one_of_manage_check(self, tmp_path):
        with own_templates(tmp_path, {"dynapages/pager.html": ""}):
            messages = run_checks(tags=[Tags.templates])
        assert "dynapages.templates" in {message.id for message in messages}
