#!/usr/bin/env bash
# Build the core for Windows with zig and run it in Windows' Python under wine: the signature and an
# analysis must be those of this machine. Needs `apt-get install --no-install-recommends wine wine64`,
# `pip install ziglang` and a built checkout, whose `_core.c` it takes, in a Python 3.11. No package
# is Windows' Python as such: the wheel of panda3d brings its library and its binary modules, and
# the rest of the standard library is the same on every system.
#
#     tools/wine.sh [FOLDER]    # afterwards: FOLDER/python -m pavilion_ai ... </dev/null | cat
#
# Wine 8 is not Windows: its C library lacks what numpy 2 calls, and its pipes lose empty messages, by
# which Python's pools wake; so numpy is older, and that message gets a byte. It crashes where standard
# input or output is neither file, pipe nor terminal.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(realpath -m "${1:-$(mktemp -d)}")
position=examples/round3_draft_2p.code
signature=$(cat bench/signature.txt)
[[ $(python -c 'import sys; print(sys.version_info[:2])') == '(3, 11)' ]]
drive=$folder/prefix/drive_c
mkdir -p "$folder/build"
export WINEPREFIX=$folder/prefix WINEDEBUG=-all WINEARCH=win64
env -u DISPLAY wine wineboot -i
mkdir -p "$drive/py/DLLs" "$drive/work"

python -m pip download -q --platform win_amd64 --only-binary=:all: --no-deps -d "$folder/build" panda3d
unzip -qjo "$folder"/build/panda3d-*.whl 'deploy_libs/*' -x '*/api-ms-*' -d "$drive/py"
mv "$drive"/py/*.pyd "$drive/py/DLLs"
cp -r "$(python -c 'import sysconfig; print(sysconfig.get_paths()["stdlib"])')" "$drive/py/Lib"
rm -rf "$drive"/py/Lib/{site-packages,lib-dynload,test}
sed -i 's/_writer.send_bytes(b"")/_writer.send_bytes(b"x")/' "$drive/py/Lib/concurrent/futures/process.py"
python -m pip install -q --platform win_amd64 --only-binary=:all: --target "$drive/py/Lib/site-packages" \
    'numpy<2' click colorama filelock platformdirs rich starlette typing_extensions uvicorn websockets \
    pytest hypothesis

python - "$folder/build" "$drive/py/python311.dll" <<'PYTHON'
"""Write the headers of Windows' Python, and the list of what its library exports."""
import struct
import sys
from pathlib import Path

sys.path.insert(0, "tools")
from cross_compile import headers_for

folder, dll = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
with open(headers_for("windows", folder) / "pyconfig.h", "a") as config:
    for name in ("MS_WINDOWS", "MS_WIN64", "HAVE_DECLSPEC_DLL", "Py_ENABLE_SHARED"):
        config.write(f"#define {name} 1\n")


def numbers(form, at):
    return struct.unpack_from(form, dll, at)


(header,) = numbers("<I", 0x3C)
sections, _, _, _, optional = numbers("<HIIIH", header + 6)
tables = [numbers("<8xIII I", header + 24 + optional + 40 * i) for i in range(sections)]


def place(address):
    return next(address - start + there for size, start, _, there in tables
                if start <= address < start + size)


exports = place(numbers("<I", header + 24 + 112)[0])
(count,), names = numbers("<I", exports + 24), place(numbers("<I", exports + 32)[0])
found = [dll[(at := place(address)):dll.index(0, at)].decode()
         for address in numbers(f"<{count}I", names)]
(folder / "python311.def").write_text("\n".join(("LIBRARY python311.dll", "EXPORTS", *found, "")))
PYTHON
cat > "$folder/build/main.c" <<'C'
#include <wchar.h>
__declspec(dllimport) int Py_Main(int, wchar_t **);
int wmain(int count, wchar_t **words) { return Py_Main(count, words); }
C
cp -r pavilion_ai tests examples bench pyproject.toml setup.py "$drive/work"
rm -f "$drive"/work/pavilion_ai/*.so
library=$folder/build/libpython311.a
python -m ziglang dlltool -m i386:x86-64 -D python311.dll -d "$folder/build/python311.def" -l "$library"
zig=(python -m ziglang cc -target x86_64-windows-gnu -fno-sanitize=undefined -g0)
"${zig[@]}" -municode -O1 "$folder/build/main.c" "$library" -o "$drive/py/python.exe"
"${zig[@]}" -shared -O3 -fwrapv -ffp-contract=off -fno-math-errno -Wno-unused-function -DNDEBUG \
    -Ipavilion_ai/_c "-I$folder/build/windows" pavilion_ai/_core.c "$library" \
    -o "$drive/work/pavilion_ai/_core.cp311-win_amd64.pyd"

cat > "$folder/python" <<SHELL
#!/usr/bin/env bash
export WINEPREFIX='$WINEPREFIX' WINEDEBUG=-all WINEARCH=win64
unset DISPLAY PYTHONPATH
cd '$drive/work'
exec wine 'C:\\py\\python.exe' "\$@"
SHELL
chmod +x "$folder/python"

analysis() {
    "$@" -m pavilion_ai suggest "$position" --sims 2000 --seed 1 --json < /dev/null |
        python -c 'import json, sys; found = json.load(sys.stdin)
print({key: found[key] for key in found if key not in ("seconds", "sims_per_second")})'
}
"$folder/python" -c 'import sys; print(sys.platform, sys.version)' < /dev/null | cat
"$folder/python" -m pavilion_ai bench --check "$signature" < /dev/null | cat
diff <(analysis python) <(analysis "$folder/python")
echo "the analysis is the same"
