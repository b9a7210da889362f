"""The arguments of a connection of Relay's: forward first and after, backward last and before."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from dynapages import BadToken

Size = Annotated[int | None, Field(ge=1, le=100)]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")
    first: Size = None
    after: str | None = None
    last: Size = None
    before: str | None = None


def page_of(feed, asked):
    """Read the page that arguments ask for. Raises BadToken, also for two directions at once."""
    if (asked.first is None) == (asked.last is None):
        raise BadToken("Give either “first” or “last”: how many the page shall have.")
    if asked.last is None and asked.before is not None:
        raise BadToken("“before” goes with “last”, and “first” with “after”.")
    if asked.first is None and asked.after is not None:
        raise BadToken("“after” goes with “first”, and “last” with “before”.")
    if asked.last is None:
        return feed.page(asked.first, after=asked.after)
    if asked.before is None:
        return feed.page(asked.last, before="end")
    return feed.page(asked.last, before=asked.before)
