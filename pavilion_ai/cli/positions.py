"""Commands about one position: `new`, `show`, `moves`, `apply`, `perft`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.files import read_position
from pavilion_ai.cli.options import (
    DEPTH,
    dark_option,
    format_option,
    game_options,
    json_option,
    output_option,
    position_argument,
    seed_option,
    the_variant,
)
from pavilion_ai.cli.output import put_position
from pavilion_ai.cli.said import note, say
from pavilion_ai.errors import InvalidMoveError, named_move, shown

if TYPE_CHECKING:
    from pavilion_ai.games import Rng, Rules
    from pavilion_ai.play import Play
    from pavilion_ai.position import Position


@click.command()
@game_options
@seed_option("a new one")
@format_option
@output_option
def new(
    game: str | None,
    board: str | None,
    players: int | None,
    seed: int | None,
    form: str | None,
    output: str | None,
) -> None:
    """Set up a new game and print its first position."""
    rules, board, players = the_variant(game, board, players)
    put_position(rules.new(board=board, players=players, seed=seed), form, output)


@click.command()
@position_argument
@format_option
@output_option
@click.option("--move", "moves", multiple=True, metavar="MOVE",
              help="Draw this move over the picture, 1 for the first; repeat for several.")
@dark_option
def show(
    pos: str, form: str | None, output: str | None, moves: tuple[str, ...], dark: bool
) -> None:
    """Show a position, or convert it from one form to another.

    The text form begins with the drawn boards as comments, so the output can be pasted back.
    svg is a picture of all boards; png is the same and needs `pip install 'pavilion-ai[png]'`.
    """
    from pavilion_ai.games import rules_of
    from pavilion_ai.play import Play
    from pavilion_ai.render.overlay import Shown

    position = read_position(pos)
    if moves and position.to_move is None:
        raise CommandError(f"--move: {nobody_to_move(rules_of(position).chance(position))}")
    meant = [understood(text, Play(position)) for text in moves]
    for move in meant:
        rules_of(position).apply(position, move)  # complains about an illegal one
    drawn = [Shown(move, str(rank), strong=rank == 1) for rank, move in enumerate(meant, 1)]
    put_position(position, form, output, drawn, dark=dark)
    tell_end(position)


@click.command()
@position_argument
@json_option
def moves(pos: str, as_json: bool) -> None:
    """List the legal moves, one per line; on a terminal with a description of each."""
    from pavilion_ai.games import rules_of
    from pavilion_ai.render.text import is_terminal

    position = read_position(pos)
    rules = rules_of(position)
    chance = rules.chance(position)
    if as_json:
        answer = {"chance": chance} if chance else {"moves": rules.legal_moves(position)}
        say(json.dumps(answer))
    elif position.to_move is None:
        note(nobody_to_move(chance))
    elif is_terminal(sys.stdout):
        _print_moves_in_words(position, rules)
    else:
        say("\n".join(rules.legal_moves(position)))


def _print_moves_in_words(position: Position, rules: Rules) -> None:
    from pavilion_ai.render import describe
    from pavilion_ai.render.text import DIM, STRONG, Line, Span, pad, width_of, wrap, write

    legal = rules.legal_moves(position)
    column = max(map(len, legal)) + 2
    width = width_of()
    for start in range(0, len(legal), 50):  # a screenful at a time: the first rows come at once
        rows: list[Line] = []
        for move in legal[start : start + 50]:
            words = Span(describe(position, move), DIM)
            rows += wrap([*pad((Span(move, STRONG),), column), words], width, column)
        write(rows)


def tell_end(position: Position) -> None:
    """Note who has won, if the game is over."""
    from pavilion_ai.games import rules_of
    from pavilion_ai.render.record_text import outcome

    if position.phase == "over":
        scores = [seat.score for seat in position.seats]
        note(f"the game is over, {outcome(rules_of(position).winners(position), scores)}")


def understood(text: str, play: Play) -> str:
    """Return the move that an argument means: of the notation, or what `play` takes for one.

    A move of the notation is returned as it is, legal or not; of another one it is said which.
    """
    from pavilion_ai.notation import parse_move

    try:
        parse_move(text, play.rules.name)
    except InvalidMoveError:
        if play.turn is None:
            raise
    else:
        return text
    from pavilion_ai.cli.menu import Menu
    from pavilion_ai.cli.typed import Unclear, move_of

    try:
        move = move_of(text, play, Menu(play, numbered=False))
    except Unclear as question:
        if any(move.lower().startswith(f"{text.lower()}>") for move in play.legal_moves):
            raise Unclear(f"{question} (a shell needs moves with > in quotes)") from None
        raise
    note(f"{shown(text)} is {move}")
    return move


def nobody_to_move(chance: str | None) -> str:
    """Explain why no seat is to move in a position."""
    if chance is None:
        return "the game is over, no seat is to move"
    return f"chance is to move ({chance}), no seat decides; `pavilion apply POS` draws it"


@click.command()
@position_argument
@click.argument("moves", metavar="[MOVE]...", nargs=-1)
@seed_option("a new one")
@format_option
@output_option
def apply(
    pos: str, moves: tuple[str, ...], seed: int | None, form: str | None, output: str | None
) -> None:
    """Play moves and print the position reached.

    Each is a move of the notation, or what `play` takes for one, such as `d5 orange`. Chance moves
    (deal:..., supply:...) may be among them; any that are missing are drawn at random and noted on
    standard error, except one that is due before the first move, which must be given. Without any
    move, only the draws that are due are made.
    """
    from pavilion_ai.games import CHANCE_STREAM, seeded
    from pavilion_ai.play import Play

    play = Play(read_position(pos))
    if moves and play.chance and _kind(moves[0]) not in ("deal", "supply"):
        raise CommandError(f"{shown(moves[0])}: {nobody_to_move(play.chance)}")
    rng = None if seed is None else seeded(seed, CHANCE_STREAM)
    for number, text in enumerate(moves, 1):
        if number > 1:
            _draw(play, rng, _kind(text))
        with named_move(number):
            play.push(understood(text, play))
    _draw(play, rng)
    put_position(play.position, form, output)
    tell_end(play.position)


def _draw(play: Play, rng: Rng | None, given: str = "") -> None:
    """Draw the tiles that are due before a move of a kind, and say which."""
    while play.chance and given not in (play.chance, "supply"):
        note(f"drawn {play.draw_once(rng)}")


def _kind(move: str) -> str:
    """Return the word before the colon of a move, which of a chance move is its phase."""
    return move.partition(":")[0].strip().lower()


@click.command()
@position_argument
@click.argument("depth", type=DEPTH)
@click.option("--divide", is_flag=True, help="Also count the nodes under each first move.")
@json_option
def perft(pos: str, depth: int, divide: bool, as_json: bool) -> None:
    """Count the leaf nodes after DEPTH decisions (a check of the rules).

    Draws are fixed: always the lowest colour left in the bag.
    """
    from pavilion_ai.games import rules_of

    position = read_position(pos)
    rules = rules_of(position)
    if divide and depth == 0:
        raise CommandError("--divide needs a depth of at least 1")
    parts = rules.divide(position, depth) if divide else {}
    nodes = sum(parts.values()) if parts else rules.perft(position, depth)
    if as_json:
        answer: dict[str, object] = {"depth": depth, "nodes": nodes}
        say(json.dumps({**answer, "divide": parts} if divide else answer))
        return
    for move, count in parts.items():
        say(f"{move} {count}")
    say(str(nodes))
