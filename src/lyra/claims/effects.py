"""The effect a sentence speaks of: more, less, or none; it helps to find the sentence that answers a claim."""

import re
from enum import Enum

from lyra.claims.words import content_words
from lyra.text import is_japanese


class Effect(Enum):
    MORE = "+"
    LESS = "-"
    NONE = "0"


_EFFECT_STEMS = (
    "increas|decreas|reduc|lower|rais|rise|rose|affect|chang|effect|differ|associat|link|caus|risk|excess|improv|"
    "prevent|relat|impact|more|less|higher|greater|worse|benefit|alter|influenc|lead|correlat|evidence|protect|need|requir|"
    "disturb|interfer|harm|damag"
)
_NO = (
    "no|not|never|without|neither|nor|cannot|hardly|rarely|little|lack(?:s|ed)? of|absence of|none|unlikely to|"
    "fail(?:s|ed)? to"
)
_NONE = re.compile(
    rf"\b(?:{_NO})\b(?:\W+\w+){{0,5}}?\W+(?:{_EFFECT_STEMS})\w*|n['’]t\b(?:\W+\w+){{0,4}}?\W+(?:{_EFFECT_STEMS})\w*|"
    r"\b(?:unchanged|unaffected|neutral|non-?inferior|equally|independent of|unrelated|negligible|"
    r"(?:was|were|is|are) (?:the same|similar|equal|comparable)|similar (?:rates?|risk|numbers?)|"
    r"as (?:frequent|common|often|likely|rare) as)\b",
    re.I,
)
# Words for one direction each, the surest first: verbs of change, comparisons, verbs that only say "brings about".
_TIERS = (
    (
        re.compile(
            r"\b(?:increas\w*|rais\w*|rises?|rising|rose|risen|elevat\w*|doubl\w*|tripl\w*|worsen\w*|promot\w*|"
            r"twofold|threefold|times as|exacerbat\w*|enhanc\w*|boost\w*)\b",
            re.I,
        ),
        re.compile(
            r"\b(?:decreas\w*|reduc\w*|lower(?:s|ed|ing)?|declin\w*|falls?|fell|fallen|prevent\w*|protect\w*|"
            r"cuts?|drop\w*|inhibit(?:s|ed|ing)?|suppress\w*|diminish\w*|attenuat\w*|down-?regulat\w*)\b",
            re.I,
        ),
    ),
    (re.compile(r"\b(?:more|higher|greater|excess)\b", re.I), re.compile(r"\b(?:less|fewer)\b", re.I)),
    (
        re.compile(
            r"\b(?:caus(?:e|es|ed|ing)|associated with|linked to|leads? to|led to|induc(?:e[sd]?|ing)|trigger\w*)\b",
            re.I,
        ),
        None,
    ),
)
_UP_JA = r"増え|増加|増や|増大|高め|高ま|高く|上昇|上が|向上|伸び|延び|改善"
_DOWN_JA = r"減少|減ら|減り|減る|低下|下が|抑制"
# What stands before a "not" that denies nothing: at least, before long, not only, cannot but, may, must.
_NO_DENIAL_JA = (
    "少 少なく 限り まも 間も だけで ばかりで のみな もしれ しれ 避けられ 避けら 免れ 違い ちがい 欠かせ ほかな "
    "ことは 疑い 疑いは 好ましく"
)
_NOT_A_NO_JA = "".join(f"(?<!{before})" for before in _NO_DENIAL_JA.split())
_NO_JA = rf"{_NOT_A_NO_JA}(?:なかった|ない|なく|ません|せず|えず|れず|らず|ぬ(?=[。、]|$))"
_FOUND_JA = r"確認|認め|見[らいえつ出]|みられ|示さ|検出|実証|裏[づ付]け|証明|報告"
_NONE_JA = re.compile(
    rf"(?:効果|影響|差|関連|関係|変化|相関|増加|{_UP_JA}|{_DOWN_JA})[^。、]{{0,14}}?{_NO_JA}|"
    # "効果については、全国の研究で確認されていない": what was looked for may stand far before.
    rf"(?:効果|影響|差|関連|因果関係|変化|相関)[^。]{{0,40}}?(?:{_FOUND_JA})[^。、]{{0,7}}?{_NO_JA}|"
    rf"(?:ゼロ|0|偶然|誤差)(?:と|から)?(?:は|の)?[^。、]{{0,4}}区別[^。、]{{0,4}}{_NO_JA}|"
    r"変わら|中立|必要としな|不要|同程度|同等|横ばい|起こさ(?:な|ま|ず)|起こしにく|ほとんど(?:起こ|な|あり)|"
    r"(?:る|た|す)ことはない|"
    r"(?:効果|増加|差|上昇|低下|減少)[^。、]{0,10}(?:失われ|消え|なくな(?!い))|(?:前|元|以前|当初)の(?:水準|状態)[^。、]{0,4}戻"
)
_TIERS_JA = (
    (
        re.compile(rf"{_UP_JA}|多か|多く|しやす|なりやす|引き起こ|起こす|倍"),
        re.compile(rf"{_DOWN_JA}|下げ|低く|低か|少な(?!くと|くない)|軽く|軽減|短縮|かからな|なくな"),
    ),
)
# Comparisons of pace are no amounts: they are laid beside one another only.
_BOUNDS = re.compile(
    r"\b(?:no |not )?(?:more|less|fewer|greater|higher|lower) than (?=(?:about |some )?(?:\d|half\b|an? |one\b|ten\b))",
    re.I,
)
# Where a clause says something else than the rest of its sentence: "…, whereas placebo had no effect". No alternative
# begins with a run of spaces, which would be tried from each of them.
_CLAUSES = re.compile(
    r"[;:]\s+|\(|,\s+(?=(?:and|but|with|whereas|while|although|though|however|unlike|yet|which|so|because)\b)|"
    r"\s(?=(?:whereas|although|though)\b)",
    re.I,
)
_ELLIPSIS = re.compile(r"\b(?:do|does|did|has|have|had|was|were|is|are) not\W*$|\b(?:do|does|did)n['’]t\W*$", re.I)
# What is conceded comes before these, what is meant after them.
_CONCESSION_JA = re.compile(r"(?<=[たるいすだ])(?:が|けれど|けれども|ものの)、")


