"""The house stays as docs/development.md draws it: who may import whom, and who names a game."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pavilion_ai.position import TABLES

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pavilion_ai"

# Each room may import only what stands in a line above its own (and itself).
ORDER = (
    ("errors",),
    ("version", "bounds", "deprecation", "encoded", "drawn", "frozen", "interrupts", "processors",
     "wording"),
    ("files", "limits", "zipped"),
    ("untrusted",),
    ("position",),
    ("notation",),
    ("tunables",),
    ("games",),
    ("network",),
    ("record",),
    ("play",),
    ("seeds", "luck"),
    ("bga",),
    ("analysis", "focus"),
    ("clock",),
    ("spec",),
    ("readings",),
    ("rivals", "form", "sums", "lateness"),
    ("pace", "effort"),
    ("search",),
    ("forecast", "levels", "solve"),
    ("exact",),
    ("external",),
    ("agents",),
    ("workers",),
    ("stats",),
    ("match",),
    ("rollout",),
    ("facts",),
    ("review",),
    ("puzzles", "solo"),
    ("bench",),
    ("train",),
    ("render",),
    ("envs",),
    ("protocol",),
    ("web",),
    ("cli",),
    ("__init__", "__main__"),
)
FRAGMENT = re.compile(r'"""Of |^ +[*a-z]\w*(, [*a-z]\w*)*: (after|at|before|between|by|for|from'
                      r"|in|into|of|on|that|to|with)\b", re.M)
"""Docstrings, and descriptions of arguments, that lack their noun."""
DECODING = {"untrusted.py", "record/game.py", "match/ledger.py", "games/measured.py"}
"""Files that decode JSON: strictly, or what the package has written just before, or ships."""
FLOOR = {room: number for number, rooms in enumerate(ORDER) for room in rooms}
MAY_IMPORT_CORE = {
    *("tunables", "games", "network", "readings", "rivals", "form", "sums", "search", "agents"),
    *("bench", "train", "envs"),
}
KNOWN_CYCLES = {
    # `describe` needs the table of the games, and what draws a result as text needs `describe`.
    ("render", "render.analysis_html", "render.analysis_text", "render.review_text",
     "render.rollout_text", "render.solve_text"),
    # `Review.to_json` includes totals, which are sums over reviews.
    ("review.across", "review.game", "review.json_form", "review.totals"),
}
"""Modules of one room that import each other all the same, inside functions."""

# The same for the files of the C level. The tree and blocks that grow know no rules.
C_ORDER = (
    "system",
    "together",
    "utility",
    "tree",
    "compaction",
    "growing",
    "bits",
    "rng",
    "net",
    "tiles",
    "linear",
    "bag",
    "finish",
    "azul",
    "azul_chance",
    "azul_moves",
    "azul_actions",
    "azul_features",
    "azul_inputs",
    "azul_policy",
    "azul_sound",
    "summer",
    "summer_chance",
    "summer_moves",
    "summer_actions",
    "summer_features",
    "summer_inputs",
    "summer_policy",
    "summer_finish",
    "summer_sound",
    "rules",
    "sight",
    "scratch",
    "leaf",
    "counting",
    "deals",
    "search",
    "reading",
    "team",
    "self_play",
    "batch",
    "guided",
    "any_state",
)
C_HEADERS = {
    "bits.h": {"bits"},
    "compiler.h": {"tree"},
    "system.h": {"system"},
    "together.h": {"together"},
    "tiles.h": {"tiles"},
    "gumbel.h": {"linear"},
    "summer_tables.h": {"summer", "summer_moves"},
    "summer_actions.h": {"summer_actions"},
    "azul_tables.h": {"azul", "azul_chance", "azul_moves", "azul_features", "azul_inputs"},
    "azul_weights.h": {"azul_features"},
    "summer_weights.h": {"summer_features"},
    "net.h": {"net"},
    "order.h": {"tree"},
    "utility.h": {"utility"},
}

REGISTRIES = {
    "position/__init__.py", "games/__init__.py", "render/__init__.py", "render/pictures.py",
    "bga/__init__.py", "facts/__init__.py",
}
CHOOSE_THE_GAME = {"rules.pxd", "sight.pxd", "any_state.pxd"}
"""Files of the C level that tell the games apart for all others."""


