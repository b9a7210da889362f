"""Collect the sentences to translate: of each app, and of the library, in catalogues of its own."""

from pathlib import Path

from django.core.management.commands import makemessages

LIBRARY = "dynapages"
LIBRARY_CATALOGUES = Path(LIBRARY, "django", "locale")


class Command(makemessages.Command):
    """Django's; it would leave the sentences of the library's core to the site."""

    def find_files(self, root: str) -> list[makemessages.TranslatableFile]:
        """Return the files to search, each with the folder of its catalogues."""
        files = super().find_files(root)
        for file in files:
            if LIBRARY in Path(file.dirpath).parts[:1]:
                file.locale_dir = str(LIBRARY_CATALOGUES.resolve())
        return files
