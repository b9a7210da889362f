"""The Django side of the library: tokens in URLs, pages of lists, errors as answers."""
