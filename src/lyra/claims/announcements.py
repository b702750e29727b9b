"""Sentences that say nothing: questions, aims, and what was done rather than what came of it."""

import re

from lyra.claims.japanese import is_request
from lyra.claims.verbs import is_finite

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


def announces(sentence: str) -> bool:
    """Whether a sentence asks, or tells what was done and not what came of it."""
    return asks(sentence) or is_request(sentence) or _is_aim(sentence) or tells_method(sentence)


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, or says that something is one."""
    return bool(_QUESTION.search(sentence))


def _is_aim(sentence: str) -> bool:
    """ "To compare A, B and C in adults." is one; "To cut costs, the ministry raised the fee." tells what was done."""
    main = _MAIN_CLAUSE.search(sentence)
    tells = main is not None and any(is_finite(word) for word in re.findall(r"[a-z]+", main.group(1)))
    return bool(_AIM.match(sentence)) and not tells


def tells_method(sentence: str) -> bool:
    """Whether a sentence tells what is meant to be done or was done, and not what came of it."""
    return bool(_METHOD.search(sentence))
