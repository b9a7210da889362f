"""Exports of comments to files that `import_comments` reads, and to Google's feed."""
