"""The command `play`: a game of people and engines."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from pavilion_ai.cli.exits import DONE, CommandError
from pavilion_ai.cli.files import read_position
from pavilion_ai.cli.options import (
    CLOCK,
    LEVEL,
    check_agents,
    game_options,
    limit_options,
    one_limit,
    seed_option,
    the_variant,
)
from pavilion_ai.cli.recording import free_id, games_of_play, recording
from pavilion_ai.cli.said import note
from pavilion_ai.errors import shown
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.cli.session import Session
    from pavilion_ai.clock import TimeControl
    from pavilion_ai.position import Position
    from pavilion_ai.record import GameRecord


@click.command()
@game_options
@click.option(
    "--seats", metavar="LIST", help="Players by seat: `human` or agents; default human,default,..."
)
@click.option(
    "--level", type=LEVEL, metavar="1..10", help="Level of the agents in default seats; default 10."
)
@seed_option("that of the record, else a new one")
@click.option("--record", metavar="FILE", help="Record the game; an unfinished game is resumed.")
@click.option("--resume", is_flag=True, help="Resume the record's unfinished game, or fail.")
@click.option("--trust", is_flag=True,
              help="Start the programs (cmd:) and open the networks that the record names.")
@click.option("--from", "source", metavar="POS", help="Start from a position.")
@click.option("--solo", is_flag=True,
              help="Score attack for one: the seed's own luck, and a par to beat.")
@click.option("--daily", is_flag=True, help="The solo game of the day, by the local date.")
@click.option("--rule", is_flag=True,
              help="A solo game in which the others draft by a fixed rule.")
@click.option("--real-tiles", is_flag=True,
              help="Ask which tiles were drawn: to follow a game with real tiles.")
@click.option("--clock", type=CLOCK, metavar="SEC[+SEC]",
              help="A clock for each seat: seconds for the whole game, plus seconds added per"
              " decision.")
@limit_options
def play(
    game: str | None,
    board: str | None,
    players: int | None,
    seats: str | None,
    level: int | None,
    seed: int | None,
    record: str | None,
    resume: bool,
    trust: bool,
    source: str | None,
    solo: bool,
    daily: bool,
    rule: bool,
    real_tiles: bool,
    clock: TimeControl | None,
    seconds: float | None,
    sims: int | None,
) -> int:
    """Play a game: a person against the engine, or engines among themselves.

    With --record, every move is saved at once; the same command resumes an interrupted game. --time
    and --sims limit hints and, without --clock, engines whose spec sets no limit. With --clock a
    seat that uses more time than it has loses. --solo plays against a level (5 unless --level) with
    the luck of the seed, and compares the score with that of the best agent. --real-tiles asks for
    every draw, so that a game at a table can be followed, recorded and reviewed.
    """
    from pavilion_ai.cli.table import Table
    from pavilion_ai.record import UNFINISHED

    one_limit(seconds, sims)
    if solo or daily or rule:
        from pavilion_ai.cli.solo import challenge_of, play_solo

        _refuse_with_solo({"--seats": seats, "--record": record, "--resume": resume,
                           "--trust": trust, "--from": source, "--clock": clock,
                           "--real-tiles": real_tiles,
                           "--time": seconds, "--sims": sims})
        challenge = challenge_of(game, board, players, level, seed, daily, rule)
        _check_stdin()
        return play_solo(challenge)
    if seats is not None and level is not None:
        raise CommandError(
            f"--level is for the default seats; in --seats write default:level={level}"
        )
    if real_tiles and clock is not None:
        raise CommandError("--clock does not go with --real-tiles, which waits for what is typed")
    if resume and record is None:
        raise CommandError("--resume needs --record FILE")
    if trust and record is None:
        raise CommandError("--trust needs --record FILE")
    specs = parse_seats(seats) if seats is not None else ()
    with recording(record) if record is not None else nullcontext() as recorder:
        earlier = games_of_play(recorder) if recorder is not None else []
        wanted = {"--game": game, "--board": board, "--players": players, "--seed": seed,
                  "--clock": None if clock is None else str(clock)}
        if earlier and earlier[-1].reason == UNFINISHED:
            _check_unfinished(record, earlier[-1], source)
            specs = specs or _other_seats(record, earlier[-1], level, trust)
            session = _resumed(earlier[-1], specs, wanted, resume)
        elif resume:
            raise CommandError(f"{record}: no unfinished game at its end")
        else:
            start_seed = secrets.randbits(53) if seed is None else seed
            start = _start(game, board, players, source, start_seed, len(specs))
            specs = specs or _default_seats(start.players, level)
            session = _new_session(start, specs, start_seed, earlier, clock)
            same = _same_game(session, earlier) if seed is not None and not real_tiles else None
            if same is not None:
                note(
                    f"{record}: nothing left to play, game {same.id} with seed {seed} and these"
                    " seats is finished; another --seed, or none, plays another game"
                )
                return DONE
        if session.clocks is not None and (seconds, sims) != (None, None):
            note("--time and --sims limit hints alone: the engines have clocks")
        _check_input(session, source)
        _check_seats(session)
        if real_tiles and not _with_real_tiles(session, source):
            return DONE
        return Table(session, record, recorder, seconds, sims).run()


def _with_real_tiles(session: Session, source: str | None) -> bool:
    """Follow a game with real tiles; ask for the opening of a new one. Tell whether to go on."""
    from pavilion_ai.cli.real_tiles import opening_of
    from pavilion_ai.cli.session import REAL_TILES_KEY
    from pavilion_ai.play import Play

    _check_stdin()
    session.extra = {**session.extra, REAL_TILES_KEY: True}
    start = session.play.start
    if source is None and not session.play.moves:
        opening = opening_of(session.play.rules, start.board, start.players)
        if opening is None:
            return False
        session.play = Play(opening, seed=session.play.seed)
    return True


def parse_seats(text: str) -> tuple[str, ...]:
    """Split a list of seats; a comma does not separate before an option, or KEY=VALUE of a program.

    >>> parse_seats("human,ismcts:sims=200,threads=2,greedy,mine=ismcts:net=my.net")
    ('human', 'ismcts:sims=200,threads=2', 'greedy', 'mine=ismcts:net=my.net')
    """
    from pavilion_ai.spec import OPTION_KEYS, names_agent, split_name

    seats: list[str] = []
    for part in text.split(","):
        key, _ = split_name(part)
        agent = key not in OPTION_KEYS and names_agent(part)
        if seats and key is not None and not agent and ":" in seats[-1]:
            seats[-1] += f",{part}"
        else:
            seats.append(part.strip())
    return tuple(seats)


def _refuse_with_solo(options: dict[str, object]) -> None:
    """Refuse options, by name, that a solo game does not have."""
    for option, value in options.items():
        if value:
            raise CommandError(f"{option} does not go with --solo, which has fixed players and"
                               " keeps its games itself")


def _check_seats(session: Session) -> None:
    """Refuse players that there are not, and agents that would fail during the game."""
    from pavilion_ai.play import HUMAN

    _check_names(session.seats)
    if session.clocks is not None:
        _refuse_clocks(session.seats)
    check_agents([spec for spec in session.seats if spec != HUMAN], session.play.start)


def _check_names(specs: Sequence[str]) -> None:
    """Refuse players that there are not."""
    from pavilion_ai.play import HUMAN
    from pavilion_ai.spec import head_of, names_agent, no_agent

    for spec in (spec for spec in specs if spec != HUMAN):
        if head_of(spec) == HUMAN:
            raise CommandError(f"{HUMAN} takes neither options nor a name")
        if not names_agent(spec):
            raise no_agent(spec, HUMAN)


def _refuse_clocks(specs: Sequence[str]) -> None:
    """Refuse agents that would manage a clock of their own, and lose on that of the game."""
    from pavilion_ai.play import HUMAN
    from pavilion_ai.spec import parse_spec

    for spec in specs:
        if spec != HUMAN and parse_spec(spec).clock is not None:
            raise CommandError(f"{spec}: has a clock of its own, expected none beside that of the"
                               " game")


def _default_seats(players: int, level: int | None) -> tuple[str, ...]:
    from pavilion_ai.play import HUMAN

    engine = "default" if level is None else f"default:level={level}"
    return (HUMAN, *[engine] * (players - 1))


def _same_game(session: Session, earlier: Sequence[GameRecord]) -> GameRecord | None:
    """Return the finished game with the same start, seed and players, if any."""
    for record in earlier:
        seats = tuple(agent.get("spec") for agent in record.agents)
        play = session.play
        if (record.seed, record.start, seats) == (play.seed, play.start, session.seats):
            return record
    return None


def _check_input(session: Session, source: str | None) -> None:
    """Refuse to read both a position and a person's moves from standard input."""
    from pavilion_ai.play import HUMAN

    if HUMAN in session.seats:
        _check_stdin()
    if source == "-" and HUMAN in session.seats and not sys.stdin.isatty():
        raise CommandError(
            "--from -: standard input cannot give the position and then the moves of a person;"
            " give --from a code or a file"
        )


