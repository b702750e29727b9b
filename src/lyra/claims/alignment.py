"""Whether a text speaks of what a claim speaks of: the same subject, outcome and condition.

A small model takes "related and different" for "contradicts", and two sentences of one form for agreement. These rules
take such a stance back; they never make one. Where nothing is said against it the model's judgement stands.
"""

import re
from enum import StrEnum

from lyra.claims.effects import Effect, agreement, effect_of, effect_span
from lyra.claims.japanese import is_request
from lyra.claims.kinds import has_sibling, with_kinds
from lyra.claims.quantities import are_far_apart, are_near
from lyra.claims.verbs import is_finite
from lyra.claims.words import core_words
from lyra.model.edge import Relation
from lyra.text import is_japanese, sentences

# Share of the words for what acts, and of those for what it acts on, that both must have in common; and of all words
# where the claim cannot be parted so.
SHARED_PART = 0.34
SHARED_WHOLE = 0.25
SHARED_MOST = 0.5

_QUESTION = re.compile(
    r"[?？][\"'”’)\]」』）]*\s*$|(?:でしょう|です|ます|だろう)か[。」』）]*\s*$|"
    r"^\W*whether [^.]*\b(?:disputed|debated|contested|controversial|unclear|uncertain|unknown|not known)\b|"
    r"かどうかは[^。]*(?:分かって(?:い)?ない|不明|議論|定まって(?:い)?ない|争いがある)",
    re.I,
)
_AIM = re.compile(
    r"\s*(?:(?:background|objectives?|aims?|purpose|methods?)\s*[:.]?\s*)?to [a-z]+ (?!.*\b(?:is|was|are|were)\b)", re.I
)
_MAIN_CLAUSE = re.compile(r", (?:the|an?|it|they|he|she|[A-Z][\w-]*)\b([^,]*)")
# "We measured the efficiency of …", 「…の影響を推定した」: what was done, not what came of it.
_METHOD = re.compile(
    r"^\W*(?:(?:here|in this \w+|methods?\s*[:.]?),?\s+)?(?:we|i|this (?:study|paper|review|trial|report|article)|"
    r"the (?:study|authors?|team|researchers))\s+(?:\w+ly )?(?:measur|estimat|examin|investigat|assess|evaluat|"
    r"analy[sz]|compar|test|stud(?:y|i)|explor|aim|review|cycl|survey|record|search|follow|includ|collect)\w*\b"
    r"(?!.*\b(?:found|finds?|show\w*|reveal\w*|conclud\w*|confirm\w*|was|were|is|are|did|than)\b)|"
    r"^\W*the (?:primary|main|secondary|key)? ?(?:outcomes?|end ?points?|objectives?|aims?) "
    r"(?:was|were|is|are|includ\w+) (?:the|to|an?|change|time)\b"
    r"(?!.*\b(?:reduced|lower\w*|higher|increased|improved|met|reached|similar|same)\b)|"
    r"^\W*(?:the|our|its|an?) (?:\w+ )?(?:aims?|objectives?|purpose|goals?) of [^.]{0,60}?\b(?:was|were|is|are) to "
    r"(?:determin|assess|evaluat|investigat|examin|test|compar|explor|stud|describ|review|identif|analy|estimat|clarif|"
    r"quantif|understand|measur|establish|summari|find out)|\bhypothes[ei]s (?:is|was|were) that\b|"
    r"\bhypothesi[sz]ed that\b|\bwill be (?:discussed|described|presented|measured|performed|assessed|evaluated|"
    r"compared|analy[sz]ed|examined|explored|recorded|collected)\b|"
    r"目的は[^。]*こと(?:である|です|だ|にある|にあります)[。]?\s*$|"
    r"かを[^。、]{0,12}(?:調べ|(?:検討|検証|分析|調査|評価)し)(?:た|ました)[。]?\s*$|を(?:紹介|解説)(?:する|します)[。]?\s*$|"
    r"^本(?:稿|論文|報告)(?:は|では)[^。]*(?:明らかにする|(?:検討|検証|考察)する|論じる|述べる)[。]?\s*$|"
    r"(?:影響|効果|関係|関連|差|推移|変化|実態)[^。、]{0,16}を[^。、]{0,24}(?:推定|分析|検討|調査|検証|評価|調べ|測定|比較)"
    r"(?:し(?:た|ました|ている|ています)|する|た|ました)[。]?\s*$",
    re.I,
)
_ALONE = re.compile(r"\b(?:alone|monotherapy|on (?:its|their) own)\b|単独|単剤|だけを", re.I)
_TOGETHER = re.compile(
    r"\b(?:add(?:s|ed|ing|ition)|combin\w+|together with|plus|co-?administ\w+)\b|併用|追加|加え|組み合わせ", re.I
)
# More of something is not more of its worst form.
_DEGREE = re.compile(r"\b(?:severe|serious|fatal|life-threatening|major)\b|重症|重篤|重度|致死", re.I)
_EDITION = re.compile(r"\b(?:edition|version|release)s? (\d+(?:\.\d+)*)|第(\d+)(?:版|次|世代)", re.I)
_LEANING = re.compile(
    r"^\W*(?:it|they|this|these|that|those|he|she|both|the (?:drugs?|medicines?|combination|addition|effects?|risk|"
    r"study|trial|results?|findings?|reduction|increase))\b(?! of\b)|^[^,]{0,60},?\s(?:it|they)\b|"
    r"^(?:これ|それ|この|その|同(?:薬|剤|社)|両者|本剤)",
    re.I,
)
_OPENING = re.compile(
    r"^(?:in|at|with|among|after|over|during|on|for|compared with|according to|within)\b[^,]{0,80},\s*", re.I
)
_ASIDE = re.compile(r"\([^)]*\)|（[^）]*）")
_OUTCOME_ENDS = re.compile(
    r"[,;:]|\b(?:with|in|among|when|compared|than|by|after|during|if|who|that|because|whereas|while|to)\b", re.I
)
_FOLLOWS = re.compile(r"\s*(?:(?:in|on|the|of|a|an|risk|rates?|number|likelihood|chance)\b\s*)*", re.I)
_WITH = re.compile(r"\bwith\b([^,;:]*)", re.I)
_PARTICLES_JA = re.compile(r"[、。]|では|には|とは|は|が|を|に(?!対)|で(?=[^き])|も(?=[^の])")
# Possessive: a long number could be cut into shorter ones in ways without number.
_TAIL_JA = re.compile(
    r"(?:[はがをもにの、]|約|平均で?|毎年|年間|\d[\d,.]*+(?:％|%|割|倍|ポイント|人|円|年間?|か月)?+も?)++$"
)
# Words that any finding may have, whatever it is about.
_VAGUE = frozenset(
    "risk rat ratio number percentag percent point level effect placebo group compar interval confidenc hazard odd "
    "low certainty year week month day no not acut chronic sever serious wherea mean increas reduc decreas lower high "
    "cause caus associat chang "
    "↑ ↓ リスク 効果 影響 場合 割合 数 年間 年 率 多い 少ない 関係 関連 差".split()
)


