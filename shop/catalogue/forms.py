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
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.queries import CATEGORIES, list_all_categories, steps_in, trail_in
from shop.catalogue.services import Stored

MOST_OFFERED = 200
"""Categories to choose from; into others a product comes by an import."""
ID = gettext_lazy("Id (cannot be changed later)")


def _optional(kind: Any, label: Any, **options: Any) -> Any:  # noqa: ANN401 - a field of any kind
    return kind(label=label, required=False, empty_value=None, **options)


class PriceField(forms.DecimalField):
    """A price of so many cents."""

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - Django's
        return Decimal(value).scaleb(-2) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Django's
        price = super().clean(value)
        return None if price is None else int(price.scaleb(2))


class EditForm(forms.Form):
    """What staff write of something that is ``stored``, or of something new."""

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
        initial = {**asdict(stored.content), "version": stored.version} if stored else {}
        super().__init__(data, initial=initial)
        own = steps_in(stored.node, CATEGORIES) + trail_in(stored.node) if stored else ()
        if stored:
            del self.fields[self.id_name]
        found = list_all_categories(PageRequest(MOST_OFFERED)).items
        ways = {one.slug: " / ".join(step.name for step in (*one.trail, one)) for one in found}
        for field in self.fields.values():
            if isinstance(field, forms.ChoiceField):
                empty = [] if isinstance(field, forms.MultipleChoiceField) else [("", "–")]
                field.choices = [*empty, *({one.slug: one.name for one in own} | ways).items()]

    def save(self) -> object:
        """Write what was typed; return False where copies wait. Raises like `save_category`."""
        typed = {self.id_name: self.initial.get(self.id_name), **self.cleaned_data}
        version = typed.pop("version")
        return self.write(self.content(**typed), version=version)

    def theirs(self) -> Iterator[tuple[Any, Any]]:
        """Yield the labels and the stored values of fields in which something else was typed."""
        for field in self.visible_fields():
            value = field.field.prepare_value(self.initial[field.name])
            if field.field.has_changed(value, field.data):
                yield field.label, ", ".join(value) if isinstance(value, tuple) else value


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