def _without_bounds(sentence: str) -> str:
    """The sentence with "more than 10" and the like blanked out: a bound is no effect. Lengths stay."""
    return _BOUNDS.sub(lambda match: " " * len(match.group()), sentence)


def effect_of(sentence: str) -> Effect | None:
    """The one effect a sentence speaks of; none where it speaks of no effect or of two directions."""
    japanese, sentence = is_japanese(sentence), _without_bounds(sentence)
    if (_NONE_JA if japanese else _NONE).search(sentence):
        return Effect.NONE
    for more, less in _TIERS_JA if japanese else _TIERS:
        is_more, is_less = bool(more.search(sentence)), bool(less and less.search(sentence))
        if is_more != is_less:
            return Effect.MORE if is_more else Effect.LESS
        if is_more:
            return None
    return None


def effect_on(sentence: str, subject: str) -> Effect | None:
    """The effect in the clause that shares most words with `subject`; in Japanese, in what follows a concession.

    A clause that only says that others do not ("…; sitagliptin does not") speaks for those it names.
    """
    if _denies(sentence, subject):
        return Effect.NONE
    return effect_of(_clause(sentence, subject))


def _denies(sentence: str, subject: str) -> bool:
    parts = [] if is_japanese(sentence) else [part for part in _CLAUSES.split(sentence) if part]
    wanted = content_words(subject)
    for part in parts[1:]:
        if _ELLIPSIS.search(part):
            others = content_words(" ".join(one for one in parts if one is not part))
            if (wanted & content_words(part)) - others:
                return True
    return False


def _clause(sentence: str, subject: str) -> str:
    if is_japanese(sentence):
        meant = _CONCESSION_JA.split(sentence)[-1]
        return meant if effect_of(meant) is not None else sentence
    parts = [part for part in _CLAUSES.split(sentence) if part]
    if len(parts) < 2:
        return sentence
    wanted = content_words(subject)
    return max(parts, key=lambda part: len(wanted & content_words(part)))


def effect_stated(claim: str) -> Effect | None:
    """The effect in the first clause of a claim that speaks of one."""
    parts = [claim] if is_japanese(claim) else _CLAUSES.split(claim)
    return next((found for part in parts if (found := effect_of(part)) is not None), None)
