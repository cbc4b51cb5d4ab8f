"""Build the extension; everything else is declared in pyproject.toml.

Wheels are portable: they use only the baseline of the processor family, no fast mathematics, and
-ffp-contract=off, so that machines with and without fused multiply-add compute the same bits.

PAVILION_DEBUG=1 builds with the address and undefined-behaviour sanitizers: array indices, shifts,
overflows, divisions, conversions. The first fault ends the program. The library of the address
sanitizer must be loaded before Python (docs/development.md); PAVILION_DEBUG=plain builds without
it. The Cython directives are the same in both builds, so both search the same tree.
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
if DEBUG:
    checks = ["undefined", "float-divide-by-zero", "float-cast-overflow"]
    if DEBUG != "plain":
        checks.append("address")
    compile_args += ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
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

# Where CYTHON_CACHE_DIR is set, what Cython made is kept for any checkout with the same sources.
setup(ext_modules=cythonize([core], compiler_directives=DIRECTIVES,
                            cache="CYTHON_CACHE_DIR" in os.environ))
