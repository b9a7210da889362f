"""The project as it is set up: its checks, its tables, its files and its languages."""

from io import StringIO

import pytest
from django.contrib.staticfiles.finders import find
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from comments.models import TABLE
from dynapages.process import client
from sample_project.pages import files_of, text_of


class TestTheChecks:
    def test_find_nothing_that_is_missing(self, tables):
        call_command("check", databases=["default"], fail_level="WARNING", stdout=StringIO())

    def test_name_what_is_missing(self, tables, settings):
        settings.COMMENTS = {}
        with pytest.raises(SystemCheckError, match=r"comments\.PRODUCTS"):
            call_command("check")


class TestTheTables:
    def test_are_made_by_the_command(self, tables):
        client().delete_table(TableName=TABLE)
        call_command("create_tables", verbosity=0)
        assert client().describe_table(TableName=TABLE)["Table"]["TableStatus"] == "ACTIVE"

    def test_need_no_migration(self, db):
        call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())


class TestAPage:
    def test_has_its_style_sheets_and_scripts_in_the_package(self, tables, visitor):
        names = files_of(text_of(visitor, "/reviews/products/lamp/"))
        assert "comments/comments.css" in names
        assert [name for name in names if find(name) is None] == []

    def test_extends_the_base_template_of_the_project(self, tables, visitor):
        page = text_of(visitor, "/reviews/products/lamp/")
        assert page.lstrip().startswith("<!DOCTYPE html>")
        assert "A lamp" in page

    def test_is_not_there_for_a_product_that_does_not_exist(self, tables, visitor):
        assert visitor.get("/reviews/products/table/").status_code == 404

    def test_is_german_for_who_reads_german(self, tables):
        german = Client(headers={"accept-language": "de"})
        page = text_of(german, "/reviews/products/lamp/")
        assert "Kommentar schreiben" in page
        assert "Write a comment" not in page

    def test_has_an_address_in_the_namespace(self):
        with override("en"):
            assert reverse("comments:product", args=["lamp"]) == "/reviews/products/lamp/"
