"""Uploads of files, for a site none of whose forms takes any: refused before they are read.

Otherwise Django would write a file to the disk, whoever sends it, before it looks at the form's
token.
"""

from typing import NoReturn

from django.core.files.uploadhandler import FileUploadHandler
from django.http.multipartparser import MultiPartParserError


class NoUploads(FileUploadHandler):
    """Answers 400 to a form with a file in it (``FILE_UPLOAD_HANDLERS``)."""

    def new_file(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise MultiPartParserError."""
        del args, kwargs
        raise MultiPartParserError("No form takes files.")
