"""Build of the one extension; everything else is declared in pyproject.toml.

Wheels are portable: no -march, no -ffast-math, and -ffp-contract=off so that a compiler for a
machine with fused multiply-add computes the same bits as one without. PAVILION_DEBUG=1 builds
with C assertions and, where the compiler has them, the undefined-behaviour and address checkers
(PAVILION_DEBUG=plain leaves the address checker out: it must be preloaded to run).
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("PAVILION_DEBUG", "")

compile_args = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-Wno-unused-function"]
link_args = []
if DEBUG:
    sanitizers = "undefined" if DEBUG == "plain" else "address,undefined"
    compile_args += ["-O1", "-g", "-fno-omit-frame-pointer", f"-fsanitize={sanitizers}"]
    compile_args += ["-fno-sanitize-recover=undefined", "-UNDEBUG"]
    link_args += [f"-fsanitize={sanitizers}"]

core = Extension(
    "pavilion_ai._core",
    ["pavilion_ai/_core.pyx"],
    include_dirs=["pavilion_ai/_c"],
    depends=[
        "pavilion_ai/_search.pxi",
        *(os.path.join("pavilion_ai/_c", name) for name in sorted(os.listdir("pavilion_ai/_c"))),
    ],
    extra_compile_args=compile_args,
    extra_link_args=link_args,
)

setup(
    ext_modules=cythonize(
        [core],
        compiler_directives={
            "language_level": 3,
            "boundscheck": bool(DEBUG),
            "wraparound": False,
            "initializedcheck": bool(DEBUG),
            "cdivision": not DEBUG,
            "overflowcheck": False,
            "embedsignature": False,
            "binding": False,
        },
    )
)