def modules() -> list[Path]:
    """List the Python files of the package, as paths below it, but for the place of the core."""
    return sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")
                  if path.name != "_core.py")


def generic_modules() -> list[Path]:
    """List the files that serve every game: all but a game's own and the tables of games."""
    return [
        path
        for path in modules()
        if path.as_posix() not in REGISTRIES
        and path.stem.split("_")[0] not in TABLES
    ]


def room_of(path: Path) -> str:
    """Return the room that a file belongs to: a module or a package of `pavilion_ai`."""
    return path.parts[0].removesuffix(".py")


def parsed(path: Path) -> ast.Module:
    """Parse a file of the package."""
    return ast.parse((PACKAGE / path).read_text(encoding="utf-8"), str(path))


def imported_names(path: Path) -> Iterator[str]:
    """Yield what a file imports of the package, `games.base.Rules`, inside functions included."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the import in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, inner = name.partition(".")
            if package == PACKAGE.name:
                yield inner or "__init__"


def imported_rooms(path: Path) -> Iterator[str]:
    """Yield the room of every import of a file."""
    return (name.split(".")[0] for name in imported_names(path))


def imports_within_rooms() -> dict[str, set[str]]:
    """Return which other modules of its own room each module imports; a room is its `__init__`."""
    homes = {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path
             for path in modules()}
    found: dict[str, set[str]] = {home: set() for home in homes}
    for home, path in homes.items():
        for name in imported_names(path):
            if name.split(".")[0] == room_of(path):
                while name not in homes:
                    name = name.rpartition(".")[0]
                found[home].add(name)
    return found


def cycles(imports: dict[str, set[str]]) -> set[tuple[str, ...]]:
    """Return the modules that import each other, directly or through others."""
    reached = {}
    for start in imports:
        seen: set[str] = set()
        open_ones = [start]
        while open_ones:
            new = imports[open_ones.pop()] - seen
            seen |= new
            open_ones += new
        reached[start] = seen
    return {tuple(sorted(other for other in reached[one] if one in reached[other]))
            for one in imports if one in reached[one]}


def upward(path: Path) -> list[str]:
    """List the rooms that a file imports and must not."""
    room = room_of(path)
    return sorted(
        target
        for target in set(imported_rooms(path)) - {room}
        if (room not in MAY_IMPORT_CORE if target == "_core" else FLOOR[target] >= FLOOR[room])
    )


def names_in_code(path: Path) -> Iterator[tuple[int, str]]:
    """Yield names and strings of a file with their lines; docstrings and comments are prose."""
    tree = parsed(path)
    prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if node not in prose:
                yield node.lineno, text
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield node.lineno, name.lower()
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name.lower()
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from ((node.lineno, alias.name.lower()) for alias in names)


def c_files() -> list[Path]:
    """List the files of the C level but for the empty one that makes it a package."""
    return [path for path in sorted(PACKAGE.glob("_c/*.pxd")) if path.stem != "__init__"]


def border_files() -> list[Path]:
    """List the files of the core's classes and functions for Python."""
    return [*sorted(PACKAGE.glob("*.pxi")), PACKAGE / "_core.pyx"]


def generic_c_files() -> list[Path]:
    """List the files of the C level and of the core's classes that serve every game."""
    return [path for path in [*sorted(PACKAGE.glob("_c/*.[hp]*")), *sorted(PACKAGE.glob("*.pxi"))]
            if path.name not in CHOOSE_THE_GAME
            and path.stem.strip("_").split("_")[0] not in TABLES]


def test_every_room_has_its_place_in_the_order() -> None:
    assert {room_of(path) for path in modules()} <= set(FLOOR)


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_go_down(path: Path) -> None:
    assert upward(path) == []


def test_modules_of_a_room_do_not_import_each_other() -> None:
    assert cycles(imports_within_rooms()) == KNOWN_CYCLES


def test_a_cycle_is_found_however_long_it_is() -> None:
    imports = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": set(), "f": {"f"}}
    assert cycles(imports) == {("b", "c"), ("f",)}
    assert cycles(imports | {"e": {"a"}}) == {("a", "b", "c", "d", "e"), ("f",)}


