"""What the site of the documents needs besides the pages: extensions of Sphinx."""