def _check_stdin() -> None:
    """Refuse the game of a person who cannot type moves."""
    if sys.stdin is None:
        raise CommandError("standard input is closed; a person cannot play")


def _check_unfinished(file: str | None, record: GameRecord, source: str | None) -> None:
    """Refuse to resume a game that `--from` does not start, or one with draws of its own."""
    from pavilion_ai.solo import SOLO_KEY

    if source is not None and read_position(source) != record.start:
        raise CommandError(f"{file} holds an unfinished game; --from cannot start another")
    if SOLO_KEY in record.extra:
        raise CommandError(f"{file} holds an unfinished solo game, with draws of its own;"
                           " play --solo with its game, level and seed resumes it")


def _other_seats(
    file: str | None, record: GameRecord, level: int | None, trust: bool
) -> tuple[str, ...]:
    """Return the seats of a game resumed without `--seats`; none for those of its record."""
    from pavilion_ai.play import HUMAN

    if level is not None:
        return tuple(HUMAN if agent.get("spec") == HUMAN else f"default:level={level}"
                     for agent in record.agents)
    if not trust:
        _refuse_foreign(file, record)
    return ()


def _refuse_foreign(file: str | None, record: GameRecord) -> None:
    """Refuse to start programs and open files that only a record names: it may come from anybody.

    Raises:
        CommandError: it names some (one line for each).
    """
    from pavilion_ai.spec import is_program, names_file

    lines = []
    for seat, agent in enumerate(record.agents):
        spec = agent.get("spec", "")
        if is_program(spec):
            lines.append(f"{file}: seat {seat} is the program {shown(spec)}, and a record starts no"
                         " programs; name it in --seats, or give --trust")
        elif names_file(spec):
            lines.append(f"{file}: seat {seat} is {shown(spec)}, and a record opens no files;"
                         " name it in --seats, or give --trust")
    if lines:
        raise CommandError(lines)


