"""The report of an event: all numbers of a match or a tournament, computed from its results.

The unit of all intervals is the pair, one deal played from every seating: the games of a pair share
their tiles and are not independent, but the means of pairs are. Only complete pairs count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from statistics import fmean
from typing import Any

from pavilion_ai.analysis import lead
from pavilion_ai.drawn import renderer
from pavilion_ai.frozen import freeze
from pavilion_ai.match.event import Event
from pavilion_ai.match.results import Result
from pavilion_ai.match.sequential import SequentialTest
from pavilion_ai.stats.estimate import Estimate, deviation, mean_estimate
from pavilion_ai.stats.pairs import Pentanomial, elo, los, normalised_elo
from pavilion_ai.stats.ranking import Placing, rating_list
from pavilion_ai.wording import natural, plural

Pair = tuple[Result, ...]
"""The games of one complete pair, by rotation."""

_Seated = Sequence[tuple[Result, int]]  # the games of a pair, each with the seat of one entrant

RESAMPLES = 1000
"""Bootstrap samples for the intervals of the ratings."""
NO_SPREAD = 1e-9  # pair means closer than this are equal up to rounding
_UNKNOWN = Estimate(None, None, None)


@dataclass(frozen=True)
class _Part:
    """A part of a report."""

    def to_json(self) -> dict[str, object]:
        """Return a JSON object, keys named after the attributes."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class EntrantReport(_Part):
    """Results of one entrant in the pairs that count.

    Attributes:
        name: unique name in the event.
        spec: agent spec.
        games: games played; wins + draws + losses.
        wins: games won alone.
        draws: games with a share of a shared victory.
        losses: games without a share of the victory.
        points: sum of the shares, 1 for a victory, 1/2 for one shared by two.
        win_share: mean share per game, 0 to 1.
        mean_place: 1 is the best; tied entrants share the mean of their places.
        score: mean final score, over pairs in which no game was lost by a fault.
        margin: own score minus the best other score, over the same pairs.
        seconds_per_move: mean thinking time per decision, None without decisions.
        sims_per_move: mean simulations per decision, None if the agent does not count them.
        faults: games lost by a fault, included in `games`.
        rating: Elo by Plackett-Luce, with mean 0 over those of its group that reached each other
            (`Report.anchors`); unknown without games.
        parts: mean points of each part of the final score, over the pairs of `score`.
        tiles, tokens, features: mean per game of tiles drafted, start tokens taken, features
            completed (`counts.Counts`), over the same pairs; unknown if they were not counted.
    """

    name: str
    spec: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    win_share: Estimate
    mean_place: Estimate
    score: Estimate
    margin: Estimate
    seconds_per_move: float | None
    sims_per_move: float | None
    faults: int
    rating: Estimate
    parts: Mapping[str, Estimate] = field(default_factory=dict)
    tiles: Estimate = _UNKNOWN
    tokens: Estimate = _UNKNOWN
    features: Estimate = _UNKNOWN

    def __post_init__(self) -> None:
        freeze(self, "parts")


@dataclass(frozen=True)
class Duel(_Part):
    """A match of two from the first entrant's point of view.

    Attributes:
        pentanomial: numbers of pairs in which it made 0, 1/2, 1, 3/2 and 2 points.
        elo: advantage in logistic Elo.
        normalised_elo: advantage in normalised Elo.
        los: likelihood that it is the stronger entrant, 0 to 1; None if unknown.
    """

    pentanomial: Pentanomial
    elo: Estimate
    normalised_elo: Estimate
    los: float | None

    def to_json(self) -> dict[str, object]:
        """Return a JSON object, keys named after the attributes."""
        return {**super().to_json(), "pentanomial": list(self.pentanomial.counts)}


@dataclass(frozen=True)
class SprtReport(_Part):
    """State of the sequential test of a match.

    Attributes:
        llr: log-likelihood ratio; None if there is no test.
        verdict: `H0` or `H1` if the test has ended, else None.
        decided_at: number of the pair at which it ended, or None.
        llr_path: the ratio after each pair, in the order of the pairs.
    """

    llr: float | None = None
    verdict: str | None = None
    decided_at: int | None = None
    llr_path: tuple[float, ...] = ()


