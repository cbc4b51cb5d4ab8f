"""`python -m bench.startup` ends with exit code 1 if a goal is missed."""

from __future__ import annotations

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