def test_foreign_json_has_one_decoder() -> None:
    """Other JSON text than the package's own goes through `untrusted`, which decodes strictly."""
    decoding = re.compile(r"\bjson\.(loads?\b|JSONDecoder|decoder)|from json import|import json as"
                          r"|\bp?ickle\.loads?|import (pickle|marshal|shelve)|allow_pickle=True"
                          r"|weights_only=False|\beval\(")
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")
             if decoding.search(path.read_text())}
    assert found == DECODING


def test_no_interrupted_search_is_taken_for_a_whole_one() -> None:
    """Who searches hands the analysis on as it is, or looks whether a signal has ended it."""
    found = []
    for path in modules():
        for function in ast.walk(parsed(path)):
            if not isinstance(function, ast.FunctionDef) or function.name == "analyse":
                continue
            inner = list(ast.walk(function))
            if any(isinstance(node, ast.Attribute) and node.attr in ("interrupted", "pass_on")
                   for node in inner):
                continue
            whole = {id(node.args[0]) for node in inner if isinstance(node, ast.Call)
                     and isinstance(node.func, ast.Name) and node.func.id == "uninterrupted"}
            whole |= {id(node.value) for node in inner if isinstance(node, ast.Return)}
            found += [f"{path}:{node.lineno}" for node in inner if isinstance(node, ast.Call)
                      and isinstance(node.func, ast.Attribute) and node.func.attr == "analyse"
                      and id(node) not in whole]
    assert not found


def test_frozen_dataclasses_hold_nothing_that_can_be_changed() -> None:
    found = [f"{path}: {node.name}.{ast.unparse(field)}"
             for path in modules() for node in ast.walk(parsed(path))
             if isinstance(node, ast.ClassDef)
             and any("frozen=True" in ast.unparse(one) for one in node.decorator_list)
             for field in node.body if isinstance(field, ast.AnnAssign)
             and re.match(r"(list|dict|set|bytearray)\b", ast.unparse(field.annotation))]
    assert not found


def test_names_are_listed_only_where_a_module_passes_some_on() -> None:
    """Elsewhere `__all__` would be a second list of what stands below it; `envs` is public."""
    found = []
    for path in modules():
        lists = {name: node for node in parsed(path).body for name in _defined(node)}
        listed = lists.pop("__all__", None)
        public = path.name == "__init__.py" or path.parts[0] == "envs"
        if not public and isinstance(listed, ast.Assign):
            found += [str(path)] if {*ast.literal_eval(listed.value)} <= {*lists} else []
    assert not found


def _defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines, other than by an import."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)
                and isinstance(one.ctx, ast.Store)]
    return []


def test_docstrings_begin_with_what_they_describe() -> None:
    """`seed: of all draws` says less in `help()` than `seed: seed of all draws`."""
    files = [*(PACKAGE / path for path in modules()), *c_files(), *border_files()]
    found = [f"{path.name}: {match.group().strip()}" for path in files
             for match in FRAGMENT.finditer(path.read_text("utf-8"))]
    assert not found


def test_nothing_is_imported_behind_the_back_of_these_tests() -> None:
    hidden = [
        str(path)
        for path in modules()
        if re.search(r"\bimport_module\b|\b__import__\b", (PACKAGE / path).read_text("utf-8"))
    ]
    assert hidden == ["__init__.py", "cli/program.py", "drawn.py"]  # the second: its own commands


def test_what_tests_share_stands_in_no_test() -> None:
    importing = re.compile(r"^\s*(from [\w.]*\btest_\w+ import|from [\w.]+ import .*\btest_\w+"
                           r"|import [\w.]*\btest_)", re.M)
    found = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")
             if importing.search(path.read_text("utf-8"))]
    assert not found


@pytest.mark.parametrize("path", generic_modules(), ids=str)
def test_only_the_rooms_of_a_game_name_it(path: Path) -> None:
    named = [
        f"{path}:{line}: {text[:60]!r}"
        for line, text in names_in_code(path)
        for game in TABLES
        if re.search(rf"\b{game}|{game}\b", text)
    ]
    assert named == []


