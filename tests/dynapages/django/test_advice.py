"""What a site of Django says on a failure, after the library's sentence."""

import logging

import pytest
from botocore.exceptions import ClientError, NoCredentialsError
from django.core.management.base import CommandError
from django.test import RequestFactory
from django.utils.translation import override

from dynapages.calls import Unreachable, fault_in
from dynapages.django.advice import advice_on, sentence_with_advice
from dynapages.django.options import failures_in_one_line
from dynapages.django.refusals import unavailable
from dynapages.streams import NoStream

NO_TABLE = ClientError({"Error": {"Code": "ResourceNotFoundException", "Message": ""}}, "Query")
FEED_OF_ATOM = {"HTTP_ACCEPT": "application/atom+xml"}


class TestAdvice:
    def test_on_a_missing_table_is_the_command_that_creates_it(self):
        assert sentence_with_advice(NO_TABLE) == (
            "The database is not set up yet: a table or an index is missing. "
            "“manage.py create_tables” creates what is missing."
        )

    def test_on_a_missing_stream_is_the_command_that_switches_it_on(self):
        sentence = sentence_with_advice(NoStream("The table a has no stream."))
        assert sentence == "The table a has no stream. “manage.py create_tables” switches it on."

    def test_on_missing_credentials_is_the_setting_of_another_database(self):
        assert "DYNAMODB_ENDPOINT_URL" in sentence_with_advice(NoCredentialsError())

    def test_is_given_on_nothing_else(self):
        assert advice_on(Unreachable()) == ""
        assert sentence_with_advice(Unreachable()) == str(Unreachable())

    def test_ends_the_error_of_a_command(self):
        sentence = r"missing\. “manage\.py create_tables”"
        with pytest.raises(CommandError, match=sentence), failures_in_one_line():
            raise NO_TABLE


class TestTheAnswerOfASiteThatIsNotSetUp:
    def test_is_in_the_language_of_the_visitor(self):
        fault = fault_in(NO_TABLE)
        assert fault is not None
        with override("de"):
            answer = unavailable(RequestFactory().get("/x.atom", **FEED_OF_ATOM), fault)
        assert answer.status_code == 503
        text = answer.content.decode()
        assert "Eine Tabelle oder ein Index fehlt." in text
        assert "„manage.py create_tables“ legt an, was fehlt." in text


class TestTheLogOfASiteWithoutCredentials:
    def test_names_the_setting(self, caplog):
        fault = fault_in(NoCredentialsError())
        assert fault is not None
        with caplog.at_level(logging.ERROR):
            answer = unavailable(RequestFactory().get("/"), fault)
        assert "DYNAMODB_ENDPOINT_URL" in caplog.text
        assert "DYNAMODB_ENDPOINT_URL" not in answer.content.decode()
