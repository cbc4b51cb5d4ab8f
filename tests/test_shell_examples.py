"""Shell examples of README and docs, run at toy size; what is shown beside them is kept in step.

Examples are lines behind `$ ` in fences of `console`, and lines that begin with a program in
fences without a language and in indented blocks; other lines of these are output.

Blocks that train, build the extension or call programs of `bench` run in a checkout made for them,
with small recipes, where the libraries for that are installed.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.older import COMMITS
from pavilion_ai import _core
from tests.cli.support import BONUS, EXAMPLES, GAME, NOT_COPIED, ROOT, environment
from tests.cli.warm import Warm

DEVELOPING = (r"pavilion train|masked_ppo|setup\.py|fit_heuristics|git worktree"
              r"|python -m bench\.")
"""What needs a checkout of its own, and torch, Cython and setuptools."""
HISTORY = "python -m bench.older"
"""What needs the project's history."""
SIGNALLED = "web"
"""Commands of `pavilion` that a signal ends."""
SERVERS = "dask "
"""What goes on until the next command that is no such one has ended."""
PROGRAMS = r"(?:pavilion|pip|python|pytest|git|dask|env|[A-Z_]+=\S+) "
BLOCK = re.compile(
    r"(?:^```(?P<language>\w*)\n(?P<fenced>(?:(?!```).*\n)*)```$"
    r"|(?<=\n\n)(?P<indented>(?:    .*\n(?:\n(?=    ))?)+))", re.MULTILINE)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROSE = [
    ("README.md", "pavilion suggest examples/round3_draft_2p.code", "seat 1 to move, wins 51"),
    ("README.md", "pavilion suggest typed.txt --time 0.5 --top 2", "note: seat 0: not given"),
    ("README.md", "pavilion show examples/azul_round4_close_2p.code --format text",
     "Round 4, started"),
    ("README.md", "pavilion suggest examples/azul_round4_close_2p.code --time 1 --top 2",
     "seat 1 to move, wins 41"),
    ("README.md", "pavilion review examples/game_2p.jsonl --sims 5000", " ply  round"),
]
"""Outputs in blocks of their own: the document, the command that the text names, the beginning."""
SMALL = [
    (r"--pairs \d{2,}(?=.* first.jsonl)", "--pairs 3"),
    (r"--pairs \d{2,}", "--pairs 2"),
    (r"--rounds \d\b", "--rounds 2"),
    (r"--rounds \d{2,}", "--rounds 1"),
    (r"--(count|games|generations|positions) [1-9]\d*", r"--\1 1"),
    (r"--sims \d{2,3}\b", "--sims 10"),
    (r"--trials \d+", "--trials 2"),
    (r"--rollout \d+", "--rollout 20"),
    (r"(?<=examples/game_2p.jsonl )--sims \d{4,}", "--sims 800"),  # fewer mark nothing
    (r"(bench.calibration .*)--sims \d{4,}", r"\1--sims 4"),
    (r"--sims \d{4,}", "--sims 100"),
    (r"\bsims=\d{3,}", "sims=10"),
    (r"--(time|time-per-move) [\d.]+", r"--\1 0.002"),
    (r"\btime=[\d.]+", "time=0.002"),
    (r"(--clock |\bclock=)[\d.]+(\+[\d.]+)?", r"\g<1>0.3+0.002"),
    (r"(bench\S+ .*--games \d+$)", r"\1 --sims 4"),
    (r"(bench\S+ .*--seconds) [1-9]\d*", r"\1 3.0 --sims 4"),
    (r"(bench.level_losses .*--seconds 0\b)(?!\.)", r"\1 --sims 4"),    # as those in the file
    (r"--seconds \d+(?![.\d])", "--seconds 0.01"),
    (r"--(jobs|processes|nworkers) \d+", r"--\1 1"),
    (r"\blevel=[N4-9]\b", "level=1"),
    (r"--minutes \d+", "--minutes 0.01 --envs 4 --turns 8 --pairs 1"),
    (r"^(dask scheduler)", r"\1 --host HOST --port 8786 --no-dashboard"),
    (r"\bHOST\b(.*)8786", r"127.0.0.1\g<1>$PORT"),
    (r"\bpytest bench ", "pytest bench -k 'copy or push_and_pop' --benchmark-max-time 0.01 "),
    (r"(bench.startup)", r"\1 --runs 1 --slack 1000"),
    (r"(bench.deadlines)", r"\1 --requests 1 --busy 1 --seconds 0.01"),
    (r"-m pytest tests/test_threads.py tests/rules .*", "-m pytest tests/test_links.py"),
    (r"\bpytest\b(?!.*\b(tests/|bench\b))", "pytest tests/test_links.py"),
    (r"PAVILION_LOCKSTEP=\d+", "PAVILION_LOCKSTEP=0.01"),
    (r"(bench.environments)", r"\1 --seconds 0.01"),
    (r"(bench.other_environments|bench.against_reference)", r"\1 --rounds 1 --seconds 0.01"),
    (r"(bench.clock_match .*)", r"\1 --pairs 1"),
    (r"--times .*", "--times 0.001 0.002 --judge 100"),
    (r"--playouts \d+", "--playouts 2"),
    (r"PAVILION_INTERRUPTS=\d+ (.*?)(?= #|$)", r"PAVILION_INTERRUPTS=1 \1 -k suggest"),
]
"""How numbers are made small."""
SMALL_RECIPE = [
    (r'"(games|times|pairs)": \d+', r'"\1": 1'),
    (r'"(full_sims|fast_sims|sims)": \d+', r'"\1": 4'),
    (r'"hidden": \[\d+, \d+\]', '"hidden": [32, 16]'),
]
"""How recipes are made small."""
LADDER = r"pavilion tournament [^|>&#]*--system ladder[^|>&#]*[^|>&#\s]"
"""A tournament in which everybody plays the next in line."""
AGENT = r"(?<= )(?:default|ismcts|uct|policy|greedy|random)\b\S*"
UNLIMITED = {
    "suggest": "--sims 100",
    "play": "--sims 10",
    "review": "--sims 2",
    "match": "--sims 10",
    "tournament": "--sims 10",
    "rollout": "--sims 20 --trials 2 --agent greedy",
    "openings": "--sims 10",
    "puzzles": "--count 1",
    "web": "--port 0 --no-open",
    "train": "--games 1 --generations 1",
}
"""What commands are given that have no such option."""
LIMITS = r"--(sims|time|time-per-move|clock|solo)\b|engine.py. random"
"""What limits searches; in the last case it is shown that a default does."""
REPEATED = {"match": "--pairs 1", "tournament": "--rounds 1", "bench": "--seconds 0.01",
            "openings": "--count 1"}
