"""Shapes of an API's bodies: text of a form, and bodies that change only what is sent."""

from typing import Annotated

import pytest
from django.test import RequestFactory
from pydantic import ValidationError

from dynapages.django.refusals import Refusal
from dynapages.ninja import PartialBody, TextForm, VersionNeeded, conflict_status, version_seen

CODE = Annotated[str, TextForm("[A-Z]{3}", "Use three capitals.")]


class Price(PartialBody):
    code: CODE = ""
    amount: int | None = None


class TestTextOfAForm:
    def test_is_taken_as_it_is(self):
        assert Price(code="EUR").code == "EUR"

    @pytest.mark.parametrize("text", ["", "eur", "EURO", "EUR\n", " EUR"])
    def test_is_refused_by_its_sentence(self, text):
        with pytest.raises(ValidationError) as error:
            Price(code=text)
        (fault,) = error.value.errors()
        assert fault["msg"] == "Value error, Use three capitals."

    def test_has_its_pattern_in_the_schema(self):
        described = Price.model_json_schema()["properties"]["code"]
        assert (described["type"], described["pattern"]) == ("string", "^[A-Z]{3}$")


class TestAPartialBody:
    def test_knows_what_was_sent(self):
        assert Price(amount=None).sent == {"amount": None}
        assert Price().sent == {}

    def test_refuses_null_where_nothing_can_be_missing(self):
        with pytest.raises(ValidationError):
            Price(code=None)

    def test_has_no_defaults_in_the_schema(self):
        described = Price.model_json_schema()
        assert "required" not in described
        assert [name for name, field in described["properties"].items() if "default" in field] == []


def request_with(**headers):
    return RequestFactory().put("/", headers=headers)


class TestTheVersionOfAWrite:
    def test_is_that_of_the_body_or_of_if_match(self):
        assert version_seen(request_with(), 3) == "3"
        assert version_seen(request_with(if_match='"3-5b1f"'), None) == "3"
        assert version_seen(request_with(if_match="*"), None) is None

    def test_is_empty_for_what_is_not_there_yet(self):
        request = request_with(if_none_match="*")
        assert version_seen(request, None) == version_seen(request, "") == ""
        assert conflict_status(request) == 412

    def test_has_to_be_there(self):
        with pytest.raises(VersionNeeded):
            version_seen(request_with(), None)

    @pytest.mark.parametrize(
        ("headers", "in_body"),
        [
            ({"if_match": '"3"'}, 4),
            ({"if_match": "*"}, 4),
            ({"if_none_match": "*"}, 4),
            ({"if_none_match": "*", "if_match": '"3"'}, None),
            ({"if_none_match": "*", "if_match": "*"}, None),
            ({"if_none_match": '"3"'}, None),
        ],
    )
    def test_is_one_alone(self, headers, in_body):
        with pytest.raises(Refusal):
            version_seen(request_with(**headers), in_body)
