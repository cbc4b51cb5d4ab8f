#!/usr/bin/env bash
# Build the core for aarch64 Linux with zig and run it under qemu: the signature and an analysis must
# be those of this machine. Needs Debian with root (its Python for arm64 is unpacked into a folder,
# nothing is installed), qemu-user, `pip install ziglang`, and a built checkout, whose `_core.c` and
# libraries it takes. The Python of the checkout must be Debian's version (3.11 on Debian 12).
#
#     tools/aarch64.sh [FOLDER]     # some 20 s of processor time under qemu
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(realpath -m "${1:-$(mktemp -d)}")
position=$PWD/examples/round3_draft_2p.code
signature=$(cat bench/signature.txt)
version=$(python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
libraries=$(python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
mkdir -p "$folder"/{debs,root,lib/site}

dpkg --add-architecture arm64
apt-get update -qq
(cd "$folder/debs" && apt-get download -qq "python$version-minimal:arm64" \
    "libpython$version"-{minimal,stdlib,dev}:arm64 libc6:arm64 libgcc-s1:arm64 libcrypt1:arm64 \
    zlib1g:arm64 libexpat1:arm64 libssl3:arm64 libffi8:arm64 libbz2-1.0:arm64 liblzma5:arm64 \
    libsqlite3-0:arm64 libuuid1:arm64)
dpkg --remove-architecture arm64
for package in "$folder"/debs/*.deb; do
    dpkg-deb -x "$package" "$folder/root"
done

cp -r pavilion_ai "$folder/lib"
rm -f "$folder"/lib/pavilion_ai/*.so
for name in click rich platformdirs markdown_it mdurl pygments; do
    cp -r "$libraries/$name" "$folder/lib/site"
done
headers=$folder/root/usr/include
python -m ziglang cc -target aarch64-linux-gnu.2.31 -shared -fPIC -O3 -fwrapv -ffp-contract=off \
    -fno-math-errno -g0 -Wno-unused-function -Ipavilion_ai/_c "-I$headers/python$version" \
    "-I$headers" pavilion_ai/_core.c \
    -o "$folder/lib/pavilion_ai/_core.cpython-${version/./}-aarch64-linux-gnu.so"

foreign() {    # from a folder without the package, which would come before that of PYTHONPATH
    cd "$folder"
    QEMU_LD_PREFIX=$folder/root PYTHONHOME=$folder/root/usr PYTHONPATH=$folder/lib:$folder/lib/site \
        qemu-aarch64 "$folder/root/usr/bin/python$version" "$@"
}
analysis() {
    "$@" -m pavilion_ai suggest "$position" --sims 2000 --seed 1 --json |
        python -c 'import json, sys; found = json.load(sys.stdin)
print({key: found[key] for key in found if key not in ("seconds", "sims_per_second")})'
}
(foreign -c 'import platform, sys; print(platform.machine(), sys.version)')
(foreign -m pavilion_ai bench --check "$signature")
diff <(analysis python) <(analysis foreign)
echo "the analysis is the same"
