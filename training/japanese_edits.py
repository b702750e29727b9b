"""Edits of Japanese sentences by rule: shorter or restyled ones that still hold, and ones turned against themselves."""

from __future__ import annotations

import random
import re

OPPOSITES = """
増加 減少|増え 減っ|上昇 下降|上昇 低下|高い 低い|高く 低く|高かっ 低かっ|多い 少ない|多く 少なく|多かっ 少なかっ|
大きい 小さい|大きな 小さな|大きく 小さく|長い 短い|長く 短く|古い 新しい|強い 弱い|強く 弱く|広い 狭い|最大 最小|
最高 最低|最初 最後|最古 最新|以上 未満|以降 以前|前半 後半|開始 終了|賛成 反対|成功 失敗|勝利 敗北|可能 不可能|
必要 不要|安全 危険|有利 不利|肯定 否定|拡大 縮小|設立 解散|開設 閉鎖|上流 下流|東部 西部|北部 南部|東側 西側|
北側 南側|輸出 輸入|生産 消費|公開 非公開|積極的 消極的|有名 無名|すべて 一部|全て 一部|男性 女性|父 母|兄 弟|
昼 夜|夏 冬|春 秋|前者 後者|国内 国外|採用 却下|許可 禁止|義務 任意|有料 無料|合法 違法|上位 下位|優勝 敗退|
結婚 離婚|就任 辞任|入学 卒業|誕生 死去|促進 抑制|改善 悪化
"""
SWAPS = {
    word: other
    for pair in OPPOSITES.replace("\n", "").split("|")
    for word, other in (pair.split(), reversed(pair.split()))
}
SWAP = re.compile("|".join(sorted(SWAPS, key=len, reverse=True)))
NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d.,])")
ENDINGS = (
    ("しました。", "しませんでした。"),
    ("されました。", "されませんでした。"),
    ("になりました。", "にはなりませんでした。"),
    ("でした。", "ではありませんでした。"),
    ("ました。", None),
    ("ではありません。", "です。"),
    ("です。", "ではありません。"),
    ("ています。", "ていません。"),
    ("があります。", "はありません。"),
    ("されます。", "されません。"),
    ("します。", "しません。"),
    ("が存在する。", "は存在しない。"),
    ("ではない。", "である。"),
    ("である。", "ではない。"),
    ("であった。", "ではなかった。"),
    ("だった。", "ではなかった。"),
    ("なかった。", None),
    ("されている。", "されていない。"),
    ("している。", "していない。"),
    ("ている。", "ていない。"),
    ("された。", "されなかった。"),
    ("した。", "しなかった。"),
    ("される。", "されない。"),
    ("できる。", "できない。"),
    ("がある。", "はない。"),
    ("があった。", "はなかった。"),
    ("となった。", "とはならなかった。"),
    ("になった。", "にはならなかった。"),
    ("となる。", "とはならない。"),
    ("となっている。", "とはなっていない。"),
    ("する。", "しない。"),
)
STYLES = (
    ("である。", ("です。", "だ。")),
    ("であった。", ("でした。", "だった。")),
    ("だった。", ("でした。", "であった。")),
    ("した。", ("しました。",)),
    ("された。", ("されました。",)),
    ("している。", ("しています。",)),
    ("されている。", ("されています。",)),
    ("する。", ("します。",)),
    ("される。", ("されます。",)),
    ("となった。", ("になりました。", "になった。")),
    ("がある。", ("があります。", "が存在する。")),
    ("ではない。", ("ではありません。",)),
)
LEAD = re.compile(
    r"^(?:また|しかし|なお|一方|その後|さらに|ただし|そして|特に|例えば|なかでも|このため|そのため|このように|同時に|"
    r"これにより|ちなみに|実際に|もっとも)、?"
)
ADVERBIAL = re.compile(
    r"^[^、。は]{2,18}(?:年|月|日|頃|当時|以降|以来|中|後|前|際|では|には|により|によって|によれば|によると)"
    r"(?:に、?|、)"
)
ASIDE = re.compile(r"（[^（）]*）|\([^()]*\)|\[[^\]]*\]|〈[^〉]*〉")
TOPIC = re.compile(r"^([^、。はがを]{2,16}は)、?(.+)$")
LINK = re.compile(r"(?:て|で|し|され|おり|あり|なり|であり)、")


def shortened(sentence: str, chooser: random.Random) -> str | None:
    """The sentence with less in it; what remains still holds."""
    text = LEAD.sub("", ASIDE.sub("", sentence))
    rules = [drop_adverbial, last_clause, restyled]
    chooser.shuffle(rules)
    for rule in rules:
        text = rule(text, chooser) or text
        if text != sentence and chooser.random() < 0.5:
            break
    return text if text != sentence and len(text) >= 10 else None


def drop_adverbial(sentence: str, chooser: random.Random) -> str | None:
    cut = ADVERBIAL.sub("", sentence, count=1)
    return cut if cut != sentence and len(cut) >= 10 else None


def last_clause(sentence: str, chooser: random.Random) -> str | None:
    """`XはAし、Bした。` to `XはBした。`"""
    match = TOPIC.match(sentence)
    parts = LINK.split(match.group(2)) if match else []
    if len(parts) != 2 or len(parts[1]) < 6 or "は" in parts[1][:12] or "が" in parts[1][:12]:
        return None
    return match.group(1) + parts[1] if match else None


def restyled(sentence: str, chooser: random.Random) -> str | None:
    for ending, others in sorted(STYLES, key=lambda each: -len(each[0])):
        if sentence.endswith(ending):
            return sentence.removesuffix(ending) + chooser.choice(others)
    return None


def contradicted(sentence: str, chooser: random.Random) -> str | None:
    """The sentence with a word, a number or its ending turned; None where no rule applies."""
    rules = [swap_word, change_number, change_number, negate]
    chooser.shuffle(rules)
    for rule in rules:
        changed = rule(sentence, chooser)
        if changed and changed != sentence:
            return changed
    return None


def swap_word(sentence: str, chooser: random.Random) -> str | None:
    places = list(SWAP.finditer(sentence))
    if not places:
        return None
    match = chooser.choice(places)
    return sentence[: match.start()] + SWAPS[match.group()] + sentence[match.end() :]


def change_number(sentence: str, chooser: random.Random) -> str | None:
    places = list(NUMBER.finditer(sentence))
    if not places:
        return None
    match = chooser.choice(places)
    value = int(match.group())
    steps = (-14, -7, -3, -2, 2, 3, 6, 12) if value > 31 else (1, 2, 3, 5)
    return sentence[: match.start()] + str(max(1, value + chooser.choice(steps))) + sentence[match.end() :]


def negate(sentence: str, chooser: random.Random) -> str | None:
    for ending, other in ENDINGS:
        if sentence.endswith(ending):
            return sentence.removesuffix(ending) + other if other else None
    return None
