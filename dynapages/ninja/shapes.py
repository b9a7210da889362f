"""Shapes of what operations take and answer: pydantic's models, with nothing ignored in silence.

A `RequestBody` and `QueryParameters` refuse names that they do not have. In JSON a number is no
flag and a text is no number: fields of bodies are of `StrictNumber` and `StrictFlag`. In a query
all values are text, so there plain ``int`` and ``bool`` are right. The docstring of a field is its
description in the document.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar

from django.utils.translation import gettext_lazy
from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    Strict,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from dynapages.django.paging import LONGEST_ID
from dynapages.items import timestamp

IdText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ID)]
Moment = Annotated[
    datetime,
    PlainSerializer(timestamp, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""UTC, with microseconds and Z."""
Address = Annotated[str, WithJsonSchema({"type": "string", "format": "uri-reference"})]
"""A URL, or its path and query where it is on this host."""
StrictNumber = Annotated[int, Strict()]
"""A whole number of JSON; ``true`` and ``"5"`` are refused, ``5.0`` is 5."""
StrictFlag = Annotated[bool, Strict()]
"""``true`` or ``false`` of JSON; ``1`` and ``"yes"`` are refused."""


# Compared by identity: the hash of a sentence, which `Annotated` asks for, would translate it.
@dataclass(frozen=True, slots=True, eq=False)
class TextForm:
    """An annotation of text that has to match a pattern as a whole.

    Where it does not, ``sentence`` says what is allowed: pydantic's own would show the expression.
    """

    pattern: str
    sentence: object

    def check(self, text: str) -> str:
        """Return the text. Raises ValueError with the sentence."""
        if not re.fullmatch(self.pattern, text):
            raise ValueError(str(self.sentence))
        return text

    def __get_pydantic_core_schema__(
        self, source: type, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "pattern": f"^{self.pattern}$"}


PlainText = Annotated[
    str,
    TextForm(r"[^\u0000]*", gettext_lazy("The text has the character NUL (U+0000): leave it out.")),
]
"""Any text that pages can show."""


class RequestBody(BaseModel):
    """What an operation takes as JSON; fields that it does not declare are refused."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class PartialBody(RequestBody):
    """What an operation changes: fields that are not sent stay as they are.

    The default of each field only says that it may be left out, so the schema does not have it.
    """

    @property
    def sent(self) -> dict[str, Any]:
        """The values of the fields that were sent, by their names."""
        return {name: getattr(self, name) for name in self.model_fields_set}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler.resolve_ref_schema(handler(schema))
        for field in described["properties"].values():
            field.pop("default", None)
        return described


class QueryParameters(BaseModel):
    """What an operation takes in its address; `ProblemAPI` refuses others."""


class ResponseBody(BaseModel):
    """What an operation answers, read once from the attributes of an object of any class.

    Unlike a ``Schema`` of ninja it reads plain attributes: a list costs a fifth of the time.
    """

    # What has a default is answered as well, so programs may rely on it.
    model_config: ClassVar[ConfigDict] = ConfigDict(
        from_attributes=True,
        json_schema_serialization_defaults_required=True,
        use_attribute_docstrings=True,
    )
