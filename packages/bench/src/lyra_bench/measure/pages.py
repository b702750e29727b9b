"""Pages to measure speed with: made up from sentences about one topic and beside it, some of them copies of others.

Thirty paragraphs a page. A third of them speak of the topic with figures of their own, so that claims are alike without
being the same; the rest is what surrounds findings on real pages. One page in ten repeats an earlier one, as
syndicated news do, and one in five is Japanese.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

PARAGRAPHS = 30
_COPY_SHARE = 0.1
_JAPANESE_SHARE = 0.2
_TOPICAL_SHARE = 1 / 3

_DRUGS = ("sitagliptin", "saxagliptin", "linagliptin", "alogliptin", "vildagliptin", "a DPP-4 inhibitor")
_OUTCOMES = (
    "HbA1c",
    "fasting glucose",
    "body weight",
    "the rate of hypoglycaemia",
    "hospital admissions for heart failure",
    "the risk of acute pancreatitis",
    "all-cause mortality",
    "the incidence of bullous pemphigoid",
    "systolic blood pressure",
    "the daily insulin dose",
    "renal function",
    "severe joint pain",
)
_PEOPLE = ("older adults", "patients on insulin", "people with kidney disease", "patients after a heart attack")
_FINDINGS = (
    "In a trial of {n} participants, {drug} reduced {outcome} by {x} percent compared with placebo.",
    "Among {people}, {drug} did not change {outcome} over {weeks} weeks.",
    "{Drug} increased {outcome} in {people} (hazard ratio {ratio}).",
    "A registry of {n} patients found no association between {drug} and {outcome}.",
    "After {weeks} weeks, {outcome} was {x} percent lower with {drug} than with a sulfonylurea.",
    "The pooled analysis of {k} studies showed that {drug} lowered {outcome} in {people}.",
)
_AROUND = (
    "The {place} hospital has treated people with diabetes since {year}, and its clinic sees {n} visitors a year.",
    "Participants were asked to keep a diary, and nurses called them every {k} weeks.",
    "Diet and exercise remain the first step of treatment for most people in {place}.",
    "The committee met {k} times in {year} and published its minutes on the {place} website.",
    "Funding came from the {place} research council, which had no part in writing the paper.",
    "Pharmacies in {place} keep records for {k} years, as the law of {year} demands.",
    "Many readers wrote to us about the weather in {place}, where the summer of {year} was unusually warm.",
    "The museum in {place} shows {k} insulin pens from the decades before {year}.",
)
_PLACES = ("Hillcrest", "Calderwood", "Seito", "Minato", "Northfield", "Aoba", "Harbor", "Meridian")
_FINDINGS_JA = (
    "{n}人を対象とした試験で、{drug}は{outcome}を{x}パーセント低下させた。",
    "{people}では、{drug}の投与は{weeks}週間にわたり{outcome}に影響しなかった。",
    "{drug}は{people}において{outcome}を増加させた（ハザード比{ratio}）。",
    "{n}人の登録研究では、{drug}と{outcome}との関連は認められなかった。",
)
_DRUGS_JA = ("シタグリプチン", "サキサグリプチン", "リナグリプチン", "DPP-4阻害薬")
_OUTCOMES_JA = ("HbA1c", "体重", "低血糖の頻度", "心不全による入院", "急性膵炎のリスク", "全死亡", "類天疱瘡の発症")
_PEOPLE_JA = ("高齢者", "インスリン治療中の患者", "腎機能障害のある患者")
_AROUND_JA = (
    "{place}市の診療所は{year}年から糖尿病の患者を診ている。",
    "参加者は日記をつけ、{k}週間ごとに看護師が電話をかけた。",
    "委員会は{year}年に{k}回開かれ、議事録は公開されている。",
    "{place}の図書館には{k}冊の資料が並んでいる。",
)
_PLACES_JA = ("青葉", "港", "清都", "湊")


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page as it comes over the wire."""

    url: str
    body: bytes


def make_pages(count: int, seed: int = 0) -> list[MadePage]:
    """The same pages for the same seed."""
    chance = random.Random(seed)
    texts: list[tuple[str, list[str]]] = []
    for _ in range(count):
        if texts and chance.random() < _COPY_SHARE:
            language, paragraphs = chance.choice(texts)
            texts.append((language, [*paragraphs[1:], paragraphs[0]]))
        else:
            language = "ja" if chance.random() < _JAPANESE_SHARE else "en"
            texts.append((language, [_paragraph(chance, language) for _ in range(PARAGRAPHS)]))
    return [MadePage(_url(at), _html(at, language, text)) for at, (language, text) in enumerate(texts)]


def _url(at: int) -> str:
    return f"https://www.site{at % 120}.example/articles/{at}"


def _paragraph(chance: random.Random, language: str) -> str:
    if language == "ja":
        return "".join(_sentence(chance, _FINDINGS_JA, _AROUND_JA, _DRUGS_JA, _OUTCOMES_JA, _PEOPLE_JA, _PLACES_JA))
    return " ".join(_sentence(chance, _FINDINGS, _AROUND, _DRUGS, _OUTCOMES, _PEOPLE, _PLACES))


def _sentence(
    chance: random.Random,
    findings: Sequence[str],
    around: Sequence[str],
    drugs: Sequence[str],
    outcomes: Sequence[str],
    people: Sequence[str],
    places: Sequence[str],
) -> list[str]:
    """Two or three sentences; a topical paragraph opens with a finding."""
    drug = chance.choice(drugs)
    values = {
        "drug": drug,
        "Drug": drug[:1].upper() + drug[1:],
        "outcome": chance.choice(outcomes),
        "people": chance.choice(people),
        "place": chance.choice(places),
        "n": f"{chance.randrange(80, 30_000):,}",
        "x": str(chance.randrange(2, 60)),
        "k": str(chance.randrange(2, 40)),
        "weeks": str(chance.choice((12, 24, 26, 52, 104))),
        "ratio": f"{chance.uniform(0.6, 1.9):.2f}",
        "year": str(chance.randrange(1998, 2026)),
    }
    said = [chance.choice(around) for _ in range(chance.choice((2, 3)))]
    if chance.random() < _TOPICAL_SHARE:
        said[0] = chance.choice(findings)
    return [template.format(**values) for template in said]


def _html(at: int, language: str, paragraphs: Sequence[str]) -> bytes:
    parts = [
        f"<h2>Part {number // 10 + 1}</h2><p>{text}</p>" if number % 10 == 0 else f"<p>{text}</p>"
        for number, text in enumerate(paragraphs)
    ]
    page = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>Article {at}</title>'
        f'<meta property="article:published_time" content="20{10 + at % 15}-03-0{1 + at % 9}"></head><body>'
        "<nav><a href='/'>Home</a> <a href='/news'>News</a></nav>"
        f"<article><h1>Article {at}</h1>{''.join(parts)}</article><footer>All rights reserved.</footer></body></html>"
    )
    return page.encode()