@pytest.mark.parametrize("path", c_files(), ids=lambda path: path.name)
def test_the_c_level_goes_down(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = set(re.findall(r"^\s*(?:from|cimport) pavilion_ai\._c\.(\w+)", text, re.MULTILINE))
    assert used <= set(C_ORDER[: C_ORDER.index(path.stem)])
    for header in re.findall(r'^cdef extern from "(\w+\.h)"', text, re.MULTILINE):
        assert path.stem in C_HEADERS[header]


def test_what_compilers_add_to_the_language_stands_in_one_header() -> None:
    added = r"__builtin_|__attribute__|__int128|__atomic|__sync|immintrin|arm_neon|__GNUC__"
    files = [path for path in (PACKAGE / "_c").iterdir() if path.suffix in (".h", ".pxd", ".pxi")]
    users = {path.name for path in [*files, *PACKAGE.glob("*.p[xy]*")]
             if re.search(added, path.read_text(encoding="utf-8"))}
    assert users == {"compiler.h"}


def c_names(text: str) -> set[str]:
    """List the functions, types and constants that a file of the C level defines."""
    enums = re.findall(r"^cdef enum:\n((?:    .*\n|\n)+)", text, re.MULTILINE)
    return {
        *re.findall(r"^cdef inline .*?(\w+)\(", text, re.MULTILINE),
        *re.findall(r"^ctypedef (?:struct|fused) (\w+)", text, re.MULTILINE),
        *(name for enum in enums for name in re.findall(r"^    (\w+) =", enum, re.MULTILINE)),
    }


def test_no_two_files_of_the_c_level_define_a_name() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in c_files()}
    owners: dict[str, list[str]] = {}
    for file, text in texts.items():
        for name in c_names(text):
            owners.setdefault(name, []).append(file)
    assert len(owners) > 400
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}


CIMPORT = re.compile(r"^from [\w.]+ cimport (\([^)]*\)|.*)$", re.MULTILINE)


def imported_and_used(path: Path) -> tuple[set[str], set[str]]:
    """Return the names that a file of the C level cimports, and those in its other code."""
    text = re.sub(r'"""(?:.|\n)*?"""|#.*', "", path.read_text(encoding="utf-8"))
    found = re.findall(r"\w+", re.sub(r"\w+ as ", "", " ".join(CIMPORT.findall(text))))
    return set(found), set(re.findall(r"(?<![.\w])\w+", CIMPORT.sub("", text)))


def test_the_c_level_uses_the_names_that_it_imports() -> None:
    unused = {}
    for path in [*c_files(), *border_files()]:
        imported, used = imported_and_used(path)
        unused[path.name] = imported - used
    assert {name: missing for name, missing in unused.items() if missing} == {}


def test_each_file_of_the_border_imports_the_c_names_that_it_uses() -> None:
    """It is included by another one, whose cimports it would have too."""
    names = {path.name: imported_and_used(path) for path in border_files()}
    every = set().union(*(imported for imported, _ in names.values()))
    assert len(every) > 200
    missing = {name: used & every - imported for name, (imported, used) in names.items()}
    assert {name: lacking for name, lacking in missing.items() if lacking} == {}


@pytest.mark.parametrize("game", TABLES)
def test_what_leaves_the_files_of_a_game_bears_its_prefix(game: str) -> None:
    users = [path for path in c_files() if not path.stem.startswith(game)]
    found = set()
    for path in [*users, *border_files()]:
        found |= set(re.findall(rf"^from pavilion_ai\._c\.{game}\w* cimport (\([^)]*\)|.*)$",
                                path.read_text(encoding="utf-8"), re.MULTILINE))
    names = set(re.findall(r"\w+", re.sub(r" as \w+", "", " ".join(found))))
    assert len(names) > 50
    assert [name for name in names if not name.lower().startswith(game)] == []


@pytest.mark.parametrize("path", generic_c_files(), ids=lambda path: path.name)
def test_the_c_level_names_a_game_only_where_its_rules_stand(path: Path) -> None:
    text = path.read_text(encoding="utf-8").lower()
    assert [game for game in TABLES if game in text] == []


def test_the_documentation_shows_the_order_that_is_tested() -> None:
    drawn = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    assert all(f"_c/{path.name}" in drawn for path in c_files())
    chain = " -> ".join(", ".join(rooms) for rooms in ORDER[:-1])
    assert chain in " ".join(drawn.split())
