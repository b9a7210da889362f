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

from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil
from threading import Lock

from comments.filters import RATINGS, CommentFilter
from comments.host import COMMENTS
from comments.indexes.planner import BY_LANGUAGE, ListPlan, filter_conditions
from comments.lists.orders import CommentOrder
from comments.lists.queries import Reach
from comments.models import Comment
from comments.search.models import TABLE
from comments.search.postings import STEMS, partition
from comments.search.words import OLDER, VERSION, Search, digest_of
from comments.store.counts import ProductCounts
from dynapages.calls import in_chunks
from dynapages.lists import HIGHEST, HasAll, Index, Order, Page, Position, Run, Segment

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
LEAST_FOUND = 0.5
"""Comments that a read without any counts as having brought, to expect how many it takes."""
MOST_REMEMBERED = 4_000
"""Searches of which a process remembers the rarest stem, some 300 bytes each."""
_HIDDEN = Comment.hidden_product.attr_name

INDEX = Index(TABLE, partition="pk", sort="o", table_key=lambda _position: {})


def languages_of(chosen: CommentFilter, counts: ProductCounts) -> tuple[str, ...]:
    """Return the languages of a list, those of most comments first: the chosen, or all counted.

    Numbers of as many binary digits are taken as equal. So it is seldom that a comment which is
    written while somebody turns pages moves a language to another group.
    """
    ratings = chosen.ratings or RATINGS
    languages = chosen.languages or counts.languages
    return tuple(sorted(languages, key=lambda one: (-_digits(counts, one, ratings), one)))


def _digits(counts: ProductCounts, language: str, ratings: Sequence[int]) -> int:
    return counts.within([language], ratings).bit_length()


def versions() -> tuple[str, ...]:
    """Return the versions of stems whose postings are in the table."""
    return (VERSION, OLDER) if COMMENTS["SEARCH_OLDER"] else (VERSION,)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A language of a search, by one version of its stems, of listed or of hidden comments."""

    language: str
    version: str
    is_hidden: bool
    stems: tuple[str, ...]

    @property
    def alternative(self) -> str:
        """What the runs of its stems have in common: each has all that is found."""
        return f"{self.language}/{self.version}/{self.is_hidden}"


@dataclass(frozen=True, slots=True)
class Rarest:
    """The partition of a search's rarest stem, and how many of its postings one result took."""

    partition: str
    postings_a_result: float


class RarestStems:
    """What a process remembers of the searches that it made last."""

    def __init__(self) -> None:
        self._known: OrderedDict[object, Rarest] = OrderedDict()
        self._lock = Lock()

    def find(self, key: object) -> Rarest | None:
        with self._lock:
            return self._known.get(key)

    def note(self, key: object, rarest: Rarest) -> None:
        with self._lock:
            self._known[key] = rarest
            self._known.move_to_end(key)
            if len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)

    def forget(self, key: object) -> None:
        with self._lock:
            self._known.pop(key, None)

    def forget_all(self) -> None:
        with self._lock:
            self._known.clear()


