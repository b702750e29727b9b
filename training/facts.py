"""Invented facts with sentences that say the same, less, the contrary, or something beside, in Japanese and English.

Each kind of fact is a function of a random chooser. Its sentences are pairs (Japanese, English).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from fact_words import (
    BENEFITS,
    BODIES,
    FACILITIES,
    MEASURES,
    OUTCOMES,
    PLACES,
    RULES,
    SERVICES,
    STUDIES,
    TREATMENTS,
    Word,
)

Sentences = list[Word]


@dataclass(frozen=True)
class Fact:
    """`same` sentences entail one another and `less`; `contrary` ones contradict `same`, `beside` ones are open."""

    same: Sentences
    less: Sentences
    contrary: Sentences
    beside: Sentences


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def two(pool: tuple[Word, ...], chooser: random.Random) -> tuple[Word, Word]:
    first, second = chooser.sample(pool, 2)
    return first, second


def amount(chooser: random.Random) -> int:
    return chooser.choice((5_000, 8_000, 10_000, 15_000, 20_000, 30_000, 45_000, 50_000, 60_000, 100_000, 300_000))


def yen(value: int, chooser: random.Random) -> str:
    """15000 as 15,000円, 1万5,000円 or 1万5千円."""
    high, low = divmod(value, 10_000)
    thousands, rest = divmod(low, 1_000)
    forms = [f"{value:,}円", f"{value}円"]
    if high and not low:
        forms += [f"{high}万円"] * 2
    elif high:
        forms += [f"{high}万{low:,}円"] + ([f"{high}万{thousands}千円"] if not rest else [])
    return chooser.choice(forms)


def percent(value: int, chooser: random.Random) -> str:
    forms = [f"{value}%", f"{value}%", f"{value}パーセント"]
    if value % 10 == 0:
        forms.append(f"{value // 10}割")
    return chooser.choice(forms)


def other_number(value: int, chooser: random.Random) -> int:
    """A clearly different number of the same size."""
    return max(1, round(value * chooser.choice((0.3, 0.5, 0.6, 1.5, 1.8, 2, 3)))) if value > 3 else value + 2


def trend(chooser: random.Random) -> Fact:
    (pj, pe), (qj, qe) = two(PLACES, chooser)
    (mj, me), (nj, ne) = two(MEASURES, chooser)
    year, n = chooser.randint(1995, 2024), chooser.randint(2, 48)
    k = other_number(n, chooser)
    ups = (("増加した", "増えた", "上昇した", "上回った"), ("increased", "rose", "grew", "went up"))
    downs = (("減少した", "減った", "低下した", "下回った"), ("decreased", "fell", "declined", "went down"))
    (uj, ue), (dj, de) = (ups, downs) if chooser.random() < 0.5 else (downs, ups)
    u, v, d = chooser.choice(uj[:3]), chooser.choice(ue), chooser.choice(dj[:3])
    back = chooser.choice(de)

    def full(place: Word, measure: Word, when: int, verb: Word, by: int) -> Word:
        forms = [
            (
                f"{when}年の{place[0]}の{measure[0]}は前年に比べて{percent(by, chooser)}{verb[0]}。",
                f"In {when}, {measure[1]} in {place[1]} {verb[1]} by {by}% from the year before.",
            ),
            (
                f"{place[0]}では{measure[0]}が{when}年に{percent(by, chooser)}{verb[0]}。",
                f"{capital(measure[1])} in {place[1]} {verb[1]} by {by} percent in {when}.",
            ),
            (
                f"統計によると、{place[0]}の{measure[0]}は{when}年、前の年から{percent(by, chooser)}{verb[0]}という。",
                f"According to official statistics, {measure[1]} in {place[1]} {verb[1]} {by}% in {when}.",
            ),
        ]
        return chooser.choice(forms)

    p, m, up, down = (pj, pe), (mj, me), (u, v), (d, back)
    less = [
        (f"{pj}の{mj}は{year}年に{chooser.choice(uj[:3])}。", f"{capital(me)} in {pe} {chooser.choice(ue)} in {year}."),
        (f"{pj}では{mj}が{chooser.choice(uj[:3])}。", f"{capital(me)} {chooser.choice(ue)} in {pe}."),
        (
            f"{year}年、{pj}の{mj}は前年を{uj[3]}。",
            f"In {year} {me} in {pe} was {'above' if ue is ups[1] else 'below'} the year before.",
        ),
    ]
    contrary = [
        full(p, m, year, down, n),
        (f"{pj}の{mj}は{year}年に{d}。", f"{capital(me)} in {pe} {back} in {year}."),
        (f"{year}年、{pj}の{mj}は前年とほぼ同じだった。", f"In {year}, {me} in {pe} hardly changed."),
        (f"{pj}の{mj}は{year}年に変化しなかった。", f"{capital(me)} in {pe} did not change in {year}."),
        full(p, m, year, up, k),
    ]
    beside = [
        full((qj, qe), m, year, up, n),
        full(p, (nj, ne), year, up, n),
        full(p, m, year + chooser.choice((-6, -4, 3, 5)), chooser.choice((up, down)), k),
        (f"{qj}の{mj}は{pj}より多い。", f"{capital(me)} in {qe} is higher than in {pe}."),
        (f"{pj}の{mj}が{u}のは{nj}のためである。", f"The change in {me} in {pe} was caused by {ne}."),
    ]
    return Fact([full(p, m, year, up, n) for _ in range(3)], less, contrary, beside)


def effect(chooser: random.Random) -> Fact:
    (tj, te), (xj, xe) = two(TREATMENTS, chooser)
    (oj, oe), (zj, ze) = two(OUTCOMES, chooser)
    (sj, se), n = chooser.choice(STUDIES), chooser.randint(5, 60)
    more = [
        (f"{tj}は{oj}を増やした。", f"{capital(te)} increased {oe}."),
        (f"{tj}により{oj}のリスクが高まった。", f"{capital(te)} was associated with a higher risk of {oe}."),
        (f"{sj}では、{tj}で{oj}が{n}%増加した。", f"{se} found that {te} raised {oe} by {n}%."),
        (f"{tj}を受けた群では{oj}が有意に多かった。", f"{capital(oe)} was significantly more frequent with {te}."),
    ]
    fewer = [
        (f"{tj}は{oj}を減らした。", f"{capital(te)} reduced {oe}."),
        (f"{tj}により{oj}のリスクが下がった。", f"{capital(te)} was associated with a lower risk of {oe}."),
        (f"{sj}では、{tj}で{oj}が{n}%減少した。", f"{se} found that {te} cut {oe} by {n}%."),
        (f"{tj}を受けた群では{oj}が有意に少なかった。", f"{capital(oe)} was significantly less frequent with {te}."),
    ]
    none = [
        (f"{tj}は{oj}に影響しなかった。", f"{capital(te)} had no effect on {oe}."),
        (f"{sj}では、{tj}の有無で{oj}に差は認められなかった。", f"{se} found no difference in {oe} with {te}."),
        (f"{tj}と{oj}との間に関連はみられなかった。", f"There was no association between {te} and {oe}."),
        (f"{tj}を続けても{oj}は変わらなかった。", f"{capital(oe)} was the same with and without {te}."),
    ]
    sides = [more, fewer, none]
    place = chooser.randrange(3)
    same = sides.pop(place)
    word = ("増える", "減る", "変わらない")[place]
    less = [
        (f"{tj}で{oj}は{word}。", f"With {te}, {oe} {('goes up', 'goes down', 'stays the same')[place]}."),
        (
            f"{tj}は{oj}を{('高める', '抑える', '左右しない')[place]}。",
            f"{capital(te)} {('raises', 'lowers', 'does not alter')[place]} {oe}.",
        ),
    ]
    if place == 2:
        less.append((f"{tj}が{oj}を増やすという証拠はない。", f"There is no evidence that {te} increases {oe}."))
    beside = [
        (f"{tj}は{zj}を減らした。", f"{capital(te)} reduced {ze}."),
        (f"{tj}により{zj}が増えた。", f"{capital(te)} increased {ze}."),
        (f"{xj}は{oj}を減らした。", f"{capital(xe)} reduced {oe}."),
        (f"{tj}は{xj}より優れている。", f"{capital(te)} is better than {xe}."),
        (f"{tj}の費用は年々上がっている。", f"The cost of {te} rises every year."),
    ]
    return Fact(same, less, [*sides[0], *sides[1]], beside)


def benefit(chooser: random.Random) -> Fact:
    (cj, ce), (gj, ge) = two(PLACES[:12], chooser)
    (bj, be), (aj, ae) = two(BENEFITS, chooser)
    old, new = sorted(chooser.sample([5_000, 8_000, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000], 2))
    if chooser.random() < 0.4:
        old, new = new, old
    far = chooser.choice((12_000, 25_000, 40_000, 90_000))
    year, month = chooser.randint(2012, 2026), chooser.randint(1, 12)
    up = new > old
    raised, cut = ("引き上げた", "増額した"), ("引き下げた", "減額した")
    mine, others = (raised, cut) if up else (cut, raised)
    verb, back = ("raised", "cut") if up else ("cut", "raised")

    def y(value: int) -> str:
        return yen(value, chooser)

    same = [
        (
            f"{cj}は{year}年{month}月から{bj}を月額{y(old)}から{y(new)}に{chooser.choice(mine)}。",
            f"From month {month} of {year}, {ce} {verb} {be} from {old:,} to {new:,} yen a month.",
        ),
        (
            f"{cj}の{bj}は{year}年{month}月、月{y(old)}から月{y(new)}に変わった。",
            f"In month {month} of {year}, {be} in {ce} went from {old:,} yen to {new:,} yen a month.",
        ),
    ]
    less = [
        (f"{cj}の{bj}は月額{y(new)}になった。", f"{capital(be)} in {ce} became {new:,} yen a month."),
        (f"{cj}は{bj}を{chooser.choice(mine)}。", f"{ce} {verb} {be}."),
        (f"{cj}の{bj}は以前は月{y(old)}だった。", f"{capital(be)} in {ce} used to be {old:,} yen a month."),
        (f"{bj}の変更は{year}年からである。", f"The change of {be} took effect in {year}."),
    ]
    contrary = [
        (f"{cj}は{bj}を{chooser.choice(others)}。", f"{ce} {back} {be}."),
        (f"{cj}の{bj}は月額{y(far)}になった。", f"{capital(be)} in {ce} became {far:,} yen a month."),
        (f"{cj}の{bj}は据え置かれた。", f"{capital(be)} in {ce} was left unchanged."),
        (f"{cj}は{bj}を廃止した。", f"{ce} abolished {be}."),
        (f"{bj}の変更は{year + chooser.choice((-3, -2, 2, 4))}年からである。", f"{ce} has never changed {be}."),
    ]
    beside = [
        (f"{gj}の{bj}は月額{y(new)}である。", f"{capital(be)} in {ge} is {new:,} yen a month."),
        (f"{cj}は{aj}も{chooser.choice(mine)}。", f"{ce} also {verb} {ae}."),
        (f"{cj}の{bj}は全国で最も高い。", f"{capital(be)} in {ce} is the highest in the country."),
        (f"{bj}の変更で{cj}の出生率が上がった。", f"The change of {be} raised the birth rate in {ce}."),
        (f"{cj}の{aj}は月額{y(far)}である。", f"{capital(ae)} in {ce} is {far:,} yen a month."),
    ]
    return Fact(same, less, contrary, beside)


def condition(chooser: random.Random) -> Fact:
    (cj, ce), (bj, be), (aj, ae) = chooser.choice(PLACES[:12]), *two(BENEFITS, chooser)
    age, other = chooser.sample((3, 6, 12, 15, 18, 22), 2)
    has_limit = chooser.random() < 0.5
    with_limit = [
        (f"{cj}の{bj}には所得制限がある。", f"In {ce}, {be} is subject to an income limit."),
        (
            f"{cj}では、所得が一定額を超える世帯は{bj}を受けられない。",
            f"In {ce}, households above a certain income do not get {be}.",
        ),
    ]
    without = [
        (f"{cj}の{bj}に所得制限はない。", f"In {ce}, {be} has no income limit."),
        (f"{cj}では所得にかかわらず{bj}を受けられる。", f"In {ce}, {be} is paid regardless of income."),
        (f"{cj}は{bj}の所得制限を撤廃した。", f"{ce} has removed the income limit for {be}."),
    ]
    mine, others = (with_limit, without) if has_limit else (without, with_limit)
    tail_ja = "所得制限があり" if has_limit else "所得制限はなく"
    tail_en = "has an income limit" if has_limit else "has no income limit"
    same = [
        (
            f"{cj}の{bj}は{age}歳までの子どもが対象で、{tail_ja}、毎月支払われる。",
            f"In {ce}, {be} {tail_en}, covers children up to age {age} and is paid monthly.",
        ),
        (
            f"{cj}の{bj}は{tail_ja}、対象は{age}歳までの子どもで、支給は毎月である。",
            f"{capital(be)} in {ce} is paid every month for children up to {age} and {tail_en}.",
        ),
    ]
    less = [
        *mine,
        (f"{bj}の対象は{age}歳までである。", f"{capital(be)} is for children up to age {age}."),
        (f"{bj}は毎月支給される。", f"{capital(be)} is paid every month."),
    ]
    contrary = [
        *others,
        (f"{bj}の対象は{other}歳までである。", f"{capital(be)} is for children up to age {other}."),
        (f"{bj}の支給は年に一度である。", f"{capital(be)} is paid once a year."),
    ]
    beside = [
        (f"{cj}の{aj}に所得制限はない。", f"In {ce}, {ae} has no income limit."),
        (f"{cj}の{aj}は{age}歳までの子どもが対象である。", f"In {ce}, {ae} covers children up to age {age}."),
        (f"{bj}の財源は国が負担する。", f"{capital(be)} is financed by the state."),
        (f"{bj}の申請は郵送でもできる。", f"Applications for {be} can be sent by post."),
    ]
    return Fact(same, less, contrary, beside)


def comparison(chooser: random.Random) -> Fact:
    (pj, pe), (qj, qe) = two(PLACES, chooser)
    (mj, me), (nj, ne) = two(MEASURES, chooser)
    low, high = sorted(chooser.sample(range(11, 95), 2))
    if high - low < 5:
        high += 8
    same = [
        (f"{mj}の指数は{pj}が{high}、{qj}が{low}だった。", f"The index of {me} was {high} in {pe} and {low} in {qe}."),
        (
            f"{mj}を比べると、{pj}の{high}に対し{qj}は{low}にとどまった。",
            f"Compared by {me}, {pe} had {high} points against {low} in {qe}.",
        ),
    ]
    less = [
        (f"{mj}は{qj}より{pj}のほうが高い。", f"{capital(me)} is higher in {pe} than in {qe}."),
        (f"{qj}の{mj}は{pj}を下回る。", f"{capital(me)} in {qe} is below that of {pe}."),
        (f"{pj}の{mj}の指数は{high}である。", f"The index of {me} in {pe} is {high}."),
    ]
    contrary = [
        (f"{mj}は{pj}より{qj}のほうが高い。", f"{capital(me)} is higher in {qe} than in {pe}."),
        (f"{pj}の{mj}は{qj}を下回る。", f"{capital(me)} in {pe} is below that of {qe}."),
        (f"{pj}と{qj}の{mj}に差はない。", f"{capital(me)} does not differ between {pe} and {qe}."),
        (f"{pj}の{mj}の指数は{low}である。", f"The index of {me} in {pe} is {low}."),
    ]
    beside = [
        (f"{nj}は{pj}のほうが高い。", f"{capital(ne)} is higher in {pe} than in {qe}."),
        (f"{pj}の{mj}は年々伸びている。", f"{capital(me)} in {pe} grows every year."),
        (f"{pj}の{mj}は世界で最も高い。", f"{capital(me)} in {pe} is the highest in the world."),
    ]
    return Fact(same, less, contrary, beside)


def number(chooser: random.Random) -> Fact:
    (pj, pe), (qj, qe) = two(PLACES, chooser)
    (fj, fe), (hj, he) = two(FACILITIES, chooser)
    n, year = chooser.randint(12, 4800), chooser.randint(2005, 2025)
    k = other_number(n, chooser)
    bound = 10 ** (len(str(n)) - 1) * int(str(n)[0])
    same = [
        (f"{year}年現在、{pj}には{fj}が{n:,}か所ある。", f"As of {year}, there are {n:,} {fe} in {pe}."),
        (f"{pj}の{fj}は{year}年の時点で{n}か所である。", f"In {year}, {pe} had {n} {fe}."),
    ]
    less = [
        (f"{pj}には{bound:,}か所以上の{fj}がある。", f"There are at least {bound:,} {fe} in {pe}."),
        (f"{pj}に{fj}は{n}か所ある。", f"{pe} has {n} {fe}."),
        (f"{pj}の{fj}は{bound * 10:,}か所に満たない。", f"{pe} has fewer than {bound * 10:,} {fe}."),
    ]
    contrary = [
        (f"{year}年現在、{pj}には{fj}が{k:,}か所ある。", f"As of {year}, there are {k:,} {fe} in {pe}."),
        (f"{pj}の{fj}は{bound}か所に満たない。", f"{pe} has fewer than {bound} {fe}."),
        (f"{pj}に{fj}は一つもない。", f"There are no {fe} in {pe}."),
        (f"{pj}には{bound * 10:,}か所を超える{fj}がある。", f"There are more than {bound * 10:,} {fe} in {pe}."),
    ]
    beside = [
        (f"{qj}には{fj}が{n:,}か所ある。", f"There are {n:,} {fe} in {qe}."),
        (f"{pj}には{hj}が{k}か所ある。", f"There are {k} {he} in {pe}."),
        (f"{pj}の{fj}は十年前の二倍になった。", f"The number of {fe} in {pe} has doubled in ten years."),
        (f"{pj}の{fj}は混雑している。", f"{capital(fe)} in {pe} are crowded."),
    ]
    return Fact(same, less, contrary, beside)


def status(chooser: random.Random) -> Fact:
    (pj, pe), (bj, be) = chooser.choice(PLACES[:12]), chooser.choice(BODIES)
    (wj, we), (aj, ae) = two(BENEFITS, chooser)
    year, month = chooser.randint(2010, 2027), chooser.randint(1, 12)
    begun, ended = ("始めた", "導入した", "開始した"), ("終了した", "打ち切った", "廃止した")
    mine, others = (begun, ended) if chooser.random() < 0.6 else (ended, begun)
    ve, vo = ("introduced", "ended") if mine is begun else ("ended", "introduced")
    same = [
        (f"{pj}は{year}年{month}月、{wj}を{chooser.choice(mine)}。", f"In {year}, {pe} {ve} {we}."),
        (f"{wj}を{pj}が{chooser.choice(mine)}のは{year}年{month}月である。", f"It was in {year} that {pe} {ve} {we}."),
    ]
    less = [
        (f"{pj}は{wj}を{chooser.choice(mine)}。", f"{pe} {ve} {we}."),
        (
            f"{wj}は{year}年に{pj}で{'始まった' if mine is begun else '終わった'}。",
            f"{capital(we)} was {ve} in {pe} in {year}.",
        ),
    ]
    contrary = [
        (f"{pj}は{year}年に{wj}を{chooser.choice(others)}。", f"In {year}, {pe} {vo} {we}."),
        (f"{pj}は{wj}をまだ{'導入していない' if mine is begun else '続けている'}。", f"{pe} has not yet {ve} {we}."),
        (
            f"{pj}が{wj}を{chooser.choice(mine)}のは{year + chooser.choice((-4, -2, 3, 5))}年である。",
            f"{pe} has never {ve} {we}.",
        ),
        (
            f"{pj}で{wj}が{'始まった' if mine is begun else '終わった'}という事実はない。",
            f"It is not true that {pe} {ve} {we}.",
        ),
    ]
    beside = [
        (f"{pj}は{aj}を{chooser.choice(begun)}。", f"{pe} introduced {ae}."),
        (f"{bj}は{wj}の見直しを検討している。", f"{capital(be)} is considering a review of {we}."),
        (f"{wj}の利用者は{year}年に増えた。", f"More people used {we} in {year}."),
        (f"{wj}は住民に好評である。", f"{capital(we)} is popular with residents."),
    ]
    return Fact(same, less, contrary, beside)


def rule(chooser: random.Random) -> Fact:
    (sj, se), (xj, xe) = two(SERVICES, chooser)
    (rj, re_), (qj, qe) = two(RULES, chooser)
    needed = [
        (f"{sj}には{rj}が必要である。", f"{capital(se)} requires {re_}."),
        (f"{sj}は{rj}がなければできない。", f"{capital(se)} is not possible without {re_}."),
        (f"{rj}は{sj}の条件とされている。", f"{capital(re_)} is a condition for {se}."),
    ]
    free = [
        (f"{sj}に{rj}は不要である。", f"{capital(se)} does not require {re_}."),
        (f"{sj}は{rj}なしで認められている。", f"{capital(se)} is allowed without {re_}."),
        (f"{rj}がなくても{sj}ができる。", f"No {re_.removeprefix('a ')} is needed for {se}."),
    ]
    same, contrary = (needed, free) if chooser.random() < 0.5 else (free, needed)
    beside = [
        (f"{sj}には{qj}が必要である。", f"{capital(se)} requires {qe}."),
        (f"{xj}には{rj}が必要である。", f"{capital(xe)} requires {re_}."),
        (f"{sj}は無料である。", f"{capital(se)} is free of charge."),
        (f"{rj}には一週間ほどかかる。", f"Getting {re_} takes about a week."),
    ]
    return Fact(same, same, contrary, beside)


KINDS: tuple[Callable[[random.Random], Fact], ...] = (
    trend, effect, effect, benefit, condition, comparison, number, status, rule,
)  # fmt: skip
