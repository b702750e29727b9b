"""Language, page type and quality."""

import pytest

from lyra.extract.classify import (
    PageSignals,
    combine_scores,
    declares_satire,
    document_language,
    is_doubtful,
    page_type,
    says_satire_of_itself,
    text_quality,
)

_ENGLISH = (
    "The trial enrolled adults with type 2 diabetes, and the change in HbA1c was the primary outcome of the study."
)
_GERMAN = "Die Studie schloss Erwachsene mit Diabetes ein, und die Senkung des Blutzuckers war das wichtigste Ergebnis."


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("対象は2型糖尿病の成人であり、主要評価項目はHbA1cの変化量であった。", "en", "ja"),
        (_ENGLISH, "ja", "en"),
        (_ENGLISH, None, "en"),
        (_GERMAN, "de", "de"),
        (_GERMAN, "en", "de"),
        ("HbA1c −0.7 %", "de", "de"),
        ("HbA1c −0.7 %", None, "und"),
        ("", None, "und"),
    ],
    ids=[
        "Japanese script in an English template",
        "English words in a Japanese template",
        "English, undeclared",
        "German, declared",
        "German in an English template",
        "too short, declared",
        "too short, undeclared",
        "nothing",
    ],
)
def test_document_language(text: str, declared: str | None, language: str) -> None:
    """A template's lang attribute is often wrong; a few words are too little to guess by."""
    assert document_language(text, declared) == language


_ARTICLE = frozenset({"NewsArticle"})


@pytest.mark.parametrize(
    ("signals", "kind"),
    [
        (PageSignals("https://journal.example/a/1", has_citation_meta=True), "paper"),
        (PageSignals("https://arxiv.org/abs/2401.00001"), "paper"),
        (PageSignals("https://x.example/a", schema_types=frozenset({"ScholarlyArticle"})), "paper"),
        (PageSignals("https://x.example/search?q=dpp-4", link_share=0.7), "search"),
        (PageSignals("https://x.example/search/", prose_chars=2000), "article"),
        (PageSignals("https://x.example/forum/viewtopic.php?t=1", prose_chars=900), "forum"),
        (PageSignals("https://x.example/a", schema_types=frozenset({"QAPage"})), "forum"),
        (PageSignals("https://shop.example/products/42"), "product"),
        (PageSignals("https://x.example/a", og_type="product.item"), "product"),
        (PageSignals("https://news.example/", prose_chars=500, link_share=0.3), "index"),
        (PageSignals("https://news.example/health", prose_chars=200, link_share=0.45), "index"),
        (PageSignals("https://news.example/", schema_types=_ARTICLE, og_type="article", prose_chars=800), "article"),
        (PageSignals("https://news.example/2024/03/05/dpp-4", has_article_element=True, prose_chars=3000), "article"),
        (PageSignals(), "article"),
    ],
)
def test_page_type(signals: PageSignals, kind: str) -> None:
    """An index or a result list must not be read as an article, and a paper leads into the academic path."""
    assert page_type(signals) == kind


_PROSE = (
    "Adults with type 2 diabetes were randomised to sitagliptin or placebo. After a year HbA1c had fallen by 0.7 "
    "percentage points. Weight did not change. Hypoglycaemia, which had been the main concern before the trial began, "
    "was equally rare in both groups. Three patients withdrew. The authors caution that the follow-up was too short "
    "for cardiovascular outcomes. Longer trials are under way in Japan and Germany, and their results are expected."
)


def test_prose_is_faultless() -> None:
    """Plain varied sentences are what the score measures against."""
    assert text_quality(_PROSE, link_share=0.05, paragraphs=[_PROSE]) == 1.0


def test_nothing_scores_nothing() -> None:
    """A page without words has no quality to speak of."""
    assert text_quality("  \n ", link_share=0.0, paragraphs=[]) == 0.0


@pytest.mark.parametrize(
    ("text", "link_share", "paragraphs", "score"),
    [
        (_PROSE, 0.8, [_PROSE], 0.2),
        (_PROSE, 0.55, [_PROSE], 0.6),
        (_PROSE * 6, 0.0, [_PROSE], 0.2),
        (_PROSE, 0.0, ["Home"] * 20 + ["Menu"] * 20, 0.4),
        (_PROSE + " Buy now! Free trial! Click here! Order now! Coupon! Sign up!", 0.0, [_PROSE], 0.4),
        ("HbA1c fell.", 0.0, ["HbA1c fell."], 0.052),
    ],
    ids=["only links", "half links", "repeated", "scraps", "selling", "a line"],
)
def test_each_fault_takes_its_share(text: str, link_share: float, paragraphs: list[str], score: float) -> None:
    """The weights are those of the rules: a change here changes every stored score."""
    assert text_quality(text, link_share=link_share, paragraphs=paragraphs) == score