RAREST = RarestStems()


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
        self._states = (False, True) if with_hidden else (False,)
        languages = languages_of(chosen, counts)
        self._stems = {
            (language, version): stems
            for language, version in product(languages, versions())
            if (stems := search.stems(language, version))
        }
        searched = dict.fromkeys(language for language, _version in self._stems)
        self.common = tuple(one for one in languages if one not in searched)
        self.groups = tuple(tuple(some) for some in in_chunks(searched, self.most_languages))

    @property
    def most_languages(self) -> int:
        """In how many languages a page is read at the most."""
        return MOST_QUERIES // (len(self._states) * len(versions()))

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
        return tuple(language for group in self.groups for language in group)

    def of_group(self, number: int, needed: int) -> ListPlan:
        """Plan the first reads of ``needed`` comments of a group, look-ahead included.

        Where several languages make too many queries, the longest stems of each stand for the
        others.
        """
        runs, first_reads = list[Run](), list[int]()
        languages = self.groups[number]
        wanted = list(self._wanted(languages))
        alike = Counter(one.language for one in wanted)
        most = max(MOST_QUERIES // len(wanted), 1)
        for one in wanted:
            share = self._share(one.language, languages) / alike[one.language]
            some, limit = self._first_reads(one, most, needed=needed, share=share)
            runs += [replace(run, section=self.section(number)) for run in some]
            first_reads += [limit] * len(some)
        return ListPlan(WORDS, tuple(runs), first_reads=tuple(first_reads))

    def _wanted(self, languages: Sequence[str]) -> Iterator[_Wanted]:
        for language, version, is_hidden in product(languages, versions(), self._states):
            if stems := self._stems.get((language, version)):
                yield _Wanted(language, version, is_hidden, stems)

    def _share(self, language: str, languages: Sequence[str]) -> float:
        """Return the share of a group's comments that are in a language."""
        ratings = self._chosen.ratings or RATINGS
        total = self._counts.within(languages, ratings)
        if not total:
            return 1 / len(languages)
        return self._counts.within([language], ratings) / total

    def _first_reads(
        self, wanted: _Wanted, most: int, *, needed: int, share: float
    ) -> tuple[list[Run], int]:
        """Return the runs of a language to read at first, and how many postings of each."""
        known = RAREST.find(self._key(wanted))
        longest_first = sorted(wanted.stems, key=len, reverse=True)
        if known:
            for stem in longest_first:
                run = self._run(wanted, stem)
                if run.partition == known.partition:
                    expected = min(needed, UNEVEN * needed * share + 1)
                    return [run], max(LEAST_READ, ceil(expected * known.postings_a_result))
        probed = longest_first[:most]
        fair = int(FIRST_READS * share / len(probed))
        at_most = FIRST_READ if len(probed) > 1 else needed
        return [self._run(wanted, stem) for stem in probed], max(LEAST_READ, min(at_most, fair))

    def _run(self, wanted: _Wanted, stem: str) -> Run:
        others = tuple({"B": digest_of(other)} for other in wanted.stems if other != stem)
        has_others = (HasAll(STEMS, others),) if others else ()
        return Run(
            INDEX,
            partition(
                self._product_id,
                wanted.language,
                stem,
                hidden=wanted.is_hidden,
                version=wanted.version,
            ),
            known={_HIDDEN: {"S": ""}} if wanted.is_hidden else {},
            keep=(*has_others, *filter_conditions(BY_LANGUAGE, self._chosen)),
            alternative=wanted.alternative,
        )

    def note(self, page: Page) -> None:
        """Remember which stems were the rarest on a page.

        Where the page was cut although only the one that was remembered was read, another may be
        rarer from here on: then it is forgotten.
        """
        by_alternative = {one.alternative: one for one in self._wanted(self.searched)}
        was_compared = {read.run.alternative for read in page.reads if read.was_left}
        for read in page.reads:
            wanted = by_alternative.get(read.run.alternative)
            if wanted is None or read.was_left or not read.items_read:
                continue
            key = self._key(wanted)
            if page.cut_at and len(wanted.stems) > 1 and wanted.alternative not in was_compared:
                RAREST.forget(key)
                continue
            ratio = read.items_read / max(read.items_kept, LEAST_FOUND)
            RAREST.note(key, Rarest(str(read.run.partition), ratio))

    def _key(self, wanted: _Wanted) -> object:
        return self._product_id, wanted, self._chosen.ratings

    # Sections.

    def section(self, number: int) -> str:
        """Return what the places of a group begin with; nothing where there is one group."""
        if not self.is_grouped:
            return ""
        is_rising = self._order.direction is Order.OLDEST_FIRST
        return f"g{number if is_rising else 999 - number:03}/"

    @property
    def sections(self) -> dict[str, str]:
        """The sections by language; none where there is one group."""
        if not self.is_grouped:
            return {}
        return {
            language: self.section(number)
            for number, languages in enumerate(self.groups)
            for language in languages
        }

    @property
    def segments(self) -> list[Segment]:
        """The groups, as `dynapages.lists.reader.read_segments` takes them, named by number."""
        numbers = range(len(self.groups))
        sections = [(number, self.section(number)) for number in numbers]
        return [Segment(str(number), section, section + HIGHEST) for number, section in sections]

    def placed(self, position: Position | None) -> Position | None:
        """Return a position as it is in this list, which may have got groups since, or lost them.

        What has no group is in the first one, such as a month that the list begins at.
        """
        if position is None or not position.place:
            return position
        section, slash, place = position.place.partition("/")
        is_in_group = bool(slash) and _is_section(f"{section}/")
        if is_in_group and not self.is_grouped:
            return replace(position, place=place)
        if self.is_grouped and position.place[0].isdecimal():
            return replace(position, place=self.section(0) + position.place)
        return position

    def reach(self, page: Page) -> Reach:
        """Return in which languages the search was made by the end of a page."""
        end = page.next_position if page.has_next else None
        begun = len(self.groups)
        if end is not None and self.is_grouped:
            begun = self._begun(end.place)
        elif end is not None:
            begun = 1
        return Reach(
            languages=tuple(one for group in self.groups[:begun] for one in group),
            later=tuple(one for group in self.groups[begun:] for one in group),
            common=self.common,
        )

    def _begun(self, place: str) -> int:
        """Return of how many groups something was read by the page that ends at a place."""
        for number in range(len(self.groups)):
            section = self.section(number)
            if place.startswith(section):
                is_in_front = place in (section, section + HIGHEST)
                return number if is_in_front else number + 1
        return 0


def _is_section(text: str) -> bool:
    return len(text) == len("g000/") and text[0] == "g" and text[1:4].isdecimal()