@dataclass(frozen=True)
class Report:
    """All numbers of an event; `str` is the report that `pavilion match` prints.

    Attributes:
        event: the match or tournament.
        entrants: results by entrant, in the order of the event.
        games: number of games played, whether they count or not.
        pairs: number of complete pairs that count.
        seconds: thinking time of all seats in those pairs.
        head_to_head: results of a match of two, else None.
        test: the sequential test of a match, None without one.
        pair_sd: standard deviation of an entrant's points per game in a pair: of the first entrant
            in a match, pooled over the tables in a tournament. None if unknown.
        independent_sd: the same for the mean of as many independent games.
        gain: squared ratio of the two: the number of independent games that one game of a pair is
            worth.
        starter: share of the victory of the seat that moves first, minus 1 / players.
        cross_table: points of entrant i in games with entrant j, by (i, j), and the number of
            these games.
        superiority: likelihood that entrant i is stronger than entrant j, 0 to 1, by (i, j): that
            of a match (`Duel.los`), from their own games. Only of those with pairs of 2 players.
        faults: every game lost by a fault, counted or not: id, name of the entrant, reason.
        events: the events that `event` is made of, and how many games each has.
        left_out: games of the files that do not count, as JSON objects; only in a report of files.
        repeated: number of pairs that count though an earlier one is the same, move for move.
        groups: the entrants with games by groups that met, also through others. Usually one; the
            ratings of different groups cannot be compared.
        anchors: entrants of each group that reached each other; their ratings have mean 0.
    """

    event: Event
    entrants: tuple[EntrantReport, ...]
    games: int
    pairs: int
    seconds: float
    head_to_head: Duel | None
    test: SprtReport | None
    pair_sd: float | None
    independent_sd: float | None
    gain: float | None
    starter: Estimate
    cross_table: Mapping[tuple[int, int], tuple[float, int]]
    faults: tuple[tuple[str, str, str], ...]
    events: tuple[tuple[Event, int], ...] = ()
    left_out: tuple[Mapping[str, object], ...] = ()
    repeated: int = 0
    groups: tuple[tuple[int, ...], ...] = ()
    anchors: tuple[tuple[int, ...], ...] = ()
    superiority: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Report of {plural(self.games, 'game')}>"

    def ranking(self) -> tuple[int, ...]:
        """Return the indices of the entrants by group and rating, best first, unrated ones last."""
        groups = {index: number for number, group in enumerate(self.groups) for index in group}

        def key(index: int) -> tuple[bool, int, float, float, int]:
            entrant = self.entrants[index]
            value = entrant.rating.value
            rating, share = (round(one or 0.0, 6) for one in (value, entrant.win_share.value))
            return value is None, groups.get(index, 0), -rating, -share, index

        return tuple(sorted(range(len(self.entrants)), key=key))

    def standings(self) -> tuple[EntrantReport, ...]:
        """Return the entrants in the order of `ranking`."""
        return tuple(self.entrants[index] for index in self.ranking())

    def __post_init__(self) -> None:
        freeze(self, "cross_table", "left_out", "superiority")

    def __str__(self) -> str:
        return str(renderer().report_as_text(self))

    def to_json(self) -> dict[str, object]:
        """Return a JSON object, keys named after the attributes; never `inf` or `nan`.

        `cross_table`, `faults` and `superiority` become lists of objects, `groups` and `anchors`
        lists of names; a test (`event.sprt`) also has its bounds on the ratio, `lower` and `upper`.
        """
        names = [entrant.name for entrant in self.entrants]
        head_to_head, test = self.head_to_head, (self.test or SprtReport()).to_json()
        return {
            "event": self._event_json(),
            "entrants": [entrant.to_json() for entrant in self.entrants],
            "games": self.games,
            "pairs": self.pairs,
            "seconds": self.seconds,
            "head_to_head": None if head_to_head is None else {**head_to_head.to_json(), **test},
            "test": test if self.test else None,
            "pair_sd": self.pair_sd,
            "independent_sd": self.independent_sd,
            "gain": self.gain,
            "starter": self.starter.to_json(),
            "cross_table": [
                {"entrant": names[i], "opponent": names[j], "points": points, "games": games}
                for (i, j), (points, games) in sorted(self.cross_table.items())
            ],
            "faults": [
                {"game": game, "entrant": name, "reason": reason}
                for game, name, reason in self.faults
            ],
            "events": [_part_json(event, games) for event, games in self.events],
            "left_out": [dict(one) for one in self.left_out],
            "repeated": self.repeated,
            "groups": [[names[index] for index in group] for group in self.groups],
            "anchors": [[names[index] for index in anchor] for anchor in self.anchors],
            "superiority": [
                {"entrant": names[i], "opponent": names[j], "los": los}
                for (i, j), los in sorted(self.superiority.items())
            ],
        }

    def _event_json(self) -> dict[str, object]:
        plain = asdict(replace(self.event, openings=()))
        plain["openings"] = len(self.event.openings)
        sprt = self.event.sprt
        if sprt is not None:
            plain["sprt"] = {**plain["sprt"], "lower": sprt.lower, "upper": sprt.upper}
        if len(self.events) > 1:
            plain["settings"]["seed"] = None
        return {**plain, "entrants": list(plain["entrants"])}