ONE = dict.fromkeys(("match", "tournament", "review", "stats", "puzzles", "openings"), "--jobs 1")
"""One process of workers: to start another takes longer than what it has to do."""
INSTEAD = {
    "pavilion solve POS": "ENDING",
    "pavilion apply POS bonus": str(BONUS.relative_to(ROOT)),
}
"""Other positions for commands in which that of the others does not fit."""
LOSSES = """python -c '
import json
from bench.measuring import VARIANTS
game = json.loads(open("losses.jsonl").readline())
for name in VARIANTS:
    for level in range(1, 11):
        for seed in (1, 2):
            print(json.dumps({**game, "variant": name, "level": level, "seed": seed}))
' > all.jsonl; mv all.jsonl losses.jsonl"""
"""Two games of each level in each variant, all of them like the first."""
BEFORE = {
    "pavilion report x.jsonl": "(cat a.jsonl; head -n 1 b.jsonl) > x.jsonl",
    "pavilion dataset games.jsonl": "cp more.jsonl games.jsonl",
    "pavilion review games.jsonl": "cp more.jsonl games.jsonl",
    "pavilion stats games.jsonl": "cp more.jsonl games.jsonl",
    "pavilion stats mine.jsonl": "cp more.jsonl mine.jsonl; cp more.jsonl theirs.jsonl",
    "pavilion match policy ismcts:sims=11":
        "pavilion match policy ismcts:sims=10 --pairs 1 --out lock.jsonl",
    "pavilion verify pretty.jsonl": "python -m json.tool examples/game_2p.jsonl > pretty.jsonl",
    "pavilion verify latin.jsonl":
        "sed 's/default:level=9/\\xe9/' examples/game_2p.jsonl > latin.jsonl",
    "pavilion solve POS": "pavilion replay examples/game_2p.jsonl --ply 168 > ENDING",
    "pavilion review first.jsonl": "pavilion match greedy policy --pairs 3 --out first.jsonl",
    "python -m bench.afterstates OTHER.net --game azul --players 3 --games":
        "cp pavilion_ai/nets/azul-coloured-3.net OTHER.net",
    "python -m bench.afterstates OTHER.net --game azul --players 3 --board grey":
        "cp pavilion_ai/nets/azul-grey-3.net OTHER.net",
    "python -m bench.afterstates OTHER.net --game azul --players 4":
        "cp pavilion_ai/nets/azul-coloured-4.net OTHER.net",
    "python -m bench.afterstates anew.net values.net":
        "for name in anew values; do cp pavilion_ai/nets/azul-coloured-3.net $name.net; done",
    "python -m bench.level_losses losses.jsonl --seconds 0": LOSSES,
    "pavilion report first.jsonl second.jsonl":
        "pavilion match greedy policy --pairs 1 --seed 2 --out second.jsonl",
}
"""What makes the files of a command, if those of all commands do not fit."""
UNCOMPARED = {
    "pavilion play --from": "typed, and compared, in tests/cli/test_docs.py",
    "pavilion engine": "abridged; objects are compared in tests/protocol/test_docs.py",
    "pavilion play --solo": "a person's game",
    "pavilion report x.jsonl": "two games of one id, in tests/match",
}
"""Commands whose output is not compared with what is shown."""


