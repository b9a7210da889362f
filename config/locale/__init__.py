"""The site's sentences in other languages than English, and how each language writes dates."""
