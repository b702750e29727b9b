"""What makes a Japanese sentence a checkable statement, and what makes it none."""

import re

from lyra.claims.furniture import BIOGRAPHY_JA, BOILERPLATE_JA
from lyra.claims.words import core_words

MIN_CHARS = 15
MAX_CHARS = 250
BASE = 0.4

_QUESTION = re.compile(r"[?？][」』）]*$|(?:です|ます|だろう|でしょう|の|ない|た|る|い)か[。」』）]*$|(?:とは|って)何")
_TRUNCATED = re.compile(r"(?:…+|\.{3}|・・・)[。」』）]*$|^(?:…|・・・)")
_FURNITURE = re.compile(r"https?://|www\.|[\w.+-]+@[\w-]+\.\w+|[|｜»›＞>].*[|｜»›＞>]|〒|^\[?\d+\]?$|^\^")
_REFERENCE = re.compile(r"\d{4}\s?;\s?\d+|\bdoi\b|ISBN|PMID|\bpp?\.\s?\d|閲覧[。)）]?$", re.I)
_REQUEST = r"ください|下さい|ましょう|(?:て|で)いただきます|お願い(?:し|いた|致)?ます"
_REQUESTED = re.compile(rf"(?:{_REQUEST})[。」』）]*\s*$")
_IMPERATIVE = re.compile(
    rf"(?:{_REQUEST}|ませんか|なさい|べからず|すること|ないこと|うこと|ること|しよう|ほしい|お勧めします|おすすめします|"
    r"いかがでしょうか)[。」』）]*$"
)
_PERSONAL = re.compile(
    r"私(?![立有費的設鉄道法人])|僕|俺|わたし|ぼく|(?<!の)うち(?:の|では)|筆者|弊社|当(?:院|社|科|会|クリニック|研究所|協会|センター)|我々|われわれ|あなた|皆さん|"
    r"皆様|みなさん|言われました|言われた|もらいました|いただきました|てみました|出かけました|個人的|"
    r"思います|思いました|感じます|感じました|でしょうね|"
    r"ですよね|ですね|ますね|んです|のです(?:よ|ね)|(?:よ|ね|な|わ|ぞ|さ)[。！!]$|かな[。」]*$|かも[。」]*$|"
    r"[（(](?:笑|汗|涙)[）)]|(?:笑|汗|涙)。?$|ｗ+|w{2,}|[！!][」』）]*$"
)
# How somebody feels; how many people do is a finding.
_FEELING = re.compile(r"気分が|感じて(?:いる|います)|と感じる|思った|思っている")
_LABEL = re.compile(
    r"^(?:【[^】]{1,12}】|[〔［\[](?:目的|方法|結果|結論|考察|背景)[〕］\]]|(?:目的|方法|結果|結論|考察|"
    r"背景)[:：])\s*"
)
_DISCOURSE = re.compile(
    r"^(?:しかしながら|ただ(?=、)|ところで|しかし|また|さらに|更に|一方で?|他方|なお|ただし|但し|そのため|"
    r"このため|そこで|したがって|従って|よって|つまり|すなわち|例えば|たとえば|特に|とくに|とりわけ|まず|次に|"
    r"最後に|ところが|だが|ですが|そして|加えて|それに対し(?:て)?|これに対し(?:て)?|その結果|この結果|"
    r"結果として|以上より|以上から|総じて|要するに|実際(?:に)?|事実|もちろん|ちなみに|反対に|逆に|同様に|"
    r"とはいえ|もっとも|結論として|それでも|その一方で?|他に|ほかに|これにより|それにより|けれども)、?(?=.)"
)
_FRAME = re.compile(
    r"^(?:これら(?:の|は)?|この|その|本|今回の|以上の)(?:結果|知見|研究|試験|解析|検討|調査|データ|報告)(?:から|"
    r"により|によって|によれば|によると|では)は?、(?=.)"
)
_HANGING = re.compile(
    r"^(?:もし|これ|それ|あれ|そんな|こんな|あんな|この|その|あの|こう|そう(?!痒)|ああ|こちら|そちら|ここ|そこ|"
    r"かれら|彼|同(?:氏|社|院|薬|剤|試験|研究|委員会|機構|省|庁|部|法|国|年|月|日|時|じ)|多くは|大半は|一部は|"
    r"前者|後者|上記|下記|以下|次の|上述|前述|両者|双方|いずれ|どちら|どれも|他の|ほかの|残り|うち|当時|当該|"
    r"本(?:剤|薬|試験|研究|症|品|件|報告|解析|調査|法)|今回|昨年|一昨年|先月|後に|のち|という|といった|ため、|"
    r"が、|で、|と、|に、|[もはをの](?![ぁ-ん])|"
    r"(?:[町市村県区](?:長|議会)?|知事|効果|影響|差)(?:は|では|が|によると|によれば))"
)
_PREDICATE = re.compile(
    r"(?:る|た|だ|です|ます|ません|ました|でした|ない|なかった|ある|いる|れる|い|う|く|す|つ|ぬ|む|ぶ|ぐ|得る|"
    r"とのこと|という|見込み|模様)(?:[（(][^）)]*[）)])?[。．.]?[」』）)]*$"
)
_PARTICLE = re.compile(r"[一-龥ァ-ヶー々〆a-zA-Z0-9０-９）」』%％ぁ-ん](?:は|が|も|では|には|を)")
# は and が mark what is spoken of; では and には only say where.
_SUBJECT = re.compile(
    r"(?<![でにとへ])は|[一-龥ァ-ヶー々a-zA-Z0-9%％）)」』りとの]が(?!、)|[一-龥ァ-ヶー々a-zA-Z0-9]も"
)
_FINISHED = re.compile(r"[。．.][」』）)]*$|[。」』]$")