@dataclass
class Example:
    """A command of a document, and the output that is shown beside it.

    If anything of its block trains or builds, `developing` names the block.
    """

    document: str
    line: int
    command: str
    shown: list[str] = field(default_factory=list)
    whole: bool = True
    developing: str = ""

    def __str__(self) -> str:
        return f"{self.document}:{self.line}: {self.command}"


def examples(path: Path) -> list[Example]:
    """Return the examples of a document."""
    text = path.read_text(encoding="utf-8")
    found: list[Example] = []
    for block in BLOCK.finditer(text):
        of_this = [*of_block(block, path, text)]
        if any(re.search(DEVELOPING, example.command) for example in of_this):
            for example in of_this:
                example.developing = str(of_this[0])
        found += of_this
    for document, command, beginning in PROSE:
        if path == ROOT / document:
            (place,) = re.finditer(f"^    {re.escape(beginning)}.*\n(?:(?:    .*)?\n)*", text, re.M)
            number = text.count("\n", 0, place.start()) + 1
            shown = [line[4:] for line in place[0].splitlines()]
            found.append(Example(document, number, command, shown, whole=False))
    return found


def of_block(block: re.Match[str], path: Path, text: str) -> Iterator[Example]:
    """Yield the examples of a block."""
    name = "fenced" if block["fenced"] is not None else "indented"
    if name == "fenced" and block["language"] not in ("", "console"):
        return
    sign = r"\$ " if block["language"] == "console" else f"(?={PROGRAMS})"
    number = text.count("\n", 0, block.start(name)) + 1
    lines = block[name].splitlines()
    if name == "indented":
        lines = [line[4:] for line in lines]
    current: Example | None = None
    for place, line in enumerate(lines):
        if re.match(sign, line):
            if current is not None:
                yield current
            current = Example(path.relative_to(ROOT).as_posix(), number + place,
                              re.sub(f"^{sign}", "", line))
        elif current is not None and current.command.endswith("\\"):
            current.command = f"{current.command[:-1].rstrip()} {line.strip()}"
        elif current is not None:
            current.shown.append(line)
    if current is not None:
        yield current


