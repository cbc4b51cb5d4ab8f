"""What the adapters for several libraries share: the game, its class, spaces and drawings."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pavilion_ai.envs import observations
from pavilion_ai.envs.actions import Array
from pavilion_ai.envs.batch import play_at
from pavilion_ai.envs.rewards import REWARDS
from pavilion_ai.errors import PavilionError, SpecError, one_of, shown
from pavilion_ai.games import rules_for
from pavilion_ai.play import Play
from pavilion_ai.render import draw_svg
from pavilion_ai.render.svg import PAPER, NoConverterError, to_png

if TYPE_CHECKING:
    from typing_extensions import Self

    from pavilion_ai.agents import Agent

__all__ = ["MODES", "POSITION", "Adapter", "by_name", "environment", "observation_box", "picture"]

MODES = ("ansi", "rgb_array", "human")
"""Render modes: the drawing as text, as a picture, or printed."""
POSITION = "position"
"""Option of `reset`: where the game begins."""
NAME = "PavilionEnv"
"""Name of every class of environments, in the module of its adapter."""


class Adapter:
    """Base of an environment of any library: its variant, its options and its game.

    Args:
        kinds: kinds of observation that the library can be given.

    Raises:
        SpecError: an argument is out of its range.
    """

    def __init__(
        self, game: str, board: str, players: int, render_mode: str | None, reward: str,
        observation: str, kinds: Collection[str],
    ) -> None:
        rules_for(game, board, players)
        self.variant: dict[str, Any] = {"game": game, "board": board, "players": players}
        self.render_mode = render_mode if render_mode is None else one_of(
            "render_mode", render_mode, MODES)
        self.reward = one_of("reward", reward, REWARDS)
        self.kind = one_of("observation", observation, kinds)
        self.play: Play | None = None

    def __copy__(self) -> Self:  # with a game of its own
        return deepcopy(self, {id(agent): agent for agent in self._shared()})

    def _shared(self) -> Iterable[Agent]:
        """Return the agents that may play several games at once."""
        return ()

    @property
    def current(self) -> Play:
        """The game in progress. PavilionError before the first `reset`."""
        if self.play is None:
            raise PavilionError("no game yet: call reset() first")
        return self.play

    def _start_of(self, options: Mapping[str, Any] | None) -> Play | None:
        """Return a play where a new game is to begin; None for the start of a game.

        Args:
            options: those of `reset`: the `position`, in any form that `Play` takes, or a `Play`.
                Other keys are not looked at.

        Raises:
            SpecError: these are no options, or the position is invalid, of another variant, or of a
                game that is over.
        """
        if options is None:
            return None
        if not isinstance(options, Mapping):
            raise SpecError(f"options: found {shown(options)}, expected a dictionary")
        if POSITION not in options:
            return None
        return play_at(f"options: {POSITION}", options[POSITION], **self.variant)

    @contextmanager
    def _all_or_nothing(self, numbers: np.random.Generator | None = None) -> Iterator[None]:
        """Leave the game and the attributes as they were if the block fails or is interrupted.

        It may replace attributes, but must not change what they held before.

        Args:
            numbers: random numbers that the block takes; they are put back too.
        """
        play, before = self.current, self.__dict__.copy()
        plies = len(play.plies)
        drawn = numbers.bit_generator.state if numbers else {}
        try:
            yield
        except BaseException:
            while len(play.plies) > plies:
                play.pop()
            if numbers:
                numbers.bit_generator.state = drawn
            self.__dict__.update(before)
            raise

    def render(self) -> Any:
        """Return the drawing as text or as a picture (height, width, 3), or print it.

        Raises:
            PavilionError: there is no game yet. NoConverterError: pictures need the extra `envs`.
        """
        play, mode = self.current, self.render_mode
        if mode == "rgb_array":
            return picture(play)
        if mode == "ansi":
            return str(play)
        if mode == "human":
            print(play)
        return None


@cache
def environment(own: type[Adapter], library: str, imported: Callable[[], Any]) -> Any:
    """Return the class of environments that is an adapter and the class imported of a library.

    Raises:
        PavilionError: the library is not installed.
    """
    try:
        theirs = imported()
    except ImportError:
        raise PavilionError(f"this needs the library {library}: pip install 'pavilion-ai[envs]'"
                            ) from None
    return type(NAME, (own, theirs), {"__module__": own.__module__})


def by_name(module: str, made: Callable[[], Any]) -> Callable[[str], Any]:
    """Return `__getattr__` of a module in which pickled environments look for their class."""
    def found(name: str) -> Any:
        if name == NAME:
            return made()
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return found


def observation_box(game: str, players: int, kind: str) -> Any:
    """Return the space of a kind of observation (`gymnasium.spaces.Box`)."""
    from gymnasium import spaces

    parts = observations.observation_parts(game, players, kind)
    dtype = observations.DTYPES[kind]
    high = np.concatenate([np.full(part.size, part.high, dtype) for part in parts])
    return spaces.Box(np.zeros_like(high), high, dtype=dtype)


def picture(play: Play) -> Array:
    """Return the drawing of a position as pixels: uint8, by height, width and channel.

    All pictures of a variant have the size of the opening's: smaller ones have paper below them,
    larger ones are scaled.

    Raises:
        NoConverterError: what makes pixels of drawings is not installed.
    """
    try:
        from PIL import ImageOps
    except ImportError:
        raise NoConverterError(
            "rgb_array needs the library pillow: pip install 'pavilion-ai[envs]'") from None
    return np.array(ImageOps.pad(_image(play), _size(*play.start.variant),
                                 color=PAPER, centering=(0.5, 0)))


@cache
def _size(game: str, board: str, players: int) -> tuple[int, int]:
    size: tuple[int, int] = _image(Play.new(game, board=board, players=players, seed=0)).size
    return size


def _image(play: Play) -> Any:
    from PIL import Image

    with Image.open(io.BytesIO(to_png(draw_svg(play.position), scale=1))) as image:
        return image.convert("RGB")
