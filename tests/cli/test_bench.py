"""`bench`: the command around the measurements, which are replaced by fixed numbers."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from tests.cli.support import assert_clean, pavilion

REPORT: dict[str, Any] = {
    "signature": "1234567",
    "machine": "a machine",
    "version": "9.9",
    "results": {
        "summer/coloured/2": {
            "random_games_per_second": 123456.7,
            "plies_per_second": 12345678.9,
            "sims_per_second": 98765.4,
            "sims_per_second_linear": 1987654.3,
        }
    },
}


@pytest.fixture(autouse=True)
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pavilion_ai.bench")
    module.run_bench = lambda seconds: REPORT  # type: ignore[attr-defined]
    module.signature = lambda: REPORT["signature"]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pavilion_ai.bench", module)


def test_json_is_the_object_of_the_contract() -> None:
    result = pavilion("bench", "--json")
    assert_clean(result)
    assert json.loads(result.stdout) == REPORT


def test_the_table_names_machine_and_version() -> None:
    result = pavilion("bench", "--seconds", "1")
    assert_clean(result)
    assert "pavilion-ai 9.9 on a machine" in result.stdout
    assert "12,345,679" in result.stdout
    assert "1,987,654" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_fault_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["pavilion_ai.bench"], "run_bench", lambda seconds: 1 / 0)
    monkeypatch.delenv("PAVILION_DEBUG", raising=False)
    result = pavilion("bench")
    assert_clean(result, 1)
    assert result.stderr == (
        "error: internal error: ZeroDivisionError: division by zero"
        " (PAVILION_DEBUG=1 shows where)\n"
    )


def test_check_compares_the_signature() -> None:
    same = pavilion("bench", "--check", "1234567")
    assert_clean(same)
    assert same.stdout == "signature 1234567: as expected\n"
    told = pavilion("bench", "--check", "1234567", "--seconds", 1)
    assert (told.stdout, told.stderr) == (
        same.stdout, "note: --seconds has no effect on --check\n")
    other = pavilion("bench", "--check", "7654321")
    assert_clean(other, 1)
    assert (other.stdout, other.stderr) == ("", "error: signature 1234567, expected 7654321\n")
    assert len(pavilion("bench", "--check", "x" * 100_000).stderr) < 5000
    data = pavilion("bench", "--check", "7654321", "--json")
    assert_clean(data, 1)
    assert json.loads(data.stdout)["same"] is False
