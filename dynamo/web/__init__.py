"""For Django: position tokens in URLs, pages of lists, errors as responses."""
