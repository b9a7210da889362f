"""The rows of exported comments: the fields that `import_comments` reads, each spelled as there."""

from comments.imports.shape import FIELDS
from comments.lists.queries import CommentEntry
from comments.replies.queries import Reply

COLUMNS = FIELDS


def row_of(entry: CommentEntry, *, body: str, reply: Reply | None) -> dict[str, object]:
    """Build the row of a comment with its whole text and reply; what it lacks is left out."""
    row: dict[str, object] = {
        "id": entry.id,
        "product_id": entry.product_id,
        "language": entry.language,
        "rating": entry.rating,
        "created_at": entry.created.isoformat(),
        "author": entry.author,
        "title": entry.title,
        "body": body,
        "username": entry.username,
        "verified": "true" if entry.is_verified else "",
    }
    if reply is not None:
        replied_at = reply.replied.isoformat() if reply.replied else ""
        row |= {"reply": reply.text, "replied_at": replied_at}
    return {name: value for name, value in row.items() if value != ""}