def _resumed(
    record: GameRecord,
    specs: tuple[str, ...],
    wanted: dict[str, str | int | None],
    resume: bool,
) -> Session:
    from pavilion_ai.cli.session import Session, clock_set

    start = record.start
    found = {
        "--game": start.game,
        "--board": start.board,
        "--players": start.players,
        "--seed": record.seed,
        "--clock": clock_set(record) or "none",
    }
    for option, value in wanted.items():
        if value is not None and value != found[option]:
            raise CommandError(
                f"{option} {value}: the record holds an unfinished game with"
                f" {option.removeprefix('--')} {found[option]}; finish it or use another file"
            )
    _check_count(specs, start.players)
    seated = ",".join(agent.get("spec", "") for agent in record.agents)
    if specs and not resume and ",".join(specs) != seated:
        raise CommandError(
            f"--seats {','.join(specs)}: the record holds an unfinished game with seats {seated};"
            " finish it, use another file, or give --resume to resume with other seats"
        )
    session = Session.resume(record, specs)
    note(f"resuming game {record.id}, {plural(len(record.moves), 'move')} played")
    return session


def _start(
    game: str | None,
    board: str | None,
    players: int | None,
    source: str | None,
    seed: int,
    named: int,
) -> Position:
    if source is None:
        counted = "--seats" if players is None and named else "--players"
        rules, board, players = the_variant(
            game, board, (named or None) if players is None else players, counted)
        return rules.new(board=board, players=players, seed=seed)
    if (game, board, players) != (None, None, None):
        raise CommandError("--from gives game, board and players; leave those options out")
    return read_position(source)


def _new_session(
    start: Position, specs: tuple[str, ...], seed: int, earlier: Sequence[GameRecord],
    clock: TimeControl | None,
) -> Session:
    from pavilion_ai.cli.session import Session
    from pavilion_ai.clock import Clocks
    from pavilion_ai.play import Play

    _check_count(specs, start.players)
    clocks = None if clock is None else Clocks([clock] * start.players)
    return Session(id=free_id(seed, earlier), seats=specs, play=Play(start, seed=seed),
                   clocks=clocks)


def _check_count(specs: tuple[str, ...], players: int) -> None:
    if specs and len(specs) != players:
        raise CommandError(f"--seats names {plural(len(specs), 'seat')}, the game has {players}")
