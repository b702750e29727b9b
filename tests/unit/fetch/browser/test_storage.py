"""What pages store: under which keys, and what is removed from a profile."""

from pathlib import Path

from lyra.fetch.browser.storage import remove_stored, storage_keys


def test_page_and_its_frames_store_under_these_keys() -> None:
    """A frame of the same site has a store of its own, one of another site a store for the site that shows it."""
    documents = ["https://www.x.co.jp/a", "https://m.x.co.jp/", "https://ads.y.org:8443/f", "about:blank"]

    found = storage_keys("https://www.x.co.jp/a", documents)

    assert found == ("https://www.x.co.jp/", "https://m.x.co.jp/", "https://ads.y.org:8443/^0https://x.co.jp")


def test_stored_data_is_removed_and_cookies_stay(tmp_path: Path) -> None:
    """Before every start of a browser that visits pages."""
    for name in ("IndexedDB/https_x.org_0", "Service Worker/CacheStorage", "Local Storage"):
        (tmp_path / "Default" / name).mkdir(parents=True)
    (tmp_path / "Default" / "Cookies").write_text("sid")

    remove_stored(tmp_path)

    assert [path.name for path in (tmp_path / "Default").iterdir()] == ["Cookies"]
