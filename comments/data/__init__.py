"""What brings rows in and out: imports of comments, exports, and the feed of Google."""

from comments.data.python_rows import import_rows

__all__ = ["import_rows"]