_NUMBER = re.compile(
    r"[0-9０-９]+|[一二三四五六七八九十百千万億兆]+(?:人|例|件|割|倍|円|年|か月|カ月|ヶ月|回|種|社|カ国|か国)"
)
_UNIT = re.compile(
    r"(?:[0-9０-９]|十|百|千|万|億)\s?(?:%|％|パーセント|ポイント|倍|人|例|件|名|年|か月|カ月|ヶ月|か所|週|日|"
    r"時間|分|円|ドル|万|億|mg|g|kg|ml|mL|km|cm|mm|m|度|℃|割|回|点|位|歳|社|台|本|種類|カ国|か国)|ハザード比|"
    r"オッズ比|リスク比|信頼区間"
)
_ENTITY = re.compile(
    r"[ァ-ヶー]{3,}|[A-Za-z]{2,}[\w-]*|[一-龥]{4,}|[一-龥]{2,}(?:省|庁|大学|病院|学会|機構|委員会|研究所|"
    r"株式会社|県|市)"
)
_COMPARISON = re.compile(
    r"より(?:も|高|低|多|少|大|小|長|短|早|遅|良|優|劣)|と?比べ|比較し|に対し|倍|高い|低い|高かった|低かった|"
    r"多い|少ない|多かった|少なかった|大きい|小さい|上回|下回|同等|同程度|差(?:は|が|を)|最も|もっとも|最大|"
    r"最小|最多|以上|未満|超え|優れ|劣(?:る|ら|っ)"
)
_EFFECT = re.compile(
    r"により|によって|させ(?:る|た|ない)|引き起こ|原因|要因|高め|低め|低下|減少|増加|上昇|下降|抑制|改善|悪化|"
    r"関連|関係|リスク|有意|効果|有効|予防|影響|促進|阻害|発症|発現|誘発|寄与|承認|禁止|認め|示(?:し|さ|す)|"
    r"確認|報告|明らか|判明|安全|副作用|死亡|必要|増え|減(?:る|っ|ら)|上が|下が"
)
_HEDGE = re.compile(
    r"可能性|と考えら|とみら|と見ら|とされ|示唆|かもしれ|おそれ|恐れ|推定|推測|推計|思われ|だろう|でしょう|"
    r"らしい|ようだ|ようである|見込|疑(?:い|わ)|不明|議論|期待さ|場合がある|ことがある|ことがあります|"
    r"場合があります"
)
_OPINION = re.compile(
    r"べき|すごい|素晴らし|嬉し|うれし|楽し|残念|好き|嫌い|美味し|おいし|ぜひ|おすすめ|安心です|大切です|"
    r"大事です|心配"
)
_INNER_HANGING = re.compile(
    r"(?:こうした|そうした|このような|そのような|これら|それら|この(?:薬|研究|試験|効果|結果|差|問題|点|ため|"
    r"場合)|その(?:後|ため|うち|他|ほか|差|結果|効果)|前述|上記|同薬|同剤|同社|同氏)"
)


def standing(text: str) -> str:
    """The sentence without labels, leading conjunctions and the frame of a report."""
    bare = text
    for pattern in (_LABEL, _DISCOURSE, _FRAME, _DISCOURSE):
        bare = pattern.sub("", bare, count=1).lstrip()
    return bare


def rejection(sentence: str, text: str) -> str | None:
    """Why this is no checkable statement, or none. `sentence` as it stands, `text` as `standing` leaves it."""
    if not MIN_CHARS <= len(text) <= MAX_CHARS:
        return "length"
    if _QUESTION.search(text):
        return "question"
    if _TRUNCATED.search(sentence):
        return "unfinished"
    if _FURNITURE.search(text) or _REFERENCE.search(text):
        return "furniture"
    if BOILERPLATE_JA.search(text) or BIOGRAPHY_JA.search(text):
        return "boilerplate"
    if _IMPERATIVE.search(text):
        return "imperative"
    if _PERSONAL.search(text) or (_FEELING.search(text) and not _NUMBER.search(text)):
        return "personal"
    if hangs(text):
        return "hanging"
    if not (_PREDICATE.search(text) and _PARTICLE.search(text)):
        return "no verb"
    if _explains_itself(text):
        return "tautology"
    return None if _FINISHED.search(sentence) or len(text) >= 2 * MIN_CHARS else "heading"


def hangs(text: str) -> bool:
    """Whether it opens with a word for what a sentence before has named, or leaves out its subject."""
    return bool(_HANGING.match(text)) or not _SUBJECT.search(text)


def is_request(sentence: str) -> bool:
    """Whether it asks people for something; who asks does not say that they do it."""
    return bool(_REQUESTED.search(sentence))


def _explains_itself(text: str) -> bool:
    """A definition in nothing but the words of what it defines: 「給食費無償化とは、給食費が無償になることです。」"""
    defined, _, by = text.partition("とは、")
    return bool(by) and core_words(by) <= core_words(defined) | {"こと"}


def is_hedged(text: str) -> bool:
    """Whether the author holds back."""
    return bool(_HEDGE.search(text))


def worth(text: str) -> float:
    """How far the sentence is worth checking, 0 to 1: numbers, names, comparisons and effects raise it."""
    raised = (
        0.15 * bool(_NUMBER.search(text))
        + 0.10 * bool(_UNIT.search(text))
        + 0.15 * bool(_ENTITY.search(text))
        + 0.15 * bool(_COMPARISON.search(text))
        + 0.25 * bool(_EFFECT.search(text))
    )
    lowered = 0.05 * is_hedged(text) + 0.20 * bool(_OPINION.search(text)) + 0.20 * bool(_INNER_HANGING.search(text))
    return min(1.0, max(0.0, BASE + raised - lowered))
