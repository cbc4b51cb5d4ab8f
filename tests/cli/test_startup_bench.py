"""`python -m bench.startup` ends with exit code 1 if a goal is missed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from bench import startup


@pytest.mark.parametrize(("slack", "missed"), [
    ("1", f"goals missed: pavilion --help, {startup.FIRST}"), ("2", "")])
def test_a_goal_that_is_missed_is_told(
    monkeypatch: pytest.MonkeyPatch, slack: str, missed: str
) -> None:
    monkeypatch.setattr(startup, "milliseconds", lambda name: 260.0)  # with imports: 0 ms
    monkeypatch.setattr("sys.argv", ["startup", "--runs", "1", "--slack", slack])
    if not missed:
        startup.main()
        return
    with pytest.raises(SystemExit) as ended:
        startup.main()
    assert ended.value.code == missed


def test_a_wheel_that_is_too_large_misses_its_goal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as content:
        content.writestr("nets/one.net", bytes(20_000))
    monkeypatch.setattr(startup, "milliseconds", lambda name: 0.0)
    monkeypatch.setattr("sys.argv", ["startup", "--runs", "1", "--wheel", str(wheel)])
    startup.main()
    assert capsys.readouterr().out.endswith(
        "\nwheel 0.02 MB (goal under 9), of which networks 0.02 MB\n")
    monkeypatch.setattr(startup, "WHEEL_GOAL", 0.02)
    with pytest.raises(SystemExit) as ended:
        startup.main()
    assert ended.value.code == "goals missed: wheel"
