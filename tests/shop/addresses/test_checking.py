"""Addresses by country: which are taken, and what a refusal says."""

from dataclasses import replace

import pytest
from django.utils.translation import override

from shop.addresses.address import NewAddress
from shop.addresses.checking import BadAddress, address_lines, checked_address
from shop.addresses.countries import countries_by_name, country_name
from tests.support.orders.addresses import ADDRESS

GERMAN = NewAddress("Erika Example", "Musterweg 1", "10115", "Berlin", "", "DE")
PORTUGUESE = NewAddress("Ana Example", "Rua do Exemplo 5", "1100-148", "Lisboa", "", "PT")
JAPANESE = NewAddress("Ken Example", "1-1 Example", "100-0001", "", "Tokyo", "JP")
SINGAPORE = NewAddress("Li Example", "1 Example Road", "546080", "", "", "SG")
IRISH = NewAddress("Aoife Example", "1 Example Street", "", "Cork", "", "IE")
HONG_KONG = NewAddress("Wai Example", "1 Example Road", "", "Mong Kok", "Kowloon", "HK")


def problems_of(address: NewAddress) -> dict[str, str]:
    with pytest.raises(BadAddress) as refused:
        checked_address(address)
    return dict(refused.value.problems)


class TestAnAddress:
    @pytest.mark.parametrize(
        "address",
        [GERMAN, PORTUGUESE, JAPANESE, SINGAPORE, IRISH, HONG_KONG, ADDRESS],
        ids=lambda address: address.country,
    )
    def test_of_a_country_is_taken_with_what_its_addresses_have(self, address):
        assert checked_address(address).lines == address.lines

    def test_is_written_as_its_country_writes_it(self):
        typed = replace(ADDRESS, city="Cupertino", region="california")
        assert checked_address(typed) == ADDRESS

    def test_may_have_a_postal_code_in_small_letters(self):
        dutch = NewAddress("Jan Example", "Voorbeeldstraat 1", "1012 ab", "Amsterdam", "", "NL")
        assert checked_address(dutch).postal_code == "1012 AB"

    def test_needs_a_country(self):
        assert problems_of(replace(GERMAN, country="")) == {
            "country": "Choose the country that the address is in."
        }
        assert list(problems_of(replace(GERMAN, country="QQ"))) == ["country"]

    def test_is_told_what_its_country_needs(self):
        empty = NewAddress("", "", "", "", "", "DE")
        assert problems_of(empty) == {
            "name": "Germany: an address there needs this.",
            "lines": "Germany: an address there needs this.",
            "postal_code": "Germany: a postal code is needed, such as 26133 or 53225.",
            "city": "Germany: an address there needs this.",
        }

    def test_is_told_what_a_postal_code_looks_like(self):
        assert problems_of(replace(PORTUGUESE, postal_code="1100")) == {
            "postal_code": (
                "Portugal: “1100” is no postal code of it. Write it as 2725-079 or 1250-096."
            )
        }

    def test_has_a_postal_code_of_its_region(self):
        assert (
            "“10001” is no postal code"
            in problems_of(replace(ADDRESS, postal_code="10001"))["postal_code"]
        )

    def test_is_told_which_regions_there_are(self):
        sentence = problems_of(replace(ADDRESS, region="Kalifornia"))["region"]
        assert sentence.startswith("United States: “Kalifornia” is not known. Write one of ")
        assert "California, Colorado" in sentence
        assert "Alabama, Alaska" in problems_of(replace(ADDRESS, region=""))["region"]

    @pytest.mark.parametrize(
        ("address", "part"),
        [
            (replace(GERMAN, region="Bayern"), "region"),
            (replace(SINGAPORE, city="Singapore"), "city"),
            (replace(HONG_KONG, postal_code="999077"), "postal_code"),
        ],
        ids=["region", "city", "postal code"],
    )
    def test_loses_nothing_that_its_country_has_not(self, address, part):
        assert list(problems_of(address)) == [part]


class TestTheLines:
    def test_are_in_the_order_of_the_country(self):
        assert list(address_lines(GERMAN)) == [
            "Erika Example",
            "Musterweg 1",
            "10115 BERLIN",
            "Germany",
        ]
        assert list(address_lines(ADDRESS))[2] == "CUPERTINO, CA 95014"

    def test_name_the_country_in_the_language_of_the_page(self):
        with override("de"):
            assert address_lines(GERMAN)[-1] == "Deutschland"

    def test_of_a_country_that_is_unknown_are_all_there(self):
        lines = address_lines(replace(GERMAN, country="QQ", region="Nowhere"))
        assert list(lines) == ["Erika Example", "Musterweg 1", "10115", "Berlin", "Nowhere", "QQ"]


class TestTheCountries:
    def test_have_names_in_each_language(self):
        assert country_name("AT") == "Austria"
        with override("de"):
            assert country_name("AT") == "Österreich"

    def test_are_sorted_as_in_a_dictionary(self):
        with override("de"):
            names = [name for _code, name in countries_by_name()]
        assert names.index("Österreich") == names.index("Oman") + 1 or names.index(
            "Oman"
        ) < names.index("Österreich") < names.index("Pakistan")
        assert names[0] != "Österreich"

    def test_begin_with_that_of_the_site(self):
        codes = [code for code, _name in countries_by_name(first="PT")]
        assert codes[0] == "PT"
        assert set(codes) == {code for code, _name in countries_by_name()}
