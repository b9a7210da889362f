"""What brings rows in and out: imports of comments, exports, and the feed of Google."""