def test_sentences_of_one_shape_look_generated() -> None:
    """Filler made from a template has sentences of hardly varying length."""
    names = ["alpha", "gamma", "delta", "omega", "kappa", "sigma", "theta", "lambd", "epsil", "upsil"]
    text = " ".join(f"The {name} pill helps {name[::-1]} users feel {name[1:]}x again." for name in names)

    assert text_quality(text, link_share=0.0, paragraphs=[text]) == 0.6


@pytest.mark.parametrize(
    ("score", "is_asked"), [(0.0, False), (0.399, False), (0.4, True), (0.5, True), (0.6, True), (0.601, False)]
)
def test_only_doubtful_scores_are_judged_again(score: float, is_asked: bool) -> None:
    """From 0.4 to 0.6, both included."""
    assert is_doubtful(score) is is_asked


@pytest.mark.parametrize(("rules", "second", "quality"), [(0.5, 0.9, 0.74), (0.4, 0.0, 0.16), (0.469, 0.3, 0.368)])
def test_the_second_judge_weighs_more(rules: float, second: float, quality: float) -> None:
    """0.6 of the second, 0.4 of the rules."""
    assert combine_scores(rules, second) == quality


@pytest.mark.parametrize(
    ("line", "is_satire"),
    [
        ("Satire swallowed whole", True),
        ("The county's satirical weekly", True),
        ("All stories on this site are fictional.", True),
        ("風刺で読む町の一週間", True),
        ("Entirely untrue since 1987", True),
        ("Not a word we print is true", True),
        ("Made-up news for the coast", True),
        ("当紙はうそばかりの日刊紙", True),
        ("本当ではない話を毎朝お届け", True),
        ("Satire", False),
        ("Entirely untrue, says the minister", False),
        ("Nothing the minister said is true, says the opposition", False),
        ("Fake news costs town a fortune", False),
        ("倒産したとのうわさは事実ではありません", False),
        ("知事「うそばかりだ」と批判", False),
        ("Organisations, people and figures on this page are invented.", False),
        ("この物語はフィクションです", False),
        ("News from the coast since 1901", False),
        ("Our critic on satire " + "and the stage " * 20, False),
    ],
)
def test_a_tagline_that_names_satire(line: str, is_satire: bool) -> None:
    """A site that has it in its tagline writes it; a section of that name, a long text or another disclaimer not."""
    assert declares_satire([], [line]) is is_satire


@pytest.mark.parametrize(
    ("line", "is_satire"),
    [
        ("Wet Chalk is a satirical newspaper.", True),
        ("All stories on this site are fictional.", True),
        ("Everything here is satire.", True),
        ("本紙の記事はすべて冗談です", True),
        ("掲載記事はすべて作り話です", True),
        ("虚構新聞", True),
        ("A short history of satire in Britain", False),
        ("風刺画の展覧会、来月まで", False),
        ("Satire swallowed whole", False),
    ],
)
def test_a_line_that_declares_satire(line: str, is_satire: bool) -> None:
    """Outside the tagline a site must say it of what it writes: a teaser for an article on satire says nothing."""
    assert declares_satire([line]) is is_satire


@pytest.mark.parametrize(
    ("passages", "is_satire"),
    [
        (["※この記事は創作です。笑ってお読みください。", "市長が空を飛んだ。"], True),
        (["市長が空を飛んだ。", "本記事はエイプリルフールのジョークです。"], True),
        (["The mayor flew.", "This article is satire."], True),
        (["(This story is a work of fiction.)", "The mayor flew."], True),
        (["The mayor flew.", "This article is satire.", "More from the mayor."], False),
        (["This report is about satire in the press.", "It has three parts."], False),
        (["この記事は、風刺画の歴史をたどる。", "第1章"], False),
        (["The stories on the site are fake, officials say.", "They warn readers."], False),
        (["救急車を飼う。", "（当紙の記事はすべて作り話です。信じた方は謝ってください。）", "あすは晴れ。"], True),
        (["The mayor flew.", "Everything on this site is made up.", "More from the mayor."], True),
        (["市が調べた。", "当サイトの記事は作り話ではありません。", "続報を待つ。"], False),
        ([], False),
    ],
)
def test_a_text_that_says_it_is_satire(passages: list[str], is_satire: bool) -> None:
    """Of itself in its first or last passage, or of all its site; what speaks of another's jokes is no joke."""
    assert says_satire_of_itself(passages) is is_satire


def test_a_page_that_declares_satire_is_of_that_kind() -> None:
    """By schema.org's type, or by what the site says of itself."""
    by_type = page_type(PageSignals(schema_types=frozenset({"SatiricalArticle"})))

    assert (by_type, page_type(PageSignals(is_satire=True))) == ("satire", "satire")
