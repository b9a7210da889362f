"""What staff choose of a queue: comments about a product, in a language, with a rating."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from comments import keys
from comments.filters import RATINGS, BadFilter, is_language, unknown_language
from comments.models import Comment
from comments.store.states import State
from dynapages.lists import OneOf


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """A product's id, the code of a language and a rating; empty, or 0, for any."""

    product_id: str = ""
    language: str = ""
    rating: int = 0

    @classmethod
    def of(cls, query: QueryDict | Mapping[str, str]) -> Self:
        """Return the filter in the query of a page. Raises BadFilter."""
        language, rating = query.get("language", ""), query.get("rating", "")
        if language and not is_language(language):
            raise BadFilter(unknown_language(language))
        number = 0
        if rating:
            if rating not in map(str, RATINGS):
                raise BadFilter(_("Choose one rating from 1 to 5."))
            number = int(rating)
        return cls(query.get("product", ""), language, number)

    @property
    def is_any(self) -> bool:
        """Whether it lets every comment through."""
        return self == type(self)()

    @property
    def query(self) -> str:
        """The filter in a URL, such as ``?rating=1``; empty for none."""
        chosen = {"product": self.product_id, "language": self.language, "rating": self.rating}
        parts = {name: value for name, value in chosen.items() if value}
        return f"?{urlencode(parts)}" if parts else ""

    def conditions(self, state: State) -> tuple[OneOf, ...]:
        """Return what entries of the index ``moderation`` have to pass."""
        conditions = []
        if self.product_id:
            # What is in no list has its product as it is, without the key of a list.
            name, value = Comment.hidden_product.attr_name, self.product_id
            if state.is_listed:
                name = Comment.product_partition.attr_name
                value = keys.product_partition(self.product_id)
            conditions.append(OneOf(name, ({"S": value},)))
        if self.language:
            conditions.append(OneOf(Comment.language.attr_name, ({"S": self.language},)))
        if self.rating:
            conditions.append(OneOf(Comment.rating.attr_name, ({"N": str(self.rating)},)))
        return tuple(conditions)
