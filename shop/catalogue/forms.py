"""The forms in which staff write products and categories: their fields are those of the content."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dynapages.django.paging import LONGEST_ID
from dynapages.lists import PageRequest
from shop.catalogue import editing
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.queries import list_all_categories
from shop.catalogue.shown_names import shown_category
from shop.catalogue.stored import Stored
from shop.catalogue.tiles import CATEGORIES, steps_in, trail_in

MOST_OFFERED = 200
"""Categories to choose from; into others a product comes by an import."""
ID = gettext_lazy("Id (cannot be changed later)")


def _optional(kind: Any, label: Any, **options: Any) -> Any:  # noqa: ANN401 - a field of any kind
    """Build a field that may be left empty, and is None then."""
    return kind(label=label, required=False, empty_value=None, **options)


class PriceField(forms.DecimalField):
    """A price of so many cents."""

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - Django's
        """Return the decimal that the field shows for a number of cents."""
        if not isinstance(value, int):
            return value  # as it was typed
        return Decimal(value).scaleb(-2)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Django's
        """Return the cents of what was typed, None for nothing."""
        price = super().clean(value)
        if price is None:
            return None
        return int(price.scaleb(2))


class EditForm(forms.Form):
    """What staff write of something that is ``stored``, or of something new.

    A subclass says what: ``headings`` are those of the page for a new one and for a stored one,
    ``content`` is the type of its values, ``find`` reads one by its id, and ``write`` writes it.
    """

    id_name: ClassVar[str]
    headings: ClassVar[tuple[Any, Any]]
    content: ClassVar[type[NewProduct | NewCategory]]
    find: ClassVar[Any]
    write: ClassVar[Any]
    version = forms.CharField(widget=forms.HiddenInput, required=False)
    name = forms.CharField(label=gettext_lazy("Name"), max_length=300)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, stored: Stored[Any] | None = None
    ) -> None:
        initial = {}
        if stored:
            initial = {**asdict(stored.content), "version": stored.version}
        super().__init__(data, initial=initial)
        # An id is in addresses and in the keys of other items: it never changes.
        if stored:
            del self.fields[self.id_name]
        categories = list(_category_choices(stored).items())
        for field in self.fields.values():
            if isinstance(field, forms.MultipleChoiceField):
                field.choices = categories
            elif isinstance(field, forms.ChoiceField):
                field.choices = [("", "–"), *categories]

    def save(self) -> editing.Saved:
        """Write what was typed. Raises like `save_category`."""
        typed = {self.id_name: self.initial.get(self.id_name), **self.cleaned_data}
        version = typed.pop("version")
        saved: editing.Saved = self.write(self.content(**typed), version=version)
        return saved

    def differences(self) -> Iterator[tuple[Any, Any]]:
        """Yield the labels and the stored values of fields in which something else was typed."""
        for field in self.visible_fields():
            # As the field would show it, to compare it with what was sent.
            value = field.field.prepare_value(self.initial[field.name])
            if not field.field.has_changed(value, field.data):
                continue
            if isinstance(value, tuple):
                value = ", ".join(value)
            yield field.label, value


def _category_choices(stored: Stored[Any] | None) -> dict[str, str]:
    """Return the labels of the categories to choose from by slug, those of ``stored`` first."""
    # Its own may be hidden, or beyond those that are offered.
    choices = {}
    if stored:
        for category in steps_in(stored.node, CATEGORIES) + trail_in(stored.node):
            choices[category.slug] = shown_category(category).name
    for node in list_all_categories(PageRequest(MOST_OFFERED)).items:
        path = (*node.trail, node)
        choices[node.slug] = " / ".join(shown_category(category).name for category in path)
    return choices


class ProductForm(EditForm):
    """A product."""

    id_name = "id"
    headings = gettext_lazy("New product"), gettext_lazy("Edit product")
    content = NewProduct
    find = staticmethod(editing.find_editable)
    write = staticmethod(editing.save_product)
    id = forms.SlugField(label=ID, max_length=LONGEST_ID)
    unit_price_cents = PriceField(
        label=gettext_lazy("Price"),
        help_text=gettext_lazy("Without one it cannot be bought."),
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=2,
        localize=True,
    )
    currency = _optional(
        forms.RegexField,
        gettext_lazy("Currency"),
        regex=r"\A[A-Z]{3}\Z",
        error_messages={"invalid": gettext_lazy("Use a code of three capitals, such as EUR.")},
    )
    description = forms.CharField(
        label=gettext_lazy("Description"), required=False, max_length=5_000, widget=forms.Textarea
    )
    category_slugs = forms.MultipleChoiceField(
        label=gettext_lazy("Categories"),
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 8}),
    )
    external_id = _optional(forms.CharField, gettext_lazy("Id in another system"), max_length=128)
    is_off = forms.BooleanField(
        label=gettext_lazy("No longer sold"),
        required=False,
        help_text=gettext_lazy("It is in no list. Its page, its comments and past orders stay."),
    )

    def clean(self) -> dict[str, Any]:
        """Check what depends on two fields, and the number of categories."""
        typed = self.cleaned_data
        if typed.get("unit_price_cents") is not None and not typed.get("currency", "-"):
            self.add_error("currency", _("A price needs its currency."))
        if len(typed.get("category_slugs", ())) > editing.MOST_CATEGORIES:
            sentence = _("Choose at most %(most)s categories.")
            self.add_error("category_slugs", sentence % {"most": editing.MOST_CATEGORIES})
        return typed


class CategoryForm(EditForm):
    """A category."""

    id_name = "slug"
    headings = gettext_lazy("New category"), gettext_lazy("Edit category")
    content = NewCategory
    find = staticmethod(editing.find_editable_category)
    write = staticmethod(editing.save_category)
    slug = forms.SlugField(label=ID, max_length=LONGEST_ID)
    parent = forms.TypedChoiceField(
        label=gettext_lazy("Parent category"), required=False, empty_value=None
    )
    is_off = forms.BooleanField(
        label=gettext_lazy("Hidden"),
        required=False,
        help_text=gettext_lazy("It is in no list of categories. Its page and its products stay."),
    )