class Misalignment(StrEnum):
    """Why a text takes no stance on a claim, whatever the model says."""

    QUESTION = "it asks or announces, and says nothing"
    OPEN = "the claim leaves open what it speaks of"
    CONDITION = "it speaks of another condition"
    SIBLING = "it speaks of another of its kind"
    SUBJECT = "it speaks of something else"
    OUTCOME = "it speaks of another outcome"
    SAME = "it says the same"
    OPPOSITE = "it says the opposite"


def misalignment(
    sentence: str, claim: str, relation: Relation, context: str = "", title: str = ""
) -> Misalignment | None:
    """Why this sentence cannot support or refute the claim, or none.

    `context` is the passage in which the sentence stands: what "it" refers to is looked for there. `title` is that of
    the page: what acts may be named there alone, what it acts on may not.
    """
    if relation not in (Relation.SUPPORTS, Relation.REFUTES):
        return None
    if announces(sentence):
        return Misalignment.QUESTION
    if relation is Relation.REFUTES:
        if _says_the_same(sentence, claim, title):
            return Misalignment.SAME
        if _LEANING.search(claim):
            return Misalignment.OPEN
        if _DEGREE.search(claim) and not _DEGREE.search(sentence) and effect_of(sentence) is not Effect.NONE:
            return Misalignment.CONDITION
    if _is_other_condition(sentence, claim) or _is_other_edition(sentence, claim, relation):
        return Misalignment.CONDITION
    found = _of_something_else(sentence, claim, context, title)
    if relation is Relation.REFUTES or found is Misalignment.SIBLING:
        return found
    # On public pairs 28 of 71 supports were right where the effects were opposite.
    if agreement(sentence, claim) < 0:
        return Misalignment.OPPOSITE
    # To support, a text may use words of its own; but where its whole passage has none for the outcome, it has no say.
    outcome = parts(claim)[1]
    is_silent = bool(outcome) and not outcome & with_kinds(core_words(f"{sentence} {_told_in(context)}"))
    return Misalignment.OUTCOME if is_silent else None


def _told_in(passage: str) -> str:
    """What a passage says, without the sentences that only ask or announce."""
    found = (passage[start:end] for start, end in sentences(passage))
    return " ".join(one for one in found if not announces(one))


def announces(sentence: str) -> bool:
    """Whether a sentence asks, or tells what was done and not what came of it."""
    is_asking = bool(_QUESTION.search(sentence)) or is_request(sentence)
    return is_asking or _is_aim(sentence) or tells_method(sentence)


