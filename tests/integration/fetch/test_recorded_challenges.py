"""The challenge recogniser on recorded pages (third-party data beside the checkout)."""

import subprocess
from pathlib import Path

from lyra.fetch.challenge import recognise

# Pages of ../shared/data/challenge and serp that are a guard, a log-in or a refusal; every other one is ordinary.
CHALLENGE_NAMES = {
    "cloudflare_captcha_hcaptcha_v1.html", "cloudflare_captcha_norobot_v1.html", "cloudflare_init_v1.html",
    "cloudflare_spinner_v1.html", "cf-interstitial.html", "datadome.html", "hcaptcha.html", "recaptcha.html",
    "cf_recaptcha_15_04_2019.html", "js_challenge_03_12_2018.html", "js_challenge_09_06_2016.html",
    "js_challenge_10_04_2019.html", "js_challenge_13_03_2019.html", "js_challenge_21_03_2019.html",
    "js_challenge_21_05_2015.html", "js_challenge_30_11_2019.html", "challenge.html", "captcha.html",
    "cloudflare_interstitial.html", "search_captcha.html", "search_captcha_new.html", "search_soft_block.html",
    "generic-wall.html", "login-form.html", "login-google-sso.html", "login-grafana-dex.html", "login.html",
    "real_login_wall.html", "qwant.html",
}  # fmt: skip


def unpacked(archives: list[Path], into: Path) -> list[Path]:
    for archive in archives:
        subprocess.run(["tar", "--zstd", "-xf", archive, "-C", into], check=True)
    return sorted(into.rglob("*.html"))


def test_recorded_pages_are_told_apart(shared_data: Path, tmp_path: Path) -> None:
    """On recorded guards and recorded ordinary pages the recogniser makes no mistake (A3)."""
    archives = [*(shared_data / "challenge").glob("*.tar.zst"), *(shared_data / "serp").glob("*.tar.zst")]
    pages = unpacked(archives, tmp_path)

    recognised = {page for page in pages if recognise(200, {}, page.read_bytes()) is not None}

    assert recognised == {page for page in pages if page.name in CHALLENGE_NAMES}


def test_recorded_articles_raise_no_alarm(shared_data: Path, tmp_path: Path) -> None:
    """Article pages, many with captcha scripts or comment forms, are never taken for a challenge (A3)."""
    pages = unpacked([shared_data / "extraction" / "readability" / "test.tar.zst"], tmp_path)

    alarmed = [page for page in pages if recognise(200, {}, page.read_bytes()) is not None]

    assert alarmed == []
