"""Seeds of an event: as documented, the same for ever, and never twice."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest

from pavilion_ai.seeds import agent_seed, decision_seed, order_seed, pair_seed, table_seed
from pavilion_ai.train.play import training_seed

BIG = 2**63 - 1


def derived(text: str) -> int:
    """Derive a seed as the documentation says: the first 53 bits of BLAKE2b, 8 bytes long."""
    bits = "".join(f"{byte:08b}" for byte in hashlib.blake2b(text.encode(), digest_size=8).digest())
    return int(bits[:53], 2)


@pytest.mark.parametrize("event", [0, 1, 7, 2**53 - 1, BIG])
@pytest.mark.parametrize("pair", ["1", "17", "3.2", "1000000000"])
def test_seeds_are_derived_as_documented(event: int, pair: str) -> None:
    assert pair_seed(event, pair) == derived(f"pair/{event}/{pair}")
    assert order_seed(event, pair) == derived(f"order/{event}/{pair}")
    for rotation in range(4):
        for seat in range(4):
            found = agent_seed(event, pair, rotation, seat)
            assert found == derived(f"agent/{event}/{pair}/{rotation}/{seat}")
    assert decision_seed(event, 61) == derived(f"decision/{event}/61")


def test_seeds_never_change() -> None:
    """Records of old events must go on, and their draws be checked, for ever."""
    assert pair_seed(7, "1") == 4304086945710594
    assert pair_seed(7, "2") == 7709292139472953
    assert pair_seed(BIG, "12.3") == 8434360415945407
    assert order_seed(7, "1") == 3246232972965341
    assert agent_seed(7, "1", 1, 0) == 4711648088541126
    assert decision_seed(agent_seed(7, "1", 1, 0), 42) == 8187056829473518
    assert training_seed("game", 1, 0, 0) == 4626796777229686
    assert table_seed(2026, 61) == 2026006139
    assert table_seed(2**53 - 1, 0) == 9007199254740991 * 1_000_003 % 2**63


def test_no_seed_comes_twice() -> None:
    """Of 336 000 seeds of 53 bits two would be equal by chance once in 160 000 such tests."""
    seeds = [
        seed
        for event in range(20)
        for number in range(1, 1001)
        for pair in [str(number)]
        for seed in [
            pair_seed(event, pair),
            *(agent_seed(event, pair, rotation, seat)
              for rotation in range(4) for seat in range(4)),
        ][: 17 if number <= 500 else 9]
    ]
    seeds += [order_seed(event, str(number)) for event in range(20) for number in range(1, 1001)]
    seeds += [pair_seed(event, f"{number}.{table}")
              for event in range(20) for number in range(1, 101) for table in range(1, 29)]
    assert len(seeds) == 336_000
    assert len(set(seeds)) == len(seeds)


def test_seeds_fit_any_reader_of_json_and_use_all_bits() -> None:
    seeds = [agent_seed(1, str(pair), 0, 0) for pair in range(2000)]
    assert all(0 <= seed < 2**53 for seed in seeds)
    for bit in range(53):  # 10 standard deviations
        assert sum(seed >> bit & 1 for seed in seeds) == pytest.approx(1000, abs=10 * 22.4)


def test_decisions_of_a_game_have_seeds_of_their_own() -> None:
    seeds = {
        decision_seed(agent_seed(3, "1", rotation, seat), number)
        for rotation in range(4) for seat in range(4) for number in range(500)
    }
    assert len(seeds) == 4 * 4 * 500


def test_seeds_of_seats_are_not_related() -> None:
    """Agents that play alike must not be given equal, or neighbouring, seeds."""
    for pair in ("1", "2"):
        seeds = sorted(agent_seed(3, pair, rotation, seat)
                       for rotation in range(4) for seat in range(4))
        gaps = [high - low for low, high in pairwise(seeds)]
        assert min(gaps) > 2**30
