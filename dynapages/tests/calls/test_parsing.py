"""Items are parsed as botocore parses them."""

import json
from base64 import b64encode
from typing import Any

import botocore.session
from botocore.parsers import JSONParser
from hypothesis import given
from hypothesis import strategies as st

from dynapages.items import ItemParser

MODEL = botocore.session.get_session().get_service_model("dynamodb")
BLOBS = st.binary(max_size=4).map(lambda raw: b64encode(raw).decode())
SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=4)),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda flag: {"BOOL": flag}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda raw: {"B": raw}, BLOBS),
    st.builds(lambda raws: {"BS": raws}, st.lists(BLOBS, min_size=1, max_size=3)),
    st.builds(lambda texts: {"SS": texts}, st.lists(st.text(max_size=3), min_size=1, max_size=3)),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(lambda values: {"L": values}, st.lists(inner, max_size=3)),
        st.builds(lambda values: {"M": values}, st.dictionaries(st.text(max_size=3), inner)),
    ),
    max_leaves=8,
)
ITEMS = st.dictionaries(st.text(min_size=1, max_size=3), VALUES, max_size=4)


def both(operation: str, body: dict[str, Any]) -> list[Any]:
    response = {"body": json.dumps(body).encode(), "headers": {}, "status_code": 200}
    shape = MODEL.operation_model(operation).output_shape
    return [parser.parse(response, shape) for parser in (JSONParser(), ItemParser())]


class TestParsing:
    @given(items=st.lists(ITEMS, max_size=3))
    def test_is_that_of_botocore(self, items):
        key = items[0] if items else {}
        theirs, ours = both("Query", {"Items": items, "Count": 1, "LastEvaluatedKey": key})
        assert ours == theirs
        theirs, ours = both("BatchGetItem", {"Responses": {"comments": items}})
        assert ours == theirs

    def test_keeps_what_is_not_an_item(self):
        answer = {"ConsumedCapacity": {"TableName": "t", "CapacityUnits": 1.5}, "ScannedCount": 3}
        theirs, ours = both("Query", answer)
        assert ours == theirs
