"""Judgements kept in a file, one decision per line, so that a review can be resumed.

The file only grows. A line says what judged, which position and move, and what the search found, at
full precision: a resumed review is the same as one that was never interrupted.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pavilion_ai.analysis import BY_NETWORK, LINEARLY, Analysis, MoveStats, RootStats
from pavilion_ai.bounds import MAX_POINTS, MAX_SECONDS, MAX_SIMS
from pavilion_ai.errors import RecordError, printable, shown
from pavilion_ai.files import GrowingFile, named
from pavilion_ai.limits import Limits
from pavilion_ai.network import read_network
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record.lines import LineError, RecordLine, lines_of, objects_on
from pavilion_ai.review.judge import Judge, Judgement
from pavilion_ai.untrusted import Node, refusal
from pavilion_ai.version import __version__

KEPT_MOVES = 5
"""Best moves of a decision that are kept; no form of a review shows more."""
_START = b'{"judge":'

Key = tuple[str, str, str]
"""Code of a position, the move that was played there, and what came before (`_past`)."""


class Kept(GrowingFile):
    """A file of judgements by one judge.

    Args:
        path: the file; it is made if there is none.
        judge: whose judgements they are.

    Attributes:
        count: number of judgements that were in the file.
        versions: versions of this package other than the present one that judged some of them.

    Raises:
        RecordError: the file holds something else, or judgements of another judge, or another
            program is writing to it.
        OSError: the file cannot be opened for writing.
    """

    holds = "judgements"

    def __init__(self, path: str, judge: Judge) -> None:
        self.versions: set[str] = set()
        self._judge = _judge_json(judge)
        self._found: dict[Key, tuple[int, int, int]] = {}  # number of its line, start and end
        self._lines = 0
        super().__init__(path)
        self.count = len(self._found)

    def get(self, ply: int, before: Play, move: str) -> Judgement | None:
        """Return what is known of a decision, None if it was not judged yet.

        Args:
            ply: number of the move in its record.
            before: the game before the move.
            move: the move, in canonical form.

        Raises:
            RecordError: its line is invalid.
            OSError: it cannot be read.
        """
        code = before.code()
        place = self._found.get((code, move, _past(before)))
        if place is None:
            return None
        number, start, end = place
        with named(self.name):
            self._file.seek(start)
            line = RecordLine(number, start, self._file.read(end - start))
        return _judgement(self._node(line), ply, before.position, code, self._judge)

    def add(self, before: Play, judgement: Judgement) -> None:
        """Append a judgement.

        Args:
            before: the game before the move.

        Raises:
            OSError: the file cannot be written.
        """
        past = _past(before)
        data = {"judge": {**self._judge, "version": __version__}, **_to_json(judgement),
                **({"past": past} if past else {})}
        start, raw = self._end, json.dumps(data, separators=(",", ":")).encode() + b"\n"
        self._append(raw)
        self._lines += 1
        self._keep((judgement.analysis.position, judgement.played.move, past),
                   RecordLine(self._lines, start, raw))

    def _read(self) -> int:
        """Read the judgements; return the place after the last complete line."""
        end = 0
        with open(self.name, "rb") as file:
            for line in lines_of(file):
                begun = line.raw.startswith(_START) or _START.startswith(line.raw)
                if line.unwritten or (begun and not line.ended):
                    break  # torn: to be overwritten
                if not line.blank:
                    self._take(line)
                end, self._lines = line.end, line.number
        return end

    def _take(self, line: RecordLine) -> None:
        node = self._node(line)
        judge = dict(node["judge"].mapping())
        version = node["judge"]["version"].text()
        del judge["version"]
        if "network" in self._judge:  # older files do not tell it
            judge.setdefault("network", self._judge["network"])
        if judge != self._judge:
            raise RecordError(f"{self._where(line)}: judged by {_told(judge)}, expected"
                              f" {_told(self._judge)}; choose another --out")
        if version != __version__:
            self.versions.add(version)
        past = node["past"].text() if "past" in node else ""
        self._keep((node["position"].text(), node["move"].text(), past), line)

    def _node(self, line: RecordLine) -> Node:
        """Return the judgement on a line."""
        try:
            found = list(objects_on(line))
        except LineError:
            found = []
        if len(found) != 1 or not line.raw.startswith(_START):
            raise RecordError(f"{self._where(line)}: found no judgement, expected a file of"
                              " `review --out`")
        return Node(found[0], "", refusal(RecordError, self._where(line)))

    def _where(self, line: RecordLine) -> str:
        return f"{self.name}, line {line.number}"

    def _keep(self, key: Key, line: RecordLine) -> None:
        """Remember where a judgement stands; the first one of a decision stays."""
        self._found.setdefault(key, (line.number, line.start, line.end))


def _past(play: Play) -> str:
    """Return a digest of the moves so far, as they tell of the others; with two players nothing."""
    if play.start.players == 2:
        return ""
    return hashlib.sha256(" ".join(play.moves).encode()).hexdigest()[:16]


def _told(judge: dict[str, Any]) -> str:
    return printable(", ".join(
        f"{key} {shown(value)}" for key, value in judge.items() if value is not None))


def _judge_json(judge: Judge) -> dict[str, Any]:
    limits = judge.limits or Limits()
    return {"agent": judge.spec, "sims": limits.sims, "seconds": limits.seconds,
            "seed": judge.seed,
            **({} if judge.net_file is None
               else {"network": read_network(judge.net_file)[0].sha256})}


def _to_json(judgement: Judgement) -> dict[str, object]:
    analysis = judgement.analysis
    root = analysis.root
    return {
        "position": analysis.position,
        "move": judgement.played.move,
        "ply": judgement.ply,
        "seat": analysis.to_move,
        "choices": judgement.choices,
        "agrees": judgement.agrees,
        "after": judgement.after,
        **({"alike": judgement.alike} if judgement.alike else {}),
        "played": _move_json(judgement.played),
        "root": {"visits": root.visits, "win_prob": root.win_prob, "score_mean": root.score_mean,
                 "score_lead": root.score_lead},
        "moves": [_move_json(move) for move in analysis.moves[:KEPT_MOVES]],
        "limits": {"sims": analysis.limits.sims, "seconds": analysis.limits.seconds},
        "sims": analysis.sims,
        "seconds": analysis.seconds,
        "threads": analysis.threads,
        **({"beliefs": analysis.beliefs} if analysis.beliefs else {}),
    }


def _move_json(move: MoveStats) -> dict[str, object]:
    return {"move": move.move, "order": move.order, "visits": move.visits,
            "win_prob": move.win_prob, "win_prob_se": move.win_prob_se, "exact": move.exact,
            "score_mean": move.score_mean, "score_lead": move.score_lead, "prior": move.prior,
            "pv": move.pv}


def _judgement(node: Node, ply: int, position: Position, code: str,
               judge: dict[str, Any]) -> Judgement:
    players, root = position.players, node["root"]
    seat = node["seat"].whole(0, players - 1)
    analysis = Analysis(
        position=code,
        to_move=seat,
        root=RootStats(
            visits=root["visits"].whole(0),
            win_prob=_shares(root["win_prob"], players),
            score_mean=_points(root["score_mean"], players),
            score_lead=_point(root["score_lead"]),
        ),
        moves=tuple(_move(move, players) for move in node["moves"].items(1, KEPT_MOVES)),
        limits=Limits(
            sims=node["limits"]["sims"].whole(1, MAX_SIMS) if "sims" in node["limits"] else None,
            seconds=(node["limits"]["seconds"].real(1e-9, MAX_SECONDS)
                     if "seconds" in node["limits"] else None)),
        seconds=node["seconds"].real(0, MAX_SECONDS),
        sims=node["sims"].whole(0),
        threads=node["threads"].whole(1),
        seed=judge["seed"],
        agent=judge["agent"],
        beliefs=tuple(one.choice((BY_NETWORK, LINEARLY)) for one in _beliefs(node, players)),
    )
    return Judgement(ply, position, node["choices"].whole(1), analysis,
                     _move(node["played"], players), node["agrees"].truth(),
                     _shares(node["after"], players),
                     alike=_shares(node["alike"], players) if "alike" in node else ())


def _beliefs(node: Node, players: int) -> list[Node]:
    """Return what was expected of each seat; nothing in older files, and by some agents."""
    return node["beliefs"].items(players, players) if "beliefs" in node else []


def _move(node: Node, players: int) -> MoveStats:
    return MoveStats(
        move=node["move"].text(),
        order=node["order"].whole(0),
        visits=node["visits"].whole(0),
        win_prob=node["win_prob"].real(0, 1),
        win_prob_se=node["win_prob_se"].real(0, 1),
        score_mean=_points(node["score_mean"], players),
        score_lead=_point(node["score_lead"]),
        prior=node["prior"].real(0, 1),
        pv=tuple(move.text() for move in node["pv"].items(0, 1000)),
        exact="exact" in node and node["exact"].truth(),
    )


def _shares(node: Node, players: int) -> tuple[float, ...]:
    return tuple(one.real(-1e-9, 1 + 1e-9) for one in node.items(players, players))


def _points(node: Node, players: int) -> tuple[float, ...]:
    return tuple(_point(one) for one in node.items(players, players))


def _point(node: Node) -> float:
    return node.real(-MAX_POINTS, MAX_POINTS)
