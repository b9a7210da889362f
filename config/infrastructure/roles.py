"""Who needs which statements of deploy/iam-policy.json.

The table in docs/deploying.md says the same; the tests compare the two, and each with the calls
that the site and the commands were seen to make.
"""

from dataclasses import dataclass

SITE = "the site"
FUNCTION = "the Lambda of the copies"

_READS_AND_WRITES = ("Site", "SiteDeletes", "SiteIndexes", "SiteCopies")


@dataclass(frozen=True, slots=True)
class Role:
    """What runs with the same permissions, and their Sids."""

    name: str
    who: tuple[str, ...]
    statements: tuple[str, ...]
    is_of_copies: bool = False
    """Whether it has nothing to do where there is no table ``comment_sets``."""


OF_THE_SITE = Role("Site", (SITE,), (*_READS_AND_WRITES, "SiteLog"))
OF_THE_FUNCTION = Role(
    "CopiesFunction", (FUNCTION,), ("WriteCopies", "ReadTheStream"), is_of_copies=True
)

ROLES = (
    OF_THE_SITE,
    Role(
        "Operating",
        (
            "create_user",
            "explain",
            "moderate",
            "remove_pickup_point",
            "export_user_data",
            "write_sitemap",
        ),
        (*_READS_AND_WRITES, "SiteLog", "Imports"),
    ),
    Role(
        "Importing",
        ("import_comments", "import_olist_reviews", "import_orders", "import_pickup_points"),
        (*_READS_AND_WRITES, "Imports"),
    ),
    Role("Sample", ("load_sample",), (*_READS_AND_WRITES, "SiteLog", "Imports", "CreateMonths")),
    Role(
        "Exporting",
        ("export_comments", "export_orders"),
        ("Site", "SiteIndexes", "ReadWholeTables"),
    ),
    Role(
        "Checking",
        ("check_integrity", "migrate_items"),
        (*_READS_AND_WRITES, "Imports", "ReadWholeTables", "ReadWholeCopies", "WriteCopies"),
    ),
    Role(
        "Stream",
        ("run_stream",),
        (*_READS_AND_WRITES, "WriteCopies", "ReadTheStream"),
        is_of_copies=True,
    ),
    OF_THE_FUNCTION,
    Role("Erasing", ("delete_user_data",), (*_READS_AND_WRITES, "SiteLog", "Erase")),
    Role("Creating", ("create_tables",), ("CreateTables", "SwitchTimeToLive", "CreateMonths")),
    Role("Rotating", ("rotate_activity_tables",), ("CreateMonths", "DropMonths", "ListTables")),
)


def statements_by_actor() -> dict[str, set[str]]:
    """Return the Sids that the site, the function and each command need, by its name."""
    return {who: set(role.statements) for role in ROLES for who in role.who}