def _part_json(event: Event, games: int) -> dict[str, object]:
    settings = asdict(event.settings)
    return {
        "kind": event.kind,
        "seed": event.settings.seed,
        "limits": settings["limits"],
        "tied": event.settings.tied,
        "entrants": [entrant.spec for entrant in event.entrants],
        "games": games,
    }


def _plain(value: object) -> object:
    if isinstance(value, Estimate):
        return value.to_json()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return list(value) if isinstance(value, tuple) else value


def report(
    event: Event,
    results: Iterable[Result],
    *,
    resamples: int = RESAMPLES,
    events: Sequence[tuple[Event, int]] = (),
    left_out: Iterable[Mapping[str, object]] = (),
    test: SequentialTest | None = None,
) -> Report:
    """Compute the report of an event from its games.

    The order of the results does not matter, except that the last of several results of the same
    game counts.

    Args:
        event: the match or tournament.
        results: results of the games so far.
        resamples: bootstrap samples for the intervals of the ratings; 0 gives none.
        events: what the event is made of, with numbers of games; none: itself.
        left_out: as `Report.left_out`.
        test: the test of the event after these games, if it is at hand; else it is computed, which
            takes longer than all the rest.
    """
    games = _in_order(results)
    complete = _complete(games, event.settings.players)
    if event.sprt is not None:
        test = test or SequentialTest(event.sprt, games)
    pairs = _counted(complete, None if test is None else len(test.path))
    sets = _placings(pairs)
    rated = rating_list(sets, len(event.entrants), resamples=resamples)
    pair_sd, independent_sd = _spread(pairs, event.settings.players)
    known = pair_sd is not None and independent_sd is not None and pair_sd > NO_SPREAD
    own = _by_entrant(pairs, len(event.entrants))
    entrants = [_entrant_report(event, own[index], index, rating)
                for index, rating in enumerate(rated.ratings)]
    met = [index for index, group in enumerate(rated.groups) if any(own[one] for one in group)]
    return Report(
        event=event,
        entrants=tuple(entrants),
        games=len(games),
        pairs=len(pairs),
        seconds=sum(sum(game.seconds) for pair in pairs for game in pair),
        head_to_head=_duel(pairs) if _is_duel(event) else None,
        test=None if test is None else _test(test),
        pair_sd=pair_sd,
        independent_sd=independent_sd,
        gain=(independent_sd / pair_sd) ** 2 if known and independent_sd and pair_sd else None,
        starter=_starter(pairs, event.settings.players),
        cross_table=_cross_table(pairs),
        faults=tuple(
            (game.game, event.entrants[game.entrants[game.loser]].name, game.reason)
            for game in games
            if game.loser is not None
        ),
        events=tuple(events) or ((event, len(games)),),
        left_out=tuple(left_out),
        repeated=_repeated(pairs),
        groups=tuple(rated.groups[index] for index in met),
        anchors=tuple(rated.anchors[index] for index in met),
        superiority=_superiority(pairs),
    )


def counted_pairs(found: Report, results: Iterable[Result]) -> list[Pair]:
    """Return the pairs on which a report is based, in order.

    These are the complete pairs; with a test, the unbroken run from pair 1 to the test's end.

    Args:
        results: the games from which the report was made.
    """
    complete = _complete(_in_order(results), found.event.settings.players)
    return _counted(complete, None if found.test is None else len(found.test.llr_path))


