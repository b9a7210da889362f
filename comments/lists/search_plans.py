"""How a page of a search is planned: in which languages, by which postings, and how many of them.

**Groups.** A Query costs half a unit at the least, so a page reads `MOST_QUERIES` in its first
round at the most. Where a search is made in more languages than that, they are read in groups,
those with the most comments first: one group is one list by time, and behind its end comes the next
one. The places of a group begin with its section (`dynapages.lists.runs.Run.section`), so a
position says which group its page is in.

**Alternatives.** The first round reads a few postings of every stem, those that have the other
stems too. Those of the rarest reach furthest back, and are read on
(`dynapages.lists.runs.Run.alternative`). So a page is exact whatever the words are, and only its
cost depends on them. A process remembers which was the rarest, and how many of its postings had the
other stems: the next page of the same search reads as many of this one as it expects to need.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from math import ceil

from comments.filters import RATINGS, CommentFilter
from comments.host import COMMENTS
from comments.indexes.planner import BY_LANGUAGE, ListPlan, filter_conditions
from comments.lists.orders import CommentOrder
from comments.lists.queries import Reach
from comments.lists.rarest_stems import RAREST, Rarest
from comments.models import Comment
from comments.search.models import TABLE
from comments.search.postings import STEMS, partition
from comments.search.words import OLDER, VERSION, Search, digest_of
from comments.store.counts import ProductCounts
from dynapages.calls import in_chunks
from dynapages.items import Item
from dynapages.lists import HIGHEST, Filter, HasAll, Index, Order, Page, Position, Run, Segment

WORDS = "words"
"""The name of the plan."""
FIRST_READ = 18
"""Postings that are read of each stem at first, of several."""
FIRST_READS = 48
"""The same of all stems and languages together, by their comments, but `LEAST_READ` of each."""
LEAST_READ = 3
MOST_QUERIES = 16
"""Of the first round: they cost half a capacity unit each at the least."""
UNEVEN = 2
"""How many times its share of a page a language may have, without another round for it."""
LEAST_RESULTS = 0.5
"""Comments that a read without any counts as having brought, to expect how many it takes."""
_HIGHEST_GROUP = 999
"""The number of a group stands in its section: it falls from here where a list falls."""
_HIDDEN = Comment.hidden_product.attr_name

_SECTION = re.compile("g[0-9]{3}/", re.ASCII)
"""What the places of a group begin with."""


def _table_key(_position: Position) -> dict[str, str]:
    """Return nothing: postings are read from the table itself, which has no key besides."""
    return {}


INDEX = Index(TABLE, partition="pk", sort="o", table_key=_table_key)


def languages_of(chosen: CommentFilter, counts: ProductCounts) -> tuple[str, ...]:
    """Return the languages of a list, those of most comments first: the chosen, or all counted.

    Numbers of as many binary digits are taken as equal. So it is seldom that a comment which is
    written while somebody turns pages moves a language to another group.
    """
    ratings = chosen.ratings or RATINGS

    def rank(language: str) -> tuple[int, str]:
        return -counts.within([language], ratings).bit_length(), language

    return tuple(sorted(chosen.languages or counts.languages, key=rank))


def versions() -> tuple[str, ...]:
    """Return the versions of stems whose postings are in the table."""
    if COMMENTS["SEARCH_OLDER"]:
        return (VERSION, OLDER)
    return (VERSION,)


@dataclass(frozen=True, slots=True)
class _StemSet:
    """The stems of a search in a language and version, in listed or in hidden comments."""

    language: str
    version: str
    is_hidden: bool
    stems: tuple[str, ...]

    @property
    def alternative(self) -> str:
        """What the runs of its stems have in common: each has all that is found."""
        return f"{self.language}/{self.version}/{self.is_hidden}"


class SearchPlan:
    """How the pages of a search in a product's comments are read, by its counts.

    ``groups`` are the languages that are read at once, ``common`` those in which all words are
    common, so that nothing is searched there.
    """

    def __init__(
        self,
        product_id: str,
        search: Search,
        chosen: CommentFilter,
        *,
        counts: ProductCounts,
        order: CommentOrder = CommentOrder.NEWEST,
        with_hidden: bool = False,
    ) -> None:
        self._product_id = product_id
        self._chosen = chosen
        self._counts = counts
        self._order = order
        # Listed and hidden comments have postings in partitions of their own.
        self._are_hidden: tuple[bool, ...] = (False,)
        if with_hidden:
            self._are_hidden = (False, True)
        languages = languages_of(chosen, counts)
        self._stems: dict[tuple[str, str], tuple[str, ...]] = {}
        for language, version in product(languages, versions()):
            stems = search.stems(language, version)
            if stems:
                self._stems[language, version] = stems
        searched: list[str] = []
        common: list[str] = []
        for language in languages:
            if any((language, version) in self._stems for version in versions()):
                searched.append(language)
            else:
                common.append(language)
        self.common = tuple(common)
        self.groups = tuple(tuple(group) for group in in_chunks(searched, self.most_languages))

    @property
    def most_languages(self) -> int:
        """In how many languages a page is read at the most."""
        return MOST_QUERIES // (len(self._are_hidden) * len(versions()))

    @property
    def is_grouped(self) -> bool:
        return len(self.groups) > 1

    def covers(self, other: "SearchPlan") -> bool:
        """Return whether pages by this plan lack nothing that those by another one have."""
        if self.is_grouped or other.is_grouped:
            return self.groups == other.groups
        return {*other.searched} <= {*self.searched}

    @property
    def searched(self) -> tuple[str, ...]:
        """The languages of all groups."""
        return tuple(chain.from_iterable(self.groups))

    # Reads.

    def of_group(self, number: int, needed: int) -> ListPlan:
        """Plan the first reads of ``needed`` comments of a group, look-ahead included.

        Where several languages make too many queries, the longest stems of each stand for the
        others.
        """
        languages = self.groups[number]
        stem_sets = list(self._stem_sets(languages))
        sets_of_language = Counter(stem_set.language for stem_set in stem_sets)
        most_stems = max(MOST_QUERIES // len(stem_sets), 1)
        runs, first_reads = list[Run](), list[int]()
        for stem_set in stem_sets:
            language = stem_set.language
            share = self._share(language, languages) / sets_of_language[language]
            stems, limit = self._first_stems(stem_set, most_stems, needed=needed, share=share)
            for stem in stems:
                runs.append(replace(self._run(stem_set, stem), section=self.section(number)))
                first_reads.append(limit)
        return ListPlan(WORDS, tuple(runs), first_reads=tuple(first_reads))

    def _stem_sets(self, languages: Sequence[str]) -> Iterator[_StemSet]:
        for language, version, is_hidden in product(languages, versions(), self._are_hidden):
            stems = self._stems.get((language, version))
            if stems:
                yield _StemSet(language, version, is_hidden, stems)

    def _share(self, language: str, languages: Sequence[str]) -> float:
        """Return which share of the comments in ``languages`` is in ``language``, by the counts.

        So large a part of a page's postings is expected of it, and read first.
        """
        ratings = self._chosen.ratings or RATINGS
        total = self._counts.within(languages, ratings)
        if not total:
            return 1 / len(languages)
        return self._counts.within([language], ratings) / total

    def _first_stems(
        self, stem_set: _StemSet, most: int, *, needed: int, share: float
    ) -> tuple[Sequence[str], int]:
        """Return the stems of a language to read at first, and how many postings of each."""
        longest_first = sorted(stem_set.stems, key=len, reverse=True)
        rarest = RAREST.find(self._key(stem_set))
        if rarest:
            for stem in longest_first:
                if self._partition(stem_set, stem) == rarest.partition:
                    expected = min(needed, UNEVEN * needed * share + 1)
                    return [stem], max(LEAST_READ, ceil(expected * rarest.postings_a_result))
        # Long words are rare as a rule; the first round shows which stem is the rarest.
        probed = longest_first[:most]
        fair = int(FIRST_READS * share / len(probed))
        at_most = FIRST_READ
        # All that a single stem brings is found, so as many are read as are needed.
        if len(probed) == 1:
            at_most = needed
        return probed, max(LEAST_READ, min(at_most, fair))

    def _run(self, stem_set: _StemSet, stem: str) -> Run:
        """Return the run of a stem's postings, of those that have all other stems as well."""
        keep: list[Filter] = []
        others = [other for other in stem_set.stems if other != stem]
        if others:
            keep.append(HasAll(STEMS, tuple({"B": digest_of(other)} for other in others)))
        keep.extend(filter_conditions(BY_LANGUAGE.answers, self._chosen))
        known: Item = {}
        if stem_set.is_hidden:
            # Its postings do not say so: the partition does.
            known = {_HIDDEN: {"S": ""}}
        return Run(
            INDEX,
            self._partition(stem_set, stem),
            known=known,
            keep=tuple(keep),
            alternative=stem_set.alternative,
        )

    def _partition(self, stem_set: _StemSet, stem: str) -> str:
        return partition(
            self._product_id,
            stem_set.language,
            stem,
            hidden=stem_set.is_hidden,
            version=stem_set.version,
        )

    def note(self, page: Page) -> None:
        """Remember which stems were the rarest on a page.

        Where the page was cut although only the one that was remembered was read, another may be
        rarer from here on: then it is forgotten.
        """
        by_alternative = {each.alternative: each for each in self._stem_sets(self.searched)}
        # Where a run was left for another, stems were compared on this page.
        compared = {read.run.alternative for read in page.reads if read.was_left}
        for read in page.reads:
            stem_set = by_alternative.get(read.run.alternative)
            if stem_set is None or read.was_left or not read.items_read:
                continue
            key = self._key(stem_set)
            was_read_alone = len(stem_set.stems) > 1 and stem_set.alternative not in compared
            # A stem that was rare on the pages before may be common from here on.
            if page.cut_at and was_read_alone:
                RAREST.forget(key)
                continue
            ratio = read.items_read / max(read.items_kept, LEAST_RESULTS)
            RAREST.note(key, Rarest(str(read.run.partition), ratio))

    def _key(self, stem_set: _StemSet) -> object:
        """Return what a search's rarest stem is remembered under."""
        return self._product_id, stem_set, self._chosen.ratings

    # Sections.

    def section(self, number: int) -> str:
        """Return what the places of a group begin with; nothing where there is one group."""
        if not self.is_grouped:
            return ""
        if self._order.direction is Order.NEWEST_FIRST:
            number = _HIGHEST_GROUP - number
        return f"g{number:03}/"

    @property
    def sections(self) -> dict[str, str]:
        """The sections by language; none where there is one group."""
        if not self.is_grouped:
            return {}
        sections = {}
        for number, languages in enumerate(self.groups):
            sections.update(dict.fromkeys(languages, self.section(number)))
        return sections

    @property
    def segments(self) -> list[Segment]:
        """The groups, as `dynapages.lists.reader.read_segments` takes them, named by number."""
        segments = []
        for number in range(len(self.groups)):
            section = self.section(number)
            segments.append(Segment(str(number), section, section + HIGHEST))
        return segments

    def placed(self, position: Position | None) -> Position | None:
        """Return a position as it is in this list, which may have got groups since, or lost them.

        What has no group is in the first one, such as a month that the list begins at.
        """
        if position is None or not position.place:
            return position
        section = _SECTION.match(position.place)
        if section and not self.is_grouped:
            return replace(position, place=position.place[section.end() :])
        if self.is_grouped and position.place[0].isdecimal():
            return replace(position, place=self.section(0) + position.place)
        return position

    def reach(self, page: Page) -> Reach:
        """Return in which languages the search was made by the end of a page."""
        begun = len(self.groups)
        # A single group is begun by any page.
        if self.is_grouped and page.has_next and page.next_position:
            begun = self._begun(page.next_position.place)
        return Reach(
            languages=tuple(chain.from_iterable(self.groups[:begun])),
            later=tuple(chain.from_iterable(self.groups[begun:])),
            common=self.common,
        )

    def _begun(self, place: str) -> int:
        """Return of how many groups something was read by the page that ends at a place."""
        for number in range(len(self.groups)):
            section = self.section(number)
            if place.startswith(section):
                # At either edge of a section nothing of its group was read.
                if place in (section, section + HIGHEST):
                    return number
                return number + 1
        return 0
