"""The forms in which staff write products and categories."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dynapages.django.paging import LONGEST_ID
from dynapages.lists import PageRequest
from shop.catalogue.editing import (
    MOST_CATEGORIES,
    Stored,
    find_editable,
    find_editable_category,
    put_back,
    put_back_category,
    save_category,
    save_product,
    take_off,
    take_off_category,
)
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.queries import CATEGORIES, list_all_categories, steps_in, trail_in

MOST_OFFERED = 200
"""Categories; a product, or a category, may be put into others by an import."""
LONGEST_NAME = 300
LONGEST_DESCRIPTION = 5_000
_ID = RegexValidator(
    r"\A[A-Za-z0-9][A-Za-z0-9._-]*\Z",
    gettext_lazy("Use A-Z, a-z, 0-9, “.”, “_” and “-”, a letter or digit first."),
)


class EditForm(forms.Form):
    """What staff write of something that is ``stored``, or of something new, which needs an id."""

    headings: ClassVar[tuple[Any, Any]]
    missing: ClassVar[Any]
    route: ClassVar[str]
    find: ClassVar[Any]
    switches: ClassVar[Mapping[str, Callable[[str], object]]]
    """What takes it off and puts it back; like `save` they return False where copies wait."""

    id = forms.CharField(
        label=gettext_lazy("Id"),
        max_length=LONGEST_ID,
        validators=[_ID],
        help_text=gettext_lazy("Part of its address: it cannot be changed later."),
    )
    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, stored: Stored[Any] | None = None
    ) -> None:
        initial = {**self.fields_of(stored), "version": stored.version} if stored else {}
        super().__init__(data, initial=initial)
        self.stored = stored
        self.heading = self.headings[stored is not None]
        if stored:
            del self.fields["id"]

    @staticmethod
    def fields_of(stored: Stored[Any]) -> dict[str, Any]:
        """Return the values of the fields."""
        raise NotImplementedError

    def save(self, item_id: str) -> object:
        """Write what was typed. Raises like `save_product` and `save_category`."""
        raise NotImplementedError

    def theirs(self) -> Iterable[tuple[str, Any]]:
        """Return the labels and the stored values of fields in which something else was typed."""
        for field in self.visible_fields():
            stored = field.field.prepare_value(self.initial[field.name])
            if field.field.has_changed(stored, field.data):
                yield str(field.label), ", ".join(stored) if isinstance(stored, list) else stored


class ProductForm(EditForm):
    """A product."""

    headings = gettext_lazy("New product"), gettext_lazy("Edit product")
    missing = gettext_lazy("There is no such product.")
    route = "comments:product"
    find = staticmethod(find_editable)
    switches = MappingProxyType({"off": take_off, "back": put_back})

    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=LONGEST_DESCRIPTION,
        widget=forms.Textarea({"rows": 6}),
    )
    price = forms.DecimalField(
        label=gettext_lazy("Price"),
        required=False,
        min_value=Decimal(),
        max_digits=12,
        decimal_places=2,
        localize=True,
        help_text=gettext_lazy("Without one it cannot be bought."),
    )
    currency = forms.RegexField(
        r"\A[A-Za-z]{3}\Z",
        label=gettext_lazy("Currency"),
        required=False,
        error_messages={"invalid": gettext_lazy("Give a code of three letters, such as EUR.")},
    )
    categories = forms.MultipleChoiceField(
        label=gettext_lazy("Categories"),
        required=False,
        help_text=gettext_lazy("Hold Ctrl, or ⌘, to choose several."),
    )
    external_id = forms.CharField(
        label=gettext_lazy("Id in another system"), required=False, max_length=LONGEST_ID
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, stored: Stored[NewProduct] | None = None
    ) -> None:
        super().__init__(data, stored=stored)
        own = steps_in(stored.node, CATEGORIES) if stored else ()
        _offer(self.fields["categories"], own)

    @staticmethod
    def fields_of(stored: Stored[NewProduct]) -> dict[str, Any]:
        product, cents = stored.content, stored.content.unit_price_cents
        return {
            "name": product.name,
            "description": product.description,
            "price": None if cents is None else Decimal(cents).scaleb(-2),
            "currency": product.currency or "",
            "categories": list(product.category_slugs),
            "external_id": product.external_id or "",
        }

    def clean_categories(self) -> list[str]:
        slugs: list[str] = self.cleaned_data["categories"]
        if len(slugs) > MOST_CATEGORIES:
            sentence = _("Choose at most %(most)s categories.")
            raise forms.ValidationError(sentence % {"most": MOST_CATEGORIES})
        return slugs

    def clean(self) -> dict[str, Any]:
        typed = self.cleaned_data
        if typed.get("price") is not None and typed.get("currency") == "":
            self.add_error("currency", _("A price needs its currency."))
        return typed

    def save(self, item_id: str) -> None:
        typed = self.cleaned_data
        product = NewProduct(
            item_id or typed["id"],
            typed["name"],
            tuple(typed["categories"]),
            typed["description"],
            None if typed["price"] is None else int(typed["price"].scaleb(2)),
            typed["currency"].upper() or None,
            external_id=typed["external_id"] or None,
        )
        save_product(product, version=typed["version"] if item_id else "")


class CategoryForm(EditForm):
    """A category."""

    headings = gettext_lazy("New category"), gettext_lazy("Edit category")
    missing = gettext_lazy("There is no such category.")
    route = "category"
    find = staticmethod(find_editable_category)
    switches = MappingProxyType({"off": take_off_category, "back": put_back_category})

    parent = forms.ChoiceField(label=gettext_lazy("Lies in"), required=False)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, stored: Stored[NewCategory] | None = None
    ) -> None:
        super().__init__(data, stored=stored)
        own = trail_in(stored.node)[-1:] if stored else ()
        _offer(self.fields["parent"], own, ("", _("No other category")))

    @staticmethod
    def fields_of(stored: Stored[NewCategory]) -> dict[str, Any]:
        return {"name": stored.content.name, "parent": stored.content.parent or ""}

    def save(self, item_id: str) -> bool:
        typed = self.cleaned_data
        category = NewCategory(item_id or typed["id"], typed["name"], typed["parent"] or None)
        return save_category(category, version=typed["version"] if item_id else "")


def _offer(field: forms.Field, own: Iterable[Any], *others: tuple[str, str]) -> None:
    """Let a field offer the first categories by name, and those that something is in."""
    found = list_all_categories(PageRequest(MOST_OFFERED)).items
    ways = {one.slug: " / ".join(step.name for step in (*one.trail, one)) for one in found}
    field.choices = [  # type: ignore[attr-defined] # it is one of choices
        *others,
        *({one.slug: one.name for one in own} | ways).items(),
    ]
