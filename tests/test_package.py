"""What is installed: the parts of wheel and source distribution, the build flags, the imports."""

from __future__ import annotations

import ast
import doctest
import os
import pickle
import pkgutil
import platform
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pavilion_ai
from bench.startup import WHEEL_GOALS, wheel_parts
from pavilion_ai.focus import FocusError
from pavilion_ai.match.openings import OpeningsError
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.solve import TooLargeError
from tests.cli.support import NOT_COPIED
from tools.release_notes import CHANGELOG, release_notes

ROOT = Path(__file__).resolve().parent.parent
DEBUG_BUILD = os.environ.get("PAVILION_SANITIZE", "") not in ("", "0")
PACKAGE = ROOT / "pavilion_ai"
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages([str(PACKAGE)], "pavilion_ai.")
    if not module.name.endswith("__main__")
)

def python(code: str) -> str:
    """Run a line of Python in a fresh interpreter and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["pavilion_ai", *MODULES])
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("error", [
    FocusError("even", "is too large"), TooLargeError("too large", 9), BadRequest("no", "moves"),
    OpeningsError(["one", "two"])], ids=lambda error: type(error).__name__)
def test_errors_pass_from_process_to_process(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_public_names() -> None:
    assert sorted(pavilion_ai.__all__) == sorted(pavilion_ai._HOME)
    for name in pavilion_ai.__all__:
        assert getattr(pavilion_ai, name) is not None
        assert name in dir(pavilion_ai)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pavilion_ai.nothing  # noqa: B018


def test_a_type_checker_knows_each_public_name_and_no_other() -> None:
    body = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    first, second = (node for node in body if isinstance(node, ast.If))
    assert [ast.unparse(node.test) for node in (first, second)] == [
        "TYPE_CHECKING", "not TYPE_CHECKING"]
    assert {name.name for node in first.body if isinstance(node, ast.ImportFrom)
            for name in node.names} == {*pavilion_ai.__all__}
    assert [node.name for node in second.body if isinstance(node, ast.FunctionDef)] == [
        "__getattr__"]
    assert "__getattr__" not in [getattr(node, "name", "") for node in body]


def test_version() -> None:
    version = pavilion_ai.__version__
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


CHANGES = """# Changelog

## [Unreleased]
{}
## [0.2.0] - 2026-01-02

Two lines
of words.

### Fixed

- One of
  - 3.
- Two.

## [0.1.0]

- All.
"""


def test_a_release_is_described_by_its_section_of_the_changelog() -> None:
    notes = "Two lines of words.\n\n### Fixed\n\n- One of - 3.\n- Two.\n"
    for changelog in CHANGES.format(""), CHANGES.format("").replace("## [Unreleased]\n\n", ""):
        assert release_notes("v0.2.0", "0.2.0", changelog) == notes
    assert release_notes("v0.1.0", "0.1.0", CHANGES.format("")) == "- All.\n"
    version = pavilion_ai.__version__
    changelog = CHANGELOG.read_text(encoding="utf-8").replace("## [Unreleased]", "## [next]")
    assert "\n- " in release_notes(f"v{version}", version, changelog)


@pytest.mark.parametrize(("tag", "version", "unreleased", "problem"), [
    ("v0.3.0", "0.2.0", "", "the tag is v0.3.0, the version of the package 0.2.0"),
    ("v0.3.0", "0.3.0", "", "no section [0.3.0]"),
    ("v0.2.0", "0.2.0", "\n- New.\n", "entries under [Unreleased]"),
    ("v0.2.0", "0.2.0", "\n### Added\n", "entries under [Unreleased]"),
])
def test_a_tag_on_a_tree_that_is_no_release_is_refused(
    tag: str, version: str, unreleased: str, problem: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        release_notes(tag, version, CHANGES.format(unreleased))


@pytest.mark.parametrize("arguments", [(), ("v0.2.0", "v0.3.0")])
def test_release_notes_are_those_of_one_tag(arguments: tuple[str, ...]) -> None:
    ended = subprocess.run([sys.executable, "-m", "tools.release_notes", *arguments], cwd=ROOT,
                           capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "usage: python -m tools.release_notes vX.Y.Z\n")


def test_the_package_itself_imports_nothing() -> None:
    code = "import sys, pavilion_ai; print([m for m in sys.modules if 'pavilion_ai.' in m])"
    assert python(code) == "[]"


def test_the_python_api_needs_neither_colours_nor_arrays() -> None:
    slow = ("rich", "numpy", "click", "msgspec")
    code = (
        "import sys; from pavilion_ai import make_agent, parse_position;"
        f" print([m for m in {slow} if m in sys.modules])"
    )
    assert python(code) == "[]"


def test_modules_import_only_what_is_installed_with_them() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (declared,) = re.findall(r"^dependencies = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    ours = {*re.findall(r'"(\w+)', declared), "pavilion_ai", *sys.stdlib_module_names}
    foreign = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else
                     [alias.name for alias in node.names])
        if name.partition(".")[0] not in ours
    }
    assert not foreign


def test_types_of_click_have_no_parameters_where_they_are_used() -> None:
    """They are generic only from click 8.4 on, and older ones do as well."""
    assert not [
        (path.name, node.lineno)
        for path in (PACKAGE / "cli").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for base in node.bases
        if isinstance(base, ast.Subscript) and "click" in ast.unparse(base.value)
    ]


def test_every_dependency_has_a_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^\w+ = \[\n?(.*?)\]$", text, re.MULTILINE | re.DOTALL)
    names = set(re.findall(r'"([A-Za-z][\w-]*)(?:\[\w+\])?>=', " ".join(lists)))
    assert {"click", "cython", "torch", "atheris", "mkdocs-material", "setuptools"} <= names
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    reasons = page.partition("## Dependencies\n")[2].partition("\n## ")[0].lower()
    assert not {name for name in names if not re.search(rf"\b{name}\b", reasons)}


def test_extras_leave_open_spiel_out_where_no_version_of_it_can_be_installed() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needs = re.findall(r'"(open_spiel\b[^"]*)"', text)
    assert len(needs) == 2
    assert all("python_version >= '3.11'" in need for need in needs)


def readers_of(name: str) -> Iterator[Path]:
    """Yield the files of tests that read a variable, or import from one that does."""
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    own = [path for path, text in texts.items() if f'"{name}"' in text]
    for path, text in texts.items():
        names = {".".join(one.relative_to(ROOT).with_suffix("").parts) for one in own}
        names |= {f".{one.stem}" for one in own if one.parent == path.parent}
        if path in own or any(f"from {name} import" in text for name in names):
            yield path


def test_a_release_runs_at_full_size_what_is_smaller_here() -> None:
    """Every variable by which tests play more, and all of the variants."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    sizes = {*re.findall(r'environ(?:\.get\(|\[)?"?"(PAVILION_\w+)"', text),
             *re.findall(r'"(PAVILION_\w+)" in os\.environ', text)}
    sizes -= {"PAVILION_SANITIZE", "PAVILION_SNAPSHOTS"}    # a build, what is written
    assert len(sizes) == 5
    if not (ROOT / ".github").is_dir():
        pytest.skip("a source distribution has no workflows")
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    for name in sizes:
        files = {str(path.relative_to(ROOT)) for path in readers_of(name)}
        assert files
        for place in workflow, page:
            commands = re.findall(rf"\b{name}=\d+ pytest ((?:tests/[\w/.]+ ?)+)", place)
            assert any(all(file.startswith(tuple(command.split())) for file in files)
                       for command in commands), (name, files)
    assert "--variants" not in workflow


