"""What pages store in a profile: a bound for all of them, and its removal. Cookies stay: they are sessions."""

import contextlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from lyra.urls import origin_of, registrable_domain

# What all sites together may store; the protocol has no limit for origins that are not known yet.
QUOTA_BYTES = 100_000_000
CACHE_BYTES = 100_000_000
KINDS = "file_systems,indexeddb,local_storage,service_workers,cache_storage,shared_storage,storage_buckets"
FLAGS = (
    f"--disk-cache-size={CACHE_BYTES}",
    f"--enable-features=StorageQuotaSettings:PoolSizeBytes/{QUOTA_BYTES}",
)
_FOLDERS = (
    "IndexedDB",
    "Local Storage",
    "Session Storage",
    "Service Worker",
    "File System",
    "WebStorage",
    "SharedStorage",
    "blob_storage",
)


def storage_keys(page: str, documents: Iterable[str]) -> tuple[str, ...]:
    """The keys under which a page and the documents in its frames may have stored anything.

    A frame of another site has a store of its own for each site that it is shown in.
    """
    domain = registrable_domain(page)
    site = f"{urlsplit(page).scheme}://{domain}"
    origins = dict.fromkeys(origin_of(url) for url in (page, *documents) if url.startswith("http"))
    return tuple(f"{one}/" if registrable_domain(one) == domain else f"{one}/^0{site}" for one in origins)


def remove_stored(profile: Path) -> None:
    """Remove what pages have stored in a profile that no browser has open."""
    for name in _FOLDERS:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(profile / "Default" / name, ignore_errors=True)
