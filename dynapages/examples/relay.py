"""Connections as Relay wants them: of a page of a feed, as JSON or as a resolver's answer."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

Node = TypeVar("Node")


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class PageInfo(Camel):
    start_cursor: str | None
    end_cursor: str | None
    has_previous_page: bool
    has_next_page: bool


class Edge(Camel, Generic[Node]):
    cursor: str
    node: Node


class Connection(Camel, Generic[Node]):
    edges: list[Edge[Node]]
    page_info: PageInfo
    total_count: int | None


def connection_of(page):
    """Return what a `Connection` is made of."""
    edges = [{"cursor": page.cursor(item), "node": item} for item in page.items]
    cursors = [edge["cursor"] for edge in edges] or [None]
    info = {"start_cursor": cursors[0], "end_cursor": cursors[-1]}
    around = {"has_previous_page": page.has_previous, "has_next_page": page.has_next}
    return {"edges": edges, "page_info": info | around, "total_count": page.total}
