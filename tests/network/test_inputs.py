"""What holds for the inputs of the networks of both games."""

import pytest

from pavilion_ai._core import AzulState, Rng, SummerState

from .inputs import played


@pytest.mark.parametrize("state_class", [AzulState, SummerState])
def test_none_after_the_end(state_class: type[AzulState] | type[SummerState]) -> None:
    state = played(state_class, 2, False, 1, 500, False)
    rng = Rng(1)
    while not state.over:
        if state.to_move < 0:
            state.draw(rng)
        else:
            state.apply(state.random_move(rng))
    with pytest.raises(ValueError, match="over"):
        state.inputs()
