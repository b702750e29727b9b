"""Walls in words that nobody has listed are known by what they are about; ordinary short pages are not."""

import pytest

from lyra.fetch.challenge import recognise

CHECKED = {
    "de": "Ups, bist du ein Mensch? Dein Browser verhält sich wie ein automatisiertes Programm.",
    "en": "Something about your connection looks automated. We need to make sure you are a person before going on.",
    "fr": "Nous vérifions votre navigateur avant de vous laisser entrer. Cette opération est automatique.",
    "es": "Estamos comprobando que no eres un programa automático. Activa las cookies para continuar.",
    "ja": "アクセスが集中しています。機械的なアクセスでないことを確かめるため、下のボタンを押してください。",
    "zh": "系统检测到您的网络存在异常访问,请完成验证后继续浏览。",
    "ko": "자동화된 요청이 감지되었습니다. 사람임을 확인한 후 계속하세요.",
}
REFUSED = {
    "en": "Our firewall stopped this request because it resembles an attack. Event ID 9920-aa.",
    "fi": "Pyyntösi estettiin. Liikenne IP-osoitteestasi näyttää automaattiselta. Viite: 88121.",
    "ja": "セキュリティ上の理由により、このリクエストは遮断されました。管理者に次の番号をお伝えください: 5512",
}
PLAIN = {
    "firewall": "Our firewall was replaced on Sunday. Members may notice shorter waiting times; nothing else changes.",
    "robots": "The robot club meets on Fridays. Bring your own robot; we check batteries before the race.",
    "no results": "No results for your request. Check your spelling or try fewer words.",
    "cookies": "We use cookies to remember your language. You can turn them off in your browser.",
    "traffic": "Unusual traffic is expected on the bridge on Saturday. Drivers should turn off at the harbour.",
    "harbour": "Der Zugang zum Hafen ist nachts gesperrt; wer eine Karte hat, meldet sich beim Wächter.",
    "parking": "駅から徒歩五分です。駐車場の利用は制限されていますので、公共交通機関をご利用ください。",
}


def page(text: str, more: str = "") -> bytes:
    return f"<html><head><title>Notice</title></head><body><p>{text}</p>{more}</body></html>".encode()


@pytest.mark.parametrize("text", CHECKED.values(), ids=CHECKED.keys())
def test_a_page_about_a_check_of_its_visitor_is_a_gate(text: str) -> None:
    """A browser that runs scripts may pass it, so it is tried."""
    found = recognise(200, {}, page(text))

    assert found is not None
    assert found.name == "javascript"


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_a_page_about_a_refusal_and_its_cause_is_a_block(text: str) -> None:
    """There is nothing that a visitor could do on it."""
    found = recognise(200, {}, page(text))

    assert found is not None
    assert found.name == "block"


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN.keys())
def test_a_short_note_with_some_of_the_words_is_content(text: str) -> None:
    """One or two of the subjects come up anywhere."""
    assert recognise(200, {}, page(text)) is None


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("<article>About walls.</article>", id="an article"),
        pytest.param("<form><input type=text name=q></form>", id="a field to fill in"),
        pytest.param("<a href=/a>A</a><a href=/b>B</a><a href=/c>C</a><a href=/d>D</a><a href=/e>E</a>", id="links"),
        pytest.param("<p>" + "The county repaired the bridge in spring. " * 12 + "</p>", id="more to read"),
    ],
)
def test_a_page_that_offers_more_is_content(more: str) -> None:
    """A wall has nothing to read, to fill in or to follow."""
    assert recognise(200, {}, page(CHECKED["es"], more)) is None
