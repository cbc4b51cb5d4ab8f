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


@pytest.mark.parametrize("large", ["networks", "core", "the rest", "all"])
def test_a_wheel_that_is_too_large_misses_its_goal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], large: str
) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as content:
        content.writestr("nets/one.net", bytes(40_000))
        content.writestr("_core.so", bytes(30_000))
        content.writestr("search.py", bytes(20_000))
    monkeypatch.setattr(startup, "milliseconds", lambda name: 0.0)
    monkeypatch.setattr("sys.argv", ["startup", "--runs", "1", "--wheel", str(wheel)])
    startup.main()
    assert capsys.readouterr().out.endswith(
        "\nwheel, MB: networks 0.04 (goal under 7.5), core 0.03 (goal under 0.65),"
        " the rest 0.02 (goal under 1.3), all 0.09 (goal under 9)\n")
    monkeypatch.setitem(startup.WHEEL_GOALS, large, 0.01)
    with pytest.raises(SystemExit) as ended:
        startup.main()
    assert ended.value.code == f"goals missed: {large} of the wheel"