def test_ci_runs_with_torch_what_is_skipped_without_it() -> None:
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")
             if re.search(r"""importorskip\("torch"|not can_run\(""", path.read_text("utf-8"))}
    assert files
    if not (ROOT / ".ci").is_dir():
        pytest.skip("a source distribution has no .ci")
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    step = steps.partition("run_tests_with torch")[2].partition("}")[0]
    named = re.findall(r"tests/[\w/.]+", step)
    assert not {file for file in files if not file.startswith(tuple(named))}


def test_the_tests_of_a_wheel_find_their_files() -> None:
    """A release runs them in a folder that holds nothing but `test-sources`."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.partition("[tool.cibuildwheel]")[2].partition("\n[")[0]
    copied = re.findall(r'"([^"]+)"', section.partition("test-sources =")[2].partition("\n")[0])
    places = re.search(r'"pytest ([^"]+)"', section)
    assert places
    files = [file for file in (ROOT / "tests").rglob("*.py")
             if str(file.relative_to(ROOT)).startswith(tuple(places[1].split()))]
    used = {"/".join(re.findall(r'"([^"]+)"', path)): file.name for file in files
            for path in re.findall(r'(?:parents\[2\]|\bROOT)((?: / "[^"]+")+)',
                                   file.read_text(encoding="utf-8"))}
    assert {"bench/signature.txt", "docs/reference/python.md"} <= set(used)
    assert not {path: file for path, file in used.items()
                if not any(path == top or path.startswith(f"{top}/") for top in copied)}


def test_build_flags_are_portable() -> None:
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    flags = {text for text in strings if isinstance(text, str) and text.startswith("-")}
    assert "-ffp-contract=off" in flags
    assert not [flag for flag in flags if flag.startswith(("-march", "-mcpu", "-mtune", "-Ofast"))]
    assert not flags & {"-ffast-math", "-funsafe-math-optimizations", "-fassociative-math"}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("option", ["", "-ffast-math", "-Ofast", pytest.param(
    "-mfpmath=387", marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="not x86"))])
def test_a_build_whose_results_would_differ_is_refused(option: str) -> None:
    done = subprocess.run(
        ["gcc", "-fsyntax-only", *option.split(), "-x", "c", "pavilion_ai/_c/compiler.h"],
        cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (option == ""), done.stderr


def build(compiler: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what `setup.py` gives to a compiler."""
    class BuildExt:
        def build_extension(self, extension: SimpleNamespace) -> None:
            given.update(vars(extension))

    given: dict[str, Any] = {}
    for name, module in {
        "Cython": SimpleNamespace(),
        "Cython.Build": SimpleNamespace(cythonize=lambda extensions, **_: extensions),
        "setuptools": SimpleNamespace(
            Extension=lambda name, sources, **more: SimpleNamespace(sources=sources, **more),
            setup=given.update),
        "setuptools.command": SimpleNamespace(),
        "setuptools.command.build_ext": SimpleNamespace(build_ext=BuildExt),
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    command = given["cmdclass"]["build_ext"]()
    command.compiler = SimpleNamespace(compiler_type=compiler)
    command.build_extension(*given["ext_modules"])
    return given


@pytest.mark.parametrize("compiler", ["unix", "mingw32", "msvc"])
def test_msvc_is_given_no_options_of_gcc(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = build(compiler, monkeypatch)
    assert ("-O3" in given["extra_compile_args"]) == (compiler != "msvc")
    if compiler == "msvc":
        assert not given["extra_compile_args"]
        assert not given["extra_link_args"]


@pytest.mark.parametrize(("value", "checks"), [
    (None, ""), ("", ""), ("0", ""), ("1", "undefined address"), ("plain", "undefined")])
def test_a_build_has_the_checks_that_were_asked_for(
    value: str | None, checks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAVILION_SANITIZE", raising=False)
    if value is not None:
        monkeypatch.setenv("PAVILION_SANITIZE", value)
    given = build("unix", monkeypatch)
    for kind in "extra_compile_args", "extra_link_args":
        found = {check for option in given[kind] if option.startswith("-fsanitize=")
                 for check in option.partition("=")[2].split(",")}
        assert found & {"undefined", "address"} == {*checks.split()}


@pytest.mark.parametrize("value", ["no", "adress", "2", "plain "])
def test_a_build_with_checks_that_are_not_known_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAVILION_SANITIZE", value)
    with pytest.raises(SystemExit, match=f"is '{value}', expected 0, 1 or plain"):
        build("unix", monkeypatch)


@pytest.mark.skipif(DEBUG_BUILD, reason="not a release build")
def test_a_build_with_debugging_information_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for flags in ("-g", "-O2 -g1", "-g3", "-ggdb", "", "-O2 -fno-g"):
        monkeypatch.setenv("CFLAGS", flags)
        given = build("unix", monkeypatch)
        wanted = " -g" in f" {flags}"
        assert ("-g0" in given["extra_compile_args"]) == (not wanted)
        assert ("-s" in given["extra_link_args"]) == (not wanted and sys.platform == "linux")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a source distribution from a copy of the checkout, and a wheel from that."""
    if DEBUG_BUILD:
        pytest.skip("a debug build is not for distribution")
    copy = tmp_path_factory.mktemp("package") / "checkout"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", "dist"],
        cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return copy / "dist"


@pytest.mark.build
def test_source_distribution(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    sources = {
        path.relative_to(ROOT).as_posix()
        for pattern in (
            *("*.py", "*.pyx", "*.pxd", "*.pxi", "*.h", "*.pyi", "py.typed", "*.net", "*.json",
              "*.css", "*.js"),
        )
        for path in PACKAGE.rglob(pattern)
    }
    assert sources <= names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "setup.py"} <= names
    assert {"docs/development.md", "tests/test_package.py"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc", "_core.c"))]


@pytest.mark.build
def test_wheel(distributions: Path) -> None:
    (archive,) = distributions.glob("*.whl")
    assert not {name: size for name, size in wheel_parts(archive).items()
                if size >= WHEEL_GOALS[name]}
    with zipfile.ZipFile(archive) as content:
        names = content.namelist()
        entry_points, metadata = (
            content.read(next(name for name in names if name.endswith(end))).decode()
            for end in ("entry_points.txt", ".dist-info/METADATA"))
    ours = {name for name in names if ".dist-info/" not in name}
    modules = {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.py")}
    data = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("nets/*.net", "games/*.json", "train/recipes/*.json", "web/static/*",
                        "puzzles/data/*.jsonl.gz", "render/*.css", "render/*.js")
        for path in PACKAGE.glob(pattern)
    }
    (core,) = [name for name in ours if name.endswith(".so")]
    assert core.startswith("pavilion_ai/_core.")
    assert ours == modules | data | {core, "pavilion_ai/_core.pyi", "pavilion_ai/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "pavilion = pavilion_ai.__main__:main" in entry_points
    links = re.findall(r"\]\(([^)]*)\)", metadata)
    assert len(links) > 20
    assert all(link.startswith(("https://", "#")) for link in links)


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as it is in a checkout in which nothing was compiled."""
    folder = tmp_path_factory.mktemp("uncompiled")
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=lambda _, names: [
        name for name in names if Path(name).suffix not in (".py", "")])
    return folder


@pytest.mark.parametrize("code", [
    "from pavilion_ai import Play",
    "from pavilion_ai.envs.batch import Batch",
    "import sys; sys.argv[1:] = ['new']; from pavilion_ai.__main__ import main; main()",
])
def test_a_missing_core_is_said_in_words(code: str, uncompiled: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=uncompiled, capture_output=True,
                          text=True)
    assert done.returncode == 1
    assert "the compiled core is missing: in a checkout run `pip install -e .`" in done.stderr
