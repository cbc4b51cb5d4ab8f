"""Build of the one extension; everything else is declared in pyproject.toml.

Wheels are portable: the baseline of the processor family only, no fast mathematics, and
-ffp-contract=off, so that a compiler for a machine with fused multiply-add computes the same bits
as one for a machine without.

PAVILION_DEBUG=1 builds with the checkers for addresses and undefined behaviour: indices of arrays,
shifts, overflows, divisions, conversions. The first fault ends the program. The library of the
address checker has to be loaded before Python is (docs/development.md); PAVILION_DEBUG=plain
builds without that checker. The Cython directives are the same in both builds, so both search the
same tree.
"""

import glob
import os

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("PAVILION_DEBUG", "")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "overflowcheck": False,
    "embedsignature": False,
    "binding": False,
}

compile_args = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-Wno-unused-function"]
link_args = []
if DEBUG:
    checks = ["undefined", "float-divide-by-zero", "float-cast-overflow"]
    if DEBUG != "plain":
        checks.append("address")
    compile_args += ["-O2", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
    compile_args.append(f"-fsanitize={','.join(checks)}")
    link_args.append(f"-fsanitize={','.join(checks)}")
elif "-g" not in os.environ.get("CFLAGS", "").split():
    compile_args.append("-g0")   # else the interpreter's own -g: four fifths of the file, symbols

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

setup(ext_modules=cythonize([core], compiler_directives=DIRECTIVES))
