"""The names of the sample's categories, here for the catalogue of translations to find them.

Pages show them in their language as `shop.catalogue.shown_names` tells.
"""

from django.utils.translation import pgettext_lazy

TRANSLATED_NAMES = (
    pgettext_lazy("category kitchen", "Kitchen"),
    pgettext_lazy("category cookware", "Cookware"),
    pgettext_lazy("category knives-and-boards", "Knives & Boards"),
    pgettext_lazy("category desk", "Desk & Office"),
    pgettext_lazy("category lighting", "Lighting"),
    pgettext_lazy("category indoor-lamps", "Indoor Lamps"),
    pgettext_lazy("category garden", "Garden"),
    pgettext_lazy("category books", "Books"),
    pgettext_lazy("category travel-books", "Travel Books"),
    pgettext_lazy("category audio", "Audio"),
    pgettext_lazy("category travel", "Travel"),
    pgettext_lazy("category textiles", "Home Textiles"),
    pgettext_lazy("category games", "Toys & Games"),
    pgettext_lazy("category outdoors", "Camping & Outdoors"),
)
