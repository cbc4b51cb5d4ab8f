"""Compile the C level for other systems, without a warning: a check, nothing is linked.

    python tools/cross_compile.py    # gcc and clang if they are here; zig: pip install ziglang

Needs `pavilion_ai/_core.c`, which a build leaves behind. Python's headers are those of this
machine; for Windows and processors of 32 bits their `pyconfig.h` is altered to what differs there.
MSVC itself runs only there: clang stands in for it, which then has neither GNU's extensions nor
enumerators beyond an int, and mingw's headers for its own, without what only mingw declares.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "pavilion_ai"
HEADERS = Path(sysconfig.get_paths()["include"])
TARGETS = ("aarch64-linux-gnu", "arm-linux-musleabihf", "aarch64-macos", "x86_64-macos",
           "x86_64-windows-gnu")
MSVC = "windows as MSVC"
FOR_MSVC = ("-Wvla", "-Wno-unused-parameter", "-Wno-unused-but-set-variable")
"""Further warnings there, and those that Cython avoids for GNU's compilers alone."""
NOT_ON_WINDOWS = r"SYS_SELECT_H|SYS_TIME_H|SYS_RESOURCE_H|SYS_WAIT_H|PTHREAD_H|UNISTD_H|DLFCN_H"
SIZES = {
    "windows": {"LONG": 4, "WCHAR_T": 2},
    "arm-": dict.fromkeys(("LONG", "SIZE_T", "UINTPTR_T", "VOID_P", "PTHREAD_T"), 4),
}
"""Sizes of types, where they differ from this machine's, by a part of the target's name."""


def compilers(folder: Path) -> dict[str, list[str]]:
    """Return the commands of the compilers that are here, by name; their headers go to `folder`."""
    found = {name: [name] for name in ("gcc", "clang") if shutil.which(name)}
    if "gcc" in found:  # it warns before it makes code, and takes its time for that
        found["gcc"] = ["gcc", "-fsyntax-only"]
        found["gcc, plain C"] = ["gcc", "-fsyntax-only", "-DPAVILION_PLAIN_C"]
    if importlib.util.find_spec("ziglang") is not None:
        # Without optimisation zig would also add checks for undefined behaviour.
        zig = [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined", "-target"]
        found |= {target: [*zig, target] for target in TARGETS}
        found[MSVC] = as_msvc(folder)
    return found


def as_msvc(folder: Path) -> list[str]:
    """Return the command of clang in place of MSVC."""
    import ziglang

    library = Path(ziglang.__file__).parent / "lib"
    mingw = library / "libc" / "include" / "any-windows-any"
    text = (mingw / "_mingw.h").read_text()  # clang has these at the end of no declaration
    (folder / "_mingw.h").write_text(re.sub(r"__declspec\((noreturn|deprecated)\)", "", text))
    return [sys.executable, "-m", "ziglang", "clang", "--target=x86_64-pc-windows-msvc",
            "-fms-compatibility-version=19.40", "-nostdinc",
            "-DWIN_PTHREADS_TIME_H",  # clock_gettime() is only mingw's
            *(f"-isystem{place}" for place in (folder, library / "include", mingw))]


def headers_for(target: str, folder: Path) -> Path:
    """Return the folder of Python's headers for a target."""
    kind = next((kind for kind in SIZES if kind in target), None)
    if kind is None:
        return HEADERS
    copy = folder / kind
    if copy.exists():
        return copy
    shutil.copytree(HEADERS, copy)
    config = copy / "pyconfig.h"
    text = config.read_text()
    if kind == "windows":
        text = re.sub(rf"^#define HAVE_(?:{NOT_ON_WINDOWS})\b.*\n", "", text, flags=re.MULTILINE)
        text += "\n#define NT_THREADS 1\n"
    for name, size in SIZES[kind].items():
        text = re.sub(rf"(#define SIZEOF_{name}) \d+", rf"\1 {size}", text)
    config.write_text(text)
    return copy


def main() -> int:
    """Compile with every compiler; return 1 if one refuses or warns, 77 without zig."""
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for target, command in compilers(folder).items():
            done = subprocess.run(
                [*command, "-O0", "-fwrapv", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                 *(FOR_MSVC if target == MSVC else ()),
                 f"-I{PACKAGE / '_c'}", f"-I{headers_for(target, folder)}", "-c",
                 str(PACKAGE / "_core.c"), "-o", str(folder / "core.o")],
                capture_output=True, text=True)
            faults += done.returncode != 0
            print(f"{target}: {'ok' if done.returncode == 0 else done.stderr[-3000:]}", flush=True)
    if importlib.util.find_spec("ziglang") is None and not faults:
        print("skipped: the cross compilers (pip install ziglang)")
        return 77
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