# -- which games count -----------------------------------------------------------------------


def _in_order(results: Iterable[Result]) -> list[Result]:
    """Return the games by pair and rotation, with numbers in pair names ordered by value."""
    games = {(result.pair, result.rotation): result for result in results}
    return [games[key] for key in sorted(games, key=lambda key: (natural(key[0]), key[1]))]


def _complete(games: Iterable[Result], players: int) -> dict[str, Pair]:
    """Return the pairs with every seating played, by name."""
    pairs: dict[str, list[Result]] = defaultdict(list)
    for game in games:
        pairs[game.pair].append(game)
    seatings = list(range(players))
    return {
        name: tuple(pair)
        for name, pair in pairs.items()
        if [game.rotation for game in pair] == seatings
    }


def _is_duel(event: Event) -> bool:
    return len(event.entrants) == 2 and event.settings.players == 2


def _counted(complete: Mapping[str, Pair], tested: int | None) -> list[Pair]:
    """Return all complete pairs; with a test, those from pair 1 on that it has counted."""
    if tested is None:
        return list(complete.values())
    return [complete[str(number)] for number in range(1, tested + 1)]


def _repeated(pairs: Iterable[Pair]) -> int:
    """Return how many pairs are an earlier one again: the same moves by the same entrants."""
    courses = [frozenset((game.entrants, game.course) for game in pair)
               for pair in pairs if pair[0].course is not None]
    return len(courses) - len(set(courses))


# -- one entrant -----------------------------------------------------------------------------


def _by_entrant(pairs: Iterable[Pair], entrants: int) -> list[list[Pair]]:
    """Return the pairs of each entrant."""
    found: list[list[Pair]] = [[] for _ in range(entrants)]
    for pair in pairs:
        for entrant in set(pair[0].entrants):
            found[entrant].append(pair)
    return found


def _by_table(pairs: Iterable[Pair]) -> dict[tuple[int, ...], list[Pair]]:
    """Return the pairs by who played them."""
    tables: dict[tuple[int, ...], list[Pair]] = defaultdict(list)
    for pair in pairs:
        tables[tuple(sorted(pair[0].entrants))].append(pair)
    return tables


def _entrant_report(
    event: Event, pairs: Iterable[Pair], index: int, rating: Estimate
) -> EntrantReport:
    own = [_seated(pair, index) for pair in pairs]
    games = [seated for pair in own for seated in pair]
    shares = [game.points[seat] for game, seat in games]
    wins = sum(share == 1 for share in shares)
    losses = sum(share == 0 for share in shares)
    decisions = sum(game.decisions[seat] for game, seat in games)
    seconds = sum(game.seconds[seat] for game, seat in games)
    sims = sum(game.sims[seat] for game, seat in games)
    whole = [pair for pair in own if all(game.loser is None for game, _ in pair)]
    return EntrantReport(
        name=event.entrants[index].name,
        spec=event.entrants[index].spec,
        games=len(games),
        wins=wins,
        draws=len(games) - wins - losses,
        losses=losses,
        points=sum(shares),
        win_share=mean_estimate(_means(own, _points), lowest=0, highest=1),
        mean_place=mean_estimate(_means(own, _place), lowest=1, highest=event.settings.players),
        score=mean_estimate(_means(whole, _score)),
        margin=mean_estimate(_means(whole, _margin)),
        seconds_per_move=seconds / decisions if decisions else None,
        sims_per_move=sims / decisions if decisions and sims else None,
        faults=sum(game.loser == seat for game, seat in games),
        rating=rating if games else _UNKNOWN,
        **_taken(whole),
    )


def _taken(pairs: Sequence[_Seated]) -> dict[str, Any]:
    """Return the parts of the scores and the counts of an entrant."""
    finished = [pair for pair in pairs if all(game.breakdown for game, _ in pair)]
    counted = [pair for pair in pairs if all(game.counts is not None for game, _ in pair)]
    keys = finished[0][0][0].breakdown[0] if finished else ()

    def part(key: str) -> Estimate:
        return mean_estimate(_means(finished, lambda game, seat: game.breakdown[seat].get(key, 0)))

    def count(name: str) -> Estimate:
        return mean_estimate(
            _means(counted, lambda game, seat: getattr(game.counts, name)[seat]))

    return {"parts": {key: part(key) for key in keys},
            **{name: count(name) for name in ("tiles", "tokens", "features")}}


