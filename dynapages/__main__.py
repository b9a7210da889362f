"""The commands ``python -m dynapages``: ``explain`` a Query, and run an ``engine``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import NoRegionError, ParamValidationError

from dynapages.calls.faults import FAILURES, NotSetUp, fault_in, sentence_about
from dynapages.calls.query_explanation import explain_query
from dynapages.calls.transport import decoded
from dynapages.engine import EngineError
from dynapages.engine.command import add_engine_options
from dynapages.items import wire_value

WRONG_INPUT = 2
"""The exit status where nothing was asked of DynamoDB, as argparse's."""
FAILED = 1
ANY_REGION = "us-east-1"
"""For an endpoint URL, whose DynamoDB takes any."""
EXAMPLE = """\
example:
  python -m dynapages explain --table reviews --index by_rating \\
      --key 'rated = :r' --values '{":r": "lamp/4"}' --limit 20

It makes this one Query, which reads 1 MB at most, and prints what it read and what it cost. The
credentials are those of the AWS command line.
"""
TIME_LIMITS = Config(
    connect_timeout=3, read_timeout=30, retries={"total_max_attempts": 3, "mode": "standard"}
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except EngineError as failure:
        return _fail(failure, FAILED)
    return status


def _explain(options: argparse.Namespace) -> int:
    """Explain what a Query reads and costs, and return the exit status."""
    try:
        query = _query(options)
        client = _client(options)
    except (OSError, ValueError) as wrong:
        return _fail(wrong, WRONG_INPUT)
    except FAILURES as failure:
        return _fail(failure, FAILED)
    try:
        explanation = explain_query(client, **query)
    except ParamValidationError as wrong:
        return _fail(wrong, WRONG_INPUT)
    except FAILURES as failure:
        return _fail(failure, FAILED)
    if options.json:
        print(json.dumps(explanation.as_dict(), indent=2))
    else:
        print(explanation)
    return 0


def _fail(why: Exception, status: int) -> int:
    print(_sentence(why), file=sys.stderr)
    return status


def _sentence(why: Exception) -> str:
    """Return what went wrong, and what to do, in words of this command."""
    if isinstance(why, OSError):
        return f"{why.filename}: {why.strerror}"
    if isinstance(why, NoRegionError):
        return "Give a --region, or set AWS_DEFAULT_REGION."
    if isinstance(fault_in(why), NotSetUp):
        return "There is no such table, or it has no such index, in this region and account."
    if isinstance(why, EngineError):
        return str(why)
    return sentence_about(why)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dynapages")
    commands = parser.add_subparsers(required=True, metavar="command")
    explain = commands.add_parser(
        "explain",
        help="make a Query, and print what it read and what it cost",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    explain.add_argument("--table", metavar="NAME")
    explain.add_argument("--index", metavar="NAME")
    explain.add_argument("--key", metavar="EXPRESSION", help="the KeyConditionExpression")
    explain.add_argument("--filter", metavar="EXPRESSION", help="the FilterExpression")
    explain.add_argument(
        "--values",
        metavar="JSON",
        help="an object with the value of each placeholder: a string, a number, or a value in "
        'DynamoDB\'s form, such as {"BOOL": true}',
    )
    explain.add_argument("--names", metavar="JSON", help="an object with the name of each #name")
    explain.add_argument("--limit", metavar="ITEMS", type=int)
    explain.add_argument(
        "--query",
        metavar="FILE",
        help="in place of these: a file with all parameters of the Query as JSON, as for "
        "'aws dynamodb query --cli-input-json'; - reads standard input",
    )
    explain.add_argument("--region", help="else the one of the AWS command line")
    explain.add_argument(
        "--endpoint-url",
        metavar="URL",
        default=os.environ.get("DYNAMODB_ENDPOINT_URL"),
        help="of another DynamoDB than Amazon's; else DYNAMODB_ENDPOINT_URL of the environment",
    )
    explain.add_argument("--json", action="store_true", help="print the figures as JSON")
    explain.set_defaults(run=_explain)
    engine = commands.add_parser(
        "engine", help="run a DynamoDB on this machine, in memory, until Ctrl-C"
    )
    add_engine_options(engine)
    return parser


# The Query


def _query(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of the Query that the options give. Raises OSError and ValueError."""
    parameters = {
        "TableName": options.table,
        "IndexName": options.index,
        "KeyConditionExpression": options.key,
        "FilterExpression": options.filter,
        "ExpressionAttributeValues": options.values,
        "ExpressionAttributeNames": options.names,
        "Limit": options.limit,
    }
    query = {name: value for name, value in parameters.items() if value is not None}
    if options.query is not None:
        if query:
            raise ValueError("A Query is a file of JSON, or options: give --query or the others")
        return _query_in_file(options.query)
    if options.table is None or options.key is None:
        raise ValueError("A Query has a --table and a --key, or is a file of JSON: --query")
    if options.values is not None:
        values = _object_in(options.values, "--values", parse_float=Decimal, object_hook=decoded)
        query["ExpressionAttributeValues"] = {name: _wire(values[name]) for name in values}
    if options.names is not None:
        query["ExpressionAttributeNames"] = _object_in(options.names, "--names")
    return query


def _query_in_file(name: str) -> dict[str, Any]:
    if name == "-":
        text = sys.stdin.read()
    else:
        text = Path(name).read_text(encoding="utf-8")
    return _object_in(text, "--query", object_hook=decoded)


def _object_in(text: str, option: str, **how: Any) -> dict[str, Any]:  # noqa: ANN401 - of json.loads
    try:
        parsed = json.loads(text, **how)
    except ValueError as wrong:
        raise ValueError(f"{option} is a JSON object, and this is no JSON: {wrong}") from None
    if not isinstance(parsed, dict):
        sentence = f"{option} is a JSON object, and not {text.strip()}"
        raise ValueError(sentence)  # noqa: TRY004 - it is of the text's, not of the program's
    return parsed


def _wire(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        return value
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return wire_value(value)
    raise ValueError(
        'A value is a string, a number, or in DynamoDB\'s form, such as {"BOOL": true}, '
        f"and not {json.dumps(value)}"
    )


# The client


def _client(options: argparse.Namespace) -> Any:  # noqa: ANN401 - botocore's
    """Build a client. Raises ValueError for a wrong URL, and botocore's errors."""
    session = botocore.session.get_session()
    region = options.region or session.get_config_variable("region")
    if options.endpoint_url and not region:
        region = ANY_REGION
    return session.create_client(
        "dynamodb", region_name=region, endpoint_url=options.endpoint_url, config=TIME_LIMITS
    )


if __name__ == "__main__":
    sys.exit(main())