def without_repeats(match: re.Match[str]) -> str:
    """Return a ladder in which agents that are the same by now stand once; it needs three."""
    agents = re.findall(AGENT, match[0])
    kept = [*dict.fromkeys(agents)]
    kept += agents[-1:] * (3 - len(kept))
    others = [word for word in match[0].split() if word not in agents]
    return " ".join([*others[:2], *kept, *others[2:]])


def toy(command: str) -> str:
    """Return a command at toy size."""
    for pattern, small in SMALL:
        command = re.sub(pattern, small, command)

    def limited(match: re.Match[str]) -> str:
        name, words = match[1], match[2]
        for extra in (UNLIMITED.get(name, ""), REPEATED.get(name, ""), ONE.get(name, "")):
            given = LIMITS if "--sims" in extra else re.escape(extra.partition(" ")[0])
            if extra and not re.search(given, words):
                words = f" {extra}{words}"
        return f"pavilion {name}{words}"

    command = re.sub(LADDER, without_repeats, command)
    command = re.sub(r"pavilion (\w+)((?:'[^']*'|\"[^\"]*\"|[^|>&#'\"])*)", limited, command)
    return re.sub(r"^pavilion web\b", "timeout --preserve-status -s INT 3 pavilion web", command)


ALL = {path: examples(path) for path in DOCUMENTS}
POSITION = """\
game: summer
round: 3
to move: 0
displays: PPBY GGRB PGRB - YYBB
centre: R
supply: PPGGOOYYBR
"""
"""A position in which the moves that the documents name are legal: POS in examples."""


LIBRARIES = [str(ROOT), *(place for place in sys.path if place.endswith("site-packages"))]
"""Where commands find everything without `site` (-S), which takes half of their start."""
PIP = """\
import re, sys
words = sys.argv[1:]
text = open('pyproject.toml', encoding='utf-8').read()
assert words[0] == 'install', words
for extra in re.findall(r'\\[(.+?)\\]', ' '.join(words)):
    assert all(re.search(rf'^{name} = \\[', text, re.M) for name in extra.split(',')), extra
"""
"""What runs in place of pip: nothing is installed, but the extras must exist."""


PLAIN = "-p no:cacheprovider -p no:anyio -p no:hypothesispytest"
"""Options of `pytest` where examples run: these plugins take longer than the tests."""
COMMAND = f'exec "{sys.executable}" -S -m pavilion_ai "$@"'
"""What `pavilion` is where examples run."""


def prepare(folder: Path, command: str = COMMAND) -> None:
    """Put into a folder what the examples assume to be there."""
    for name in ("examples", "bench", "tests", "tools", "docs", "pyproject.toml"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    for name in ("POS", "my_position.txt"):
        (folder / name).write_text(POSITION, encoding="utf-8")
    cli = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^pavilion-ai .*\n(?:(?!\$).*\n)+", cli, re.M)
    (folder / "table.txt").write_text(table, encoding="utf-8")
    shutil.copy(GAME, folder / "more.jsonl")
    (folder / "first.py").symlink_to(EXAMPLES / "engine.py")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"(?:^    .*\n|\n)+", readme, re.M)
    (of_readme,) = [text for text in shown if "\n    game: summer\n" in text]
    (folder / "typed.txt").write_text(textwrap.dedent(of_readme), encoding="utf-8")
    bga = ROOT / "tests" / "data" / "bga"
    for name, packed in (("replay.html", "azul_grey_2p.replay.html.gz"),
                         ("log.json", "azul_coloured_2p.json.gz")):
        (folder / name).write_bytes(gzip.decompress((bga / packed).read_bytes()))
    programs = folder / "programs"
    programs.mkdir()
    for name, line in (("pavilion", command),
                       ("python", f'exec "{sys.executable}" -S "$@"'),
                       ("dask", f'exec "{sys.executable}" -S -m dask "$@"'),
                       ("pytest", f'exec "{sys.executable}" -S -m pytest {PLAIN} "$@"'),
                       ("quick-cc", f'exec {os.environ.get("CC", "gcc")} "$@" -O0'),
                       ("pip", f'exec "{sys.executable}" -c {shlex.quote(PIP)} "$@"')):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (programs / name).chmod(0o755)


