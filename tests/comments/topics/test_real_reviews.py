"""Topics of real reviews of apps: what these are known to be about, and no empty words."""

import csv
import gzip
from collections import defaultdict

import pytest

from comments.topics.choosing import choose_topics
from comments.topics.records import ENOUGH_COMMENTS
from comments.topics.tally import ReadComment, Tally
from comments.topics.vocabulary import SAMPLE, SampleCounts

pytestmark = pytest.mark.slow

KNOWN = {
    "ca.albertahealthservices.contacttracing": {"battery", "code"},
    "de.rki.coronawarnapp": {"Testergebnis", "Fehlermeldung"},
    "gov.fema.mobile.android": {"alerts", "notifications", "location"},
    "gov.nyc.hra.SelfService": {"documents", "login", "upload"},
    "it.ministerodellasalute.immuni": {"privacy", "bluetooth"},
    "ru.mos.socmon": {"штраф", "фото"},
}
"""What the reviews of some apps are known to be about."""
NEVER = {"app", "was", "now", "still", "great", "gut", "ist", "non", "ottima", "immuni", "openwho"}
CODES = {"us": "en", "jp": "ja", "dk": "da"}


@pytest.fixture(scope="module")
def found(real_data):
    """The topics of each app with enough reviews."""
    with gzip.open(real_data / "reviews" / "app_reviews.csv.gz", "rt", encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["review_date"], reverse=True)
    tallies: dict[tuple[str, str], Tally] = {}
    samples: dict[tuple[str, str], Tally] = {}
    for row in rows:
        language = CODES.get(row["store_lang"], row["store_lang"])
        key = language, row["app_id"]
        comment = ReadComment("", row["review_text"], int(row["rating"]), row["user_hash"])
        tally = tallies.setdefault(key, Tally(language))
        tally.add(comment)
        if tally.comments <= SAMPLE:
            samples.setdefault(key, Tally(language)).add(comment)
    counts = {language: SampleCounts(language) for language, _app in tallies}
    for (language, app), sample in samples.items():
        counts[language].add(app, sample)
    topics = defaultdict(list)
    for (language, app), tally in tallies.items():
        if tally.comments >= ENOUGH_COMMENTS:
            others = counts[language].vocabulary().without(app, samples[language, app])
            topics[app] += choose_topics(tally, others, names=[app.replace(".", " ")])
    return topics


def test_what_the_reviews_are_known_to_be_about_is_found(found):
    for app, known in KNOWN.items():
        assert known <= {topic.form for topic in found[app]}, app


def test_no_topic_is_an_auxiliary_a_judgement_or_the_name_of_the_app(found):
    forms = {topic.form.lower() for topics in found.values() for topic in topics}
    assert len(forms) > 150
    assert not forms & NEVER


def test_the_shares_are_those_that_a_plain_count_gives(found):
    shares = {topic.form: topic.percent_happy for topic in found["gov.nyc.hra.SelfService"]}
    assert shares["login"] == 5
    assert 60 <= shares["documents"] <= 65
