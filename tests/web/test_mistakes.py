"""Mistakes of people out of the reviews that are kept."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.play import HUMAN_AGENT, Play
from pavilion_ai.protocol import actions
from pavilion_ai.protocol.agents import Agents
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.render import describe
from pavilion_ai.untrusted import strict_json
from pavilion_ai.web.mistakes import Mistakes
from pavilion_ai.web.reviews import KeptReviews
from tests.web.pages import BLUNDER, ENGINE, blundered

OPTION = {"move": BLUNDER, "win_prob": 0.5, "score_lead": 0, "pv": [BLUNDER]}


@pytest.fixture(scope="module")
def review() -> Any:
    """Return the review of a game in which Ann blundered."""
    request = {"record": blundered().to_json(), "sims": 100}
    return actions.review(request, threading.Event(), lambda _: None, Agents())


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Any]:
    """Return a function that asks for mistakes in the reviews of the folder of the test."""
    known = Mistakes(KeptReviews(tmp_path)).actions()
    return lambda action, **request: known[action]({"action": action, **request})


def keep(folder: Path, time: int, review: Any, **changes: Any) -> None:
    """Keep a review as if at some time.

    Args:
        folder, time: where and when.
        review: whose only decision is another one.
        changes: what is other about the decision; `agents` are those of the game.
    """
    agents = changes.pop("agents", review["agents"])
    (decision,) = review["decisions"]
    path = folder / f"{time}.json"
    path.write_text(json.dumps({**review, "agents": agents, "decisions": [
        {**decision, **changes}]}))
    os.utime(path, (time, time))


def other_positions(review: Any) -> list[dict[str, Any]]:
    """Return what is other about two decisions of the same seat in other positions."""
    play = Play(review["decisions"][0]["position"])
    found = []
    for move in play.legal_moves[:2]:
        after = play.copy()
        after.push(move)
        after.push(after.legal_moves[0])
        option = {**review["decisions"][0]["played"], "move": after.legal_moves[0]}
        found.append({"position": after.code(), "seat": after.turn, "played": option,
                      "moves": [option]})
    return found


def test_a_mistake_is_a_puzzle(tmp_path: Path, review: Any, ask: Callable[..., Any]) -> None:
    (decision,) = review["decisions"]
    assert decision["mark"] in ("?", "??")
    keep(tmp_path, 5, review)
    (name,) = ask("mistakes")["names"]
    assert ask("mistakes")["players"] == ["Ann"]
    found = ask("mistake", name=name)
    assert {key: found[key] for key in ("position", "seat", "round", "ply")} == {
        key: decision[key] for key in ("position", "seat", "round", "ply")}
    assert found["time"] == 5
    assert found["agents"] == [{"spec": ENGINE["spec"]}, {"spec": "human", "name": "Ann"}]
    for key, option in (("played", decision["played"]), ("solution", decision["moves"][0])):
        assert found[key] == {"move": option["move"], "win_prob": option["win_prob"],
                              "lead": option["score_lead"], "line": option["pv"][:5]}
        assert found["words"][key] == describe(Play(found["position"]).position, option["move"])
    assert found["played"]["move"] == BLUNDER
    for wrong in ({}, {"name": "x"}, {"name": 3}):
        with pytest.raises(BadRequest, match="name"):
            ask("mistake", **wrong)


@pytest.mark.parametrize("changes", [
    {"mark": ""}, {"mark": "?!"}, {"agents": [ENGINE, ENGINE]}, {"agents": [{}, {}]}])
def test_small_ones_and_those_of_engines_are_none(
    tmp_path: Path, review: Any, ask: Callable[..., Any], changes: dict[str, Any]
) -> None:
    keep(tmp_path, 1, review, **changes)
    assert ask("mistakes") == {"names": [], "players": []}


@pytest.mark.parametrize("mark", ["?", "??"])
def test_mistakes_and_blunders_are_some(
    tmp_path: Path, review: Any, ask: Callable[..., Any], mark: str
) -> None:
    keep(tmp_path, 1, review, mark=mark)
    assert len(ask("mistakes")["names"]) == 1


def test_long_names_are_cut_and_long_reviews_passed_over(
    tmp_path: Path, review: Any, ask: Callable[..., Any]
) -> None:
    """Each mistake told the name again, and answers came to hundreds of megabytes."""
    keep(tmp_path, 1, review, agents=[{"spec": "human", "name": "A" * 100_000}] * 2)
    (name,) = ask("mistakes")["names"]
    assert ask("mistakes")["players"] == ["A" * 200]
    assert ask("mistake", name=name)["agents"][0]["name"] == "A" * 200
    keep(tmp_path, 2, review, agents=[{"spec": "human", "name": "A" * 1_100_000}] * 2)
    (tmp_path / "1.json").unlink()
    assert ask("mistakes")["names"] == []


def test_the_newest_review_comes_first_and_counts(
    tmp_path: Path, review: Any, ask: Callable[..., Any]
) -> None:
    one, other = other_positions(review)
    nobody = [HUMAN_AGENT, HUMAN_AGENT]
    assert ask("mistakes")["names"] == []  # there is no review yet
    keep(tmp_path, 2, review, **one)
    keep(tmp_path, 1, review)
    keep(tmp_path, 3, review, **other, agents=nobody)
    first, second, third = ask("mistakes")["names"]
    assert [ask("mistake", name=name)["time"] for name in (first, second, third)] == [3, 2, 1]
    assert ask("mistakes")["players"][0] == ""
    keep(tmp_path, 4, review, **one, mark="")  # which it was not, another search says
    assert ask("mistakes")["names"] == [first, third]
    keep(tmp_path, 5, review, **one, agents=[ENGINE, ENGINE])  # an engine's move says nothing
    assert ask("mistakes")["names"] == [first, third]
    (tmp_path / "4.json").unlink()
    assert ask("mistakes")["names"] == [first, second, third]


@pytest.mark.parametrize("content", [
    b"", b"[]", b"{}", b'{"decisions": []}', b'{"agents": {}, "decisions": []}', b"\xff",
    b'{"agents": [], "decisions": [{"seat": 0}]}', b"[" * 100_000])
def test_what_is_no_review_is_passed_over(
    tmp_path: Path, review: Any, ask: Callable[..., Any], content: bytes
) -> None:
    keep(tmp_path, 1, review)
    (tmp_path / "other.json").write_bytes(content)
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "nowhere")
    assert ask("mistakes")["players"] == ["Ann"]


@pytest.mark.parametrize("changes", [
    {"seat": 7}, {"seat": None}, {"mark": 3}, {"position": "x"}, {"position": "\ud800"},
    {"round": None}, {"moves": []}, {"moves": [{}]}, {"played": None}, {"agents": "ab"},
    {"agents": [{**HUMAN_AGENT, "name": 3}] * 2}, {"played": {**OPTION, "win_prob": "x"}},
    {"played": {**OPTION, "win_prob": 2}}, {"played": {**OPTION, "score_lead": "x"}}])
def test_a_decision_that_cannot_be_is_passed_over(
    tmp_path: Path, review: Any, ask: Callable[..., Any], changes: dict[str, Any]
) -> None:
    keep(tmp_path, 1, review, **other_positions(review)[0])
    keep(tmp_path, 2, review, **changes)
    assert len(ask("mistakes")["names"]) == 1


def test_moves_and_seat_fit_the_position(
    tmp_path: Path, review: Any, ask: Callable[..., Any]
) -> None:
    (decision,) = review["decisions"]
    people = [HUMAN_AGENT, HUMAN_AGENT]
    keep(tmp_path, 1, review, agents=people)
    assert len(ask("mistakes")["names"]) == 1
    keep(tmp_path, 1, review, agents=people, seat=1 - decision["seat"])
    os.utime(tmp_path / "1.json", (2, 2))
    assert ask("mistakes")["names"] == []
    keep(tmp_path, 1, review, agents=people, played={**decision["played"], "move": "D1:G"})
    os.utime(tmp_path / "1.json", (3, 3))
    assert ask("mistakes")["names"] == []


def test_a_review_is_read_once(
    tmp_path: Path, review: Any, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[str]()
    monkeypatch.setattr("pavilion_ai.web.mistakes.strict_json",
                        lambda text: seen.append(text) or strict_json(text))
    keep(tmp_path, 1, review)
    for _ in range(3):
        (name,) = ask("mistakes")["names"]
        ask("mistake", name=name)
    assert len(seen) == 1
    keep(tmp_path, 2, review)
    ask("mistakes")
    assert len(seen) == 2