def _seated(pair: Pair, index: int) -> _Seated:
    return [(game, game.entrants.index(index)) for game in pair]


def _means(pairs: Iterable[_Seated], value: Callable[[Result, int], float]) -> list[float]:
    """Return the mean of a value over the games of each pair."""
    return [fmean(value(game, seat) for game, seat in pair) for pair in pairs]


def _points(game: Result, seat: int) -> float:
    return game.points[seat]


def _place(game: Result, seat: int) -> float:
    return game.places[seat]


def _score(game: Result, seat: int) -> float:
    return game.scores[seat]


def _margin(game: Result, seat: int) -> float:
    return lead(game.scores, seat)


# -- all of them together --------------------------------------------------------------------


def _placings(pairs: Sequence[Pair]) -> list[list[Placing]]:
    return [[list(zip(game.entrants, game.places, strict=True)) for game in pair] for pair in pairs]


def _pentanomial(pairs: Iterable[Pair], index: int) -> Pentanomial:
    """Return the pairs of 2 players by the points that an entrant made in them."""
    return Pentanomial.from_points(
        sum(game.points[seat] for game, seat in _seated(pair, index)) for pair in pairs
    )


def _duel(pairs: Sequence[Pair]) -> Duel:
    found = _pentanomial(pairs, 0)
    return Duel(found, elo(found), normalised_elo(found), los(found))


def _superiority(pairs: Iterable[Pair]) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for table, met in _by_table(pairs).items():
        if len(table) == 2 and (ahead := los(_pentanomial(met, table[0]))) is not None:
            found[table[0], table[1]], found[table[1], table[0]] = ahead, 1 - ahead
    return found


def _test(test: SequentialTest) -> SprtReport:
    path = tuple(test.path)
    ended = len(path) if test.verdict else None
    return SprtReport(path[-1] if path else 0.0, test.verdict, ended, path)


def _spread(pairs: Sequence[Pair], players: int) -> tuple[float | None, float | None]:
    """Return the standard deviations of a pair's mean points and of as many independent games.

    The independent games have the same seatings: the variance of their mean is that of one game
    with a known seat, averaged over the seats and divided by their number. Both are pooled over the
    tables, each from its first entrant's point of view and weighted by its degrees of freedom.
    """
    freedom, paired, independent = 0, 0.0, 0.0
    for (first, *_), met in _by_table(pairs).items():
        own = [_seated(pair, first) for pair in met]
        spread = deviation(_means(own, _points))
        by_role = _role_variance(own, players)
        if spread is None or by_role is None:
            continue
        freedom += len(met) - 1
        paired += (len(met) - 1) * spread**2
        independent += (len(met) - 1) * by_role / players
    if not freedom:
        return None, None
    return (paired / freedom) ** 0.5, (independent / freedom) ** 0.5


def _role_variance(pairs: Sequence[_Seated], players: int) -> float | None:
    """Return the variance of the points of a game, given the seat relative to the starter."""
    roles: list[list[float]] = [[] for _ in range(players)]
    for pair in pairs:
        for game, seat in pair:
            roles[(seat - game.starter) % players].append(game.points[seat])
    spreads = [spread for spread in map(deviation, roles) if spread is not None]
    return fmean(spread**2 for spread in spreads) if len(spreads) == players else None


def _starter(pairs: Sequence[Pair], players: int) -> Estimate:
    share = 1 / players
    values = [fmean(game.points[game.starter] for game in pair) - share for pair in pairs]
    return mean_estimate(values, lowest=-share, highest=1 - share)


def _cross_table(pairs: Sequence[Pair]) -> dict[tuple[int, int], tuple[float, int]]:
    table: dict[tuple[int, int], tuple[float, int]] = {}
    for game in (game for pair in pairs for game in pair):
        for seat, one in enumerate(game.entrants):
            for other in game.entrants:
                if other != one:
                    points, games = table.get((one, other), (0.0, 0))
                    table[one, other] = points + game.points[seat], games + 1
    return table