def _is_aim(sentence: str) -> bool:
    """ "To compare A, B and C in adults." is one; "To cut costs, the ministry raised the fee." tells what was done."""
    main = _MAIN_CLAUSE.search(sentence)
    tells = main is not None and any(is_finite(word) for word in re.findall(r"[a-z]+", main.group(1)))
    return bool(_AIM.match(sentence)) and not tells


def tells_method(sentence: str) -> bool:
    """Whether a sentence tells what is meant to be done or was done, and not what came of it."""
    return bool(_METHOD.search(sentence))


def _says_the_same(sentence: str, claim: str, title: str) -> bool:
    """The same effect without another amount; or the same amount of the same thing without another effect."""
    agreed = agreement(sentence, claim)
    if agreed > 0:
        return not are_far_apart(sentence, claim)
    return agreed == 0 and are_near(sentence, claim) and speaks_of(sentence, claim, title)


def speaks_of(sentence: str, claim: str, title: str = "") -> bool:
    """Whether the sentence has most of the words for what the claim speaks of, and of those for what it says something
    of; most of all where the claim cannot be parted so. What acts may be named in the title of the page instead."""
    if _is_other_condition(sentence, claim) or _has_sibling(sentence, claim, title):
        return False
    if _TOGETHER.search(claim) and not _TOGETHER.search(f"{title} {sentence}"):
        return False
    told = with_kinds(core_words(sentence))
    subject, outcome = parts(claim)
    named = told | with_kinds(core_words(title)) if outcome else told
    return not _shares_less(subject, named, SHARED_MOST) and not _shares_less(outcome, told, SHARED_MOST)


def _has_sibling(sentence: str, claim: str, title: str) -> bool:
    """Whether the sentence speaks of another of a kind, or the title does and the sentence of none."""
    said, asked, above = core_words(sentence), core_words(claim), core_words(title)
    return has_sibling(asked - said, said - asked) or has_sibling(asked - said - above, above - asked)


def _of_something_else(sentence: str, claim: str, context: str, title: str) -> Misalignment | None:
    if _has_sibling(sentence, claim, title):
        return Misalignment.SIBLING
    told = with_kinds(core_words(sentence))
    around = told | with_kinds(core_words(context)) if _LEANING.search(sentence) else told
    subject, outcome = parts(claim)
    around = around | with_kinds(core_words(title)) if outcome else around
    if _shares_less(subject, around, SHARED_PART if outcome else SHARED_WHOLE):
        return Misalignment.SUBJECT
    return Misalignment.OUTCOME if _shares_less(outcome, told, SHARED_PART) else None


def _shares_less(wanted: frozenset[str], told: frozenset[str], share: float) -> bool:
    return bool(wanted) and len(wanted & told) < share * len(wanted)


def _is_other_condition(sentence: str, claim: str) -> bool:
    """One speaks of something alone, the other of it together with something else."""
    alone, together = _ALONE.search(claim), _TOGETHER.search(claim)
    if alone and not together and _TOGETHER.search(sentence) and not _ALONE.search(sentence):
        return True
    return bool(together and not alone and _ALONE.search(sentence) and not _TOGETHER.search(sentence))


def _is_other_edition(sentence: str, claim: str, relation: Relation) -> bool:
    """The claim is about an edition and the sentence about another; to refute, it must name the claim's own."""
    asked, told = ({one or other for one, other in _EDITION.findall(text)} for text in (claim, sentence))
    if not asked or asked & told:
        return False
    return bool(told) or (relation is Relation.REFUTES and not any(one in sentence for one in asked))


def parts(claim: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words for what a claim speaks of, and for the outcome it says something of; vague words are left out.

    All are the subject where the claim speaks of no effect.
    """
    bare = _OPENING.sub("", _ASIDE.sub(" ", claim))
    span = effect_span(bare)
    if span is None:
        return _telling(bare), frozenset()
    before, after = bare[: span[0]], bare[span[1] :]
    subject, outcome = _parts_ja(before) if is_japanese(bare) else _parts_en(before, after)
    return subject - outcome, outcome


def _telling(text: str) -> frozenset[str]:
    return core_words(text) - _VAGUE


def _parts_en(before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
    """What is raised or lowered follows at once; where nothing does ("HbA1c falls by …"), it stands before."""
    segments = _OUTCOME_ENDS.split(after[_FOLLOWS.match(after).end() :])  # type: ignore[union-attr]
    if segments[0].strip():
        outcome = next((found for segment in segments if (found := _telling(segment))), frozenset())
        companions = _telling(" ".join(_WITH.findall(after)))
        return _telling(before) | (companions - outcome), outcome
    *context, acting = before.split(",")
    return _telling(" ".join(context)), _telling(acting)


def _parts_ja(before: str) -> tuple[frozenset[str], frozenset[str]]:
    """What is raised or lowered stands right before the word for it, up to the particle before."""
    *context, acting = _PARTICLES_JA.split(_TAIL_JA.sub("", before))
    return _telling("、".join(context)), _telling(acting)
