"""Build the extension; everything else is declared in pyproject.toml.

Wheels are portable: they use only the baseline of the processor family, no fast mathematics, and
-ffp-contract=off, so that machines with and without fused multiply-add compute the same bits.

PAVILION_SANITIZE=1 builds with the address and undefined-behaviour sanitizers: array indices,
shifts, overflows, divisions, conversions. The first fault ends the program. The library of the
address sanitizer must be loaded before Python (docs/development.md); PAVILION_SANITIZE=plain builds
without it; 0, or none, makes the release build. The Cython directives are the same in both builds,
so both search the same tree.
"""

import glob
import os
import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

REPOSITORY = "https://github.com/pavilion-ai/pavilion-ai"
SANITIZE = os.environ.get("PAVILION_SANITIZE", "") or "0"
if SANITIZE not in ("0", "1", "plain"):
    raise SystemExit(f"PAVILION_SANITIZE is {SANITIZE!r}, expected 0, 1 or plain")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "overflowcheck": False,
    # Signatures for help() and editors, without the cost that bound functions have at each call.
    "embedsignature": True,
    "embedsignature.format": "clinic",
    "binding": False,
    "autotestdict": False,
    # What threads share is kept by critical sections and flags; tests/test_threads.py.
    "freethreading_compatible": True,
}

compile_args = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-Wno-unused-function"]
link_args = []
if SANITIZE != "0":
    checks = ["undefined", "float-divide-by-zero", "float-cast-overflow"]
    if SANITIZE == "1":
        checks.append("address")
    compile_args += ["-O1", "-g1", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
    compile_args.append(f"-fsanitize={','.join(checks)}")
    link_args.append(f"-fsanitize={','.join(checks)}")
elif not any(word.startswith("-g") for word in os.environ.get("CFLAGS", "").split()):
    compile_args.append("-g0")   # else the interpreter's own -g: four fifths of the file
    if sys.platform == "linux":
        link_args.append("-s")   # names of C functions, which only a profile reads

core = Extension(
    "pavilion_ai._core",
    ["pavilion_ai/_core.pyx"],
    include_dirs=["pavilion_ai/_c"],
    depends=[
        *sorted(glob.glob("pavilion_ai/*.pxi")),
        *(os.path.join("pavilion_ai/_c", name) for name in sorted(os.listdir("pavilion_ai/_c"))),
    ],
    extra_compile_args=compile_args,
    extra_link_args=link_args,
)


class Build(build_ext):
    """Build an extension from its Cython source, which is translated here and nowhere else.

    A source distribution and its metadata need no translation.
    """

    def build_extension(self, ext: Extension) -> None:
        if self.compiler.compiler_type == "msvc":
            # It takes an option -W without a number for a fault. /O2 is among its own options, and
            # it does not contract.
            ext.extra_compile_args, ext.extra_link_args = [], []
        # Where CYTHON_CACHE_DIR is set, it keeps the C code for any checkout with these sources.
        (translated,) = cythonize([ext], compiler_directives=DIRECTIVES,
                                  cache="CYTHON_CACHE_DIR" in os.environ)
        ext.sources = translated.sources
        super().build_extension(ext)


def description() -> str:
    """Return the README for package indexes, where links into the repository need its address."""
    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}{link['text']}({REPOSITORY}/{kind}/main/{link['target']})"

    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    return re.sub(r"(?P<picture>!?)(?P<text>\[[^]]*\])\((?P<target>[\w./-]+(#[\w-]+)?)\)", absolute,
                  text)


setup(
    ext_modules=[core],
    cmdclass={"build_ext": Build},
    long_description=description(),
    long_description_content_type="text/markdown",
)