def words(line: str) -> list[str]:
    """Return the words of a line of output, without what depends on the moves and their values."""
    line = re.sub(r"\S*[:=]\S+|\S+\.\d\S*|\(.*?\)", " ", line)
    return re.findall(r"[A-Za-z]{3,}", line)


VARYING = {
    "accept", "accepted", "after", "and", "better", "black", "blue", "centre", "completes", "cost",
    "display", "floor", "from", "goes", "green", "keep", "least", "line", "more", "most", "one",
    "orange", "over", "pass", "paying", "place", "point", "points", "purple", "red", "rest",
    "simulation", "simulations", "star", "start", "supply", "take", "the", "to", "token", "under",
    "white", "wild", "with", "worth", "yellow",
}
"""Words that say what a move is, or depend on a value."""


def out_of_step(example: Example, found: str) -> list[str]:
    """Return what is shown and not found, or headings that are found and not shown."""
    shown = example.shown
    if not shown or any(line.startswith("^C") for line in shown):
        return []    # nothing, or what was interrupted
    said = {word for line in shown for word in words(line)}
    there = {word for line in found.splitlines() for word in words(line)}
    lost = sorted(said - there - VARYING)
    if example.whole and "..." not in shown and len(shown) > 3:
        headings = [line.split() for line in shown]
        for line in found.splitlines():
            plain = words(line)
            heading = len(plain) > 1 and not re.search(r"\d", line) and not set(plain) & VARYING
            if heading and line.split() not in headings:
                lost.append(line)
    return lost


def run_all(chosen: list[Example], folder: Path, warm: Warm | None = None) -> None:
    """Run examples in a folder; commands, but for those that a signal ends, are forks of `warm`."""
    prepare(folder, COMMAND if warm is None else
            f'case $1 in {SIGNALLED}) {COMMAND};; *) {warm.script};; esac')
    wrong = []
    servers: list[str] = []
    for example in chosen:
        if example.command.startswith(SERVERS):
            servers.append(f"{toy(example.command).partition(' #')[0]} &")
        else:
            wrong.append(run(example, folder, servers, () if warm is None else (warm.line,)))
            servers = []
    assert not any(wrong), "\n\n".join(wrong)


def run(example: Example, folder: Path, servers: list[str], inherited: tuple[int, ...]) -> str:
    """Run an example beside servers; return what is wrong with it, or nothing."""
    command = example.command
    path = f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}"
    before = [line for beginning, line in BEFORE.items() if command.startswith(beginning)]
    for beginning, place in INSTEAD.items():
        if command.startswith(beginning):
            command = re.sub(r"\bPOS\b", place, command)
    if servers:
        servers = ["trap 'kill $(jobs -p)' EXIT", *servers]
    script = "\n".join([*servers, *before, toy(command)])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, text=True, capture_output=True,
        input="".join(f"{line}\n" for line in typed(example)), timeout=300, check=False,
        env=environment(PATH=path, PYTHONPATH=os.pathsep.join([str(folder), *LIBRARIES]),
                        CC=f"{folder}/programs/quick-cc", XDG_DATA_HOME=str(folder),
                        PORT=str(free_port())),
        pass_fds=inherited)
    printed = re.sub(  # `toy` also limits what needs no limit
        "^note: --sims has no effect on .*\n", "", done.stdout + done.stderr, flags=re.M)
    refused = any(line.startswith("error: ") for line in example.shown)
    expected = (1, 2) if refused else (130,) if command.startswith("pavilion web") else (0,)
    wrong = "" if done.returncode in expected else f"exit code {done.returncode}"
    if not wrong and not command.startswith(tuple(UNCOMPARED)):
        wrong = ", ".join(out_of_step(example, printed))
    return f"{example}\n    {script}\n    {wrong}\n{printed[:2000]}" if wrong else ""


