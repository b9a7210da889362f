"""Shapes of an API's bodies: text of a form, and bodies that change only what is sent."""

from typing import Annotated

import pytest
from pydantic import ValidationError

from dynapages.ninja import PartialBody, TextForm

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
