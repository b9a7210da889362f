"""Pages of a list in URLs: ``?after=TOKEN`` leads on, ``?before=TOKEN`` leads back."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from dynamo.lists.reader import Page, PageRequest, Toward
from dynamo.lists.runs import Position
from dynamo.lists.tokens import TokenError
from dynamo.web.refusals import Refusal
from dynamo.web.signing import tokens


@dataclass(frozen=True, slots=True)
class Pager:
    """The pages of one list.

    ``first_url`` is the list's own URL, filter included; ``list_name`` is what its tokens are
    bound to.
    """

    first_url: str
    list_name: str

    def requested(self, query: QueryDict, *, size: int) -> PageRequest:
        """Read which page a request asks for.

        Raises Refusal, with a link to the first page, for a token that is not this list's.
        """
        after, before = query.get("after"), query.get("before")
        if after is not None and before is not None:
            sentence = "A page lies after or before a place in its list: give one of the two."
            raise Refusal(sentence, first_url=self.first_url)
        if after is not None:
            return PageRequest(size, self._position(after))
        if before is not None:
            return PageRequest(size, self._position(before), Toward.PREVIOUS)
        return PageRequest(size)

    def next_url(self, page: Page) -> str | None:
        """Give the URL of the page behind this one in the list's order, if there is one."""
        if not page.has_next:
            return None
        return self._beside("after", page.entries[-1].position) if page.entries else self.first_url

    def previous_url(self, page: Page) -> str | None:
        """Give the URL of the page in front of this one in the list's order, if there is one."""
        if not page.has_previous:
            return None
        return self._beside("before", page.entries[0].position) if page.entries else self.first_url

    def overshot(self, page: Page, request: PageRequest) -> bool:
        """Tell whether the way back ended within this page: the first page serves better."""
        return request.toward is Toward.PREVIOUS and len(page.entries) < request.size

    def _beside(self, direction: str, position: Position) -> str:
        token = tokens().write(position, list_name=self.list_name)
        joint = "&" if "?" in self.first_url else "?"
        return f"{self.first_url}{joint}{urlencode({direction: token})}"

    def _position(self, token: str) -> Position:
        try:
            return tokens().read(token, list_name=self.list_name)
        except TokenError as error:
            raise Refusal(str(error), first_url=self.first_url) from error
