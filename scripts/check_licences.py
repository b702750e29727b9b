"""Checks, from the metadata of what is installed and without the network, that Lyra depends on permissive licences.

Looked at are the packages that `pip install lyra-mcp` and its extras bring; tools for development are not shipped.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = "lyra-mcp"
PERMISSIVE = frozenset(
    "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python HPND ISC MIT MIT-0 MIT-CMU NCSA PSF-2.0 "
    "Python-2.0 Unlicense Zlib Apache-2.0-WITH-LLVM-exception".split()
)
# Classifiers and words of older metadata, by what they mean.
NAMES = {
    "apache software license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache": "Apache-2.0",
    "bsd license": "BSD-3-Clause",
    "bsd": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "any-osi": "MIT",  # any licence that the OSI approved, at the user's choice
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
    "zlib/libpng license": "Zlib",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
}
# Packages that are not permissive, and why each may be there.
EXCEPTIONS = {
    "certifi": "MPL-2.0: the authorities' certificates as data, unchanged",
    "jamdict-data": "MIT; the dictionary in it is JMdict, CC BY-SA 4.0: data of an extra, read unchanged, not shipped",
    "pypdfium2": "BSD-3-Clause or Apache-2.0, and what PDFium carries: FreeType, zlib and the like, permissive too",
    "stem": "LGPL-3.0: a separate package that is imported unchanged, and can be replaced",
    "tld": "MPL-1.1 or LGPL-2.1: a separate package that trafilatura asks for, unchanged",
    "tqdm": "MPL-2.0 for parts of it: a separate package, unchanged, with the extra `ocr` or by way of tokenizers",
}


def licence_of(package: Distribution) -> str:
    """The licence as an SPDX expression, as far as the metadata tell; empty where they do not."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [one for one in metadata.get_all("Classifier") or () if one.startswith("License :: ")]
    words = [one.rpartition(" :: ")[2].lower() for one in classifiers]
    named = [NAMES.get(one, one) for one in words if one != "osi approved"]
    if named:
        return " OR ".join(named)
    text = str(metadata.get("License") or "").strip()
    return NAMES.get(text.lower(), text.splitlines()[0] if text else "")


def is_permissive(expression: str) -> bool:
    """Whether an SPDX expression lets the package be used under permissive licences alone."""
    words = re.sub(r"\s+WITH\s+", "-WITH-", expression, flags=re.IGNORECASE)
    # The only operators are OR, which binds less, and AND; parentheses are taken away from within.
    while inner := re.search(r"\(([^()]*)\)", words):
        words = words[: inner.start()] + ("MIT" if _holds(inner[1]) else "no") + words[inner.end() :]
    return _holds(words)


def _holds(words: str) -> bool:
    return any(
        all(one.strip() in PERMISSIVE for one in re.split(r"\s+AND\s+", choice, flags=re.IGNORECASE))
        for choice in re.split(r"\s+OR\s+", words, flags=re.IGNORECASE)
    )


def dependencies(name: str, extras: frozenset[str]) -> dict[str, Distribution]:
    """What is installed of all that a package asks for, also by way of others, by name; without the package itself."""
    found: dict[str, Distribution] = {}
    waiting = [(canonicalize_name(name), extras)]
    seen = set(waiting)
    while waiting:
        asked, wanted = waiting.pop()
        try:
            package = distribution(asked)
        except PackageNotFoundError:
            continue  # another system's, or an extra that is not installed
        found[asked] = package
        new = [one for one in _asked_for(package, wanted) if one not in seen]
        seen.update(new)
        waiting += new
    return {one: package for one, package in found.items() if not one.startswith("lyra-")}


def _asked_for(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in package.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            yield canonicalize_name(requirement.name), frozenset(requirement.extras)


def problems(packages: dict[str, Distribution]) -> list[str]:
    """A line for each package that is neither permissive nor excepted."""
    licences = {name: licence_of(package) for name, package in sorted(packages.items())}
    return [
        f"{name}: {licence or 'no licence in its metadata'}"
        for name, licence in licences.items()
        if name not in EXCEPTIONS and not is_permissive(licence)
    ]


def main() -> int:
    extras = frozenset(distribution(ROOT).metadata.get_all("Provides-Extra") or ())
    packages = dependencies(ROOT, extras)
    found = problems(packages)
    for line in found:
        print(f"not permissive: {line}", file=sys.stderr)
    excepted = ", ".join(sorted(EXCEPTIONS.keys() & packages.keys()))
    print(f"licences: {len(packages)} packages looked at, {len(found)} not permissive (excepted: {excepted})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