def free_port() -> int:
    """Return a port that nobody has."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def typed(example: Example) -> list[str]:
    """Return what is typed into a command."""
    if example.command == "pavilion engine":
        return [line for line in example.shown if '"action"' in line and "..." not in line]
    return ["quit"]


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm | None]:
    """A process whose forks are commands, where tests/cli/test_interrupts.py has one, too."""
    if not Path("/proc/self/stat").exists():
        yield None
        return
    found = Warm("-S", environment=environment(PYTHONPATH=os.pathsep.join(LIBRARIES)))
    yield found
    found.close()


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if ALL[path]],
                         ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_run(path: Path, tmp_path: Path, warm: Warm | None) -> None:
    folder = tmp_path / "here"
    (folder / "run").mkdir(parents=True)    # of `pavilion train`, left out here
    shutil.copy(ROOT / "pavilion_ai" / "nets" / "summer-coloured-2.net", folder / "run")
    (tmp_path / "before").symlink_to(ROOT)    # a checkout of another version
    run_all([example for example in ALL[path] if not example.developing], folder,
            warm if path.parent != ROOT else None)    # the README's as a user runs them


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with this checkout as it is, changed or not, and a version before it.

    Its recipes are small. It has the project's history if this checkout has.
    """
    folder = tmp_path_factory.mktemp("repository") / "pavilion-ai"
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    for recipe in (folder / "pavilion_ai" / "train" / "recipes").iterdir():
        text = recipe.read_text(encoding="utf-8")
        for pattern, small in SMALL_RECIPE:
            text = re.sub(pattern, small, text)
        recipe.write_text(text, encoding="utf-8")
    for words in ("init", "add -A", "commit -m before", "commit --allow-empty -m now"):
        git(folder, "-c", "user.name=test", "-c", "user.email=test", *words.split())
    history = git(ROOT, "rev-parse", "--path-format=absolute", "--git-path", "objects", check=False)
    if history.returncode == 0:
        (folder / ".git" / "objects" / "info" / "alternates").write_text(history.stdout)
    return folder


def git(folder: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Call git in a folder."""
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=check)


BLOCKS = sorted({example.developing for found in ALL.values() for example in found} - {""})


@pytest.mark.build
@pytest.mark.skipif(not all(map(find_spec, ("torch", "Cython", "setuptools"))),
                    reason="torch, Cython or setuptools is not installed")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.partition(": ")[0])
def test_examples_that_train_or_build_run(block: str, repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    subprocess.run(["git", "clone", "-q", repository, folder], check=True)
    core = Path(_core.__file__)
    shutil.copy2(core, folder / core.relative_to(ROOT))    # as after the installation in place
    shutil.copytree(folder / "pavilion_ai" / "nets", folder / "OLDER")
    chosen = [example for found in ALL.values() for example in found if example.developing == block]
    history = all(git(folder, "cat-file", "-e", f"{commit}^{{commit}}", check=False).returncode == 0
                  for commit in COMMITS.values())
    left = [one for one in chosen if one.command.startswith(HISTORY) and not history]
    run_all([example for example in chosen if example not in left], folder)
    if left:
        pytest.skip(f"no history in this checkout, left out: {left[0]}")


def test_there_are_examples() -> None:
    assert sum(map(len, ALL.values())) > 170
