"""What makes an English sentence a checkable statement, and what makes it none."""

import re

from lyra.claims.furniture import BIOGRAPHY_EN, BOILERPLATE_EN
from lyra.claims.verbs import is_base, is_finite

MIN_CHARS = 30
MAX_CHARS = 400
BASE = 0.4

_QUESTION = re.compile(r"\?[\"'”’)\]]*$|^(?:who|whom|whose|what|which|when|where|why|how)\b[^.]*\?", re.I)
_TRUNCATED = re.compile(r"(?:…|\.\.\.)[\"'”’)\]]*$|^(?:…|\.\.\.)|\[(?:…|\.\.\.)\]$")
_UNFINISHED = re.compile(r"[:;,–-]$")
_FINISHED = re.compile(r"[.][\"'”’)\]]*$")
_AIM = re.compile(r"to [a-z]+ [^,]*$", re.I)
_EXCLAMATION = re.compile(r"![\"'”’)\]]*$")
_ADDRESS = re.compile(r"^[$#] \w|https?://|www\.|\b[\w.+-]+@[\w-]+\.\w+|\S+\.(?:com|org|net|jp|gov)/\S*", re.I)
_SEPARATORS = re.compile(r"[|»›·•→]|>(?!\s?[\d.])|\s/\s|\t")
_REFERENCE = re.compile(
    r"\b\d{4};\s?\d+|\bdoi:\s?10\.|\bISBN\b|\bPMID\b|^\s*(?:[A-Z][\w'’-]+,? [A-Z]{1,3}(?:,|\.| and) ){2}|"
    r"^\s*[A-Z][\w'’-]+,? [A-Z]{1,3}(?:, et al\b|\. [A-Z].*\. )|"
    r"^(?:[A-Z]\. ?)+[A-Z]\w+(?: and |, )(?:[A-Z]\. ?)+[A-Z]\w+, [\"“]|"
    r"\bet al\.,? ?\d{4}\.?$|\bRetrieved\b.*\b\d{4}|\bpp?\. ?\d+|\bArchived from\b|^\^",
)

_IMPERATIVE = re.compile(
    r"""^(?:please|do\s+not|don['’]t|never\s+\w+\s+(?:your|the)|always\s+\w+\s+(?:your|the)|make\s+sure|be\s+(?:sure|aware)|
    let(?:['’]s|\s+us|\s+your)|click|read|subscribe|learn|see|visit|download|consult|talk|ask|take|try|consider|choose|check|
    keep|stop|start|avoid|use|call|contact|tell|remember|note|imagine|think|look|get|go|give|join|find|follow|share|sign|
    watch|listen|enter|select|submit|scroll|tap|press|buy|order|save|send|bring|eat|drink|discuss|monitor|report|
    continue|ensure|help|seek|wash|store|swallow|speak|browse|explore|discover|add|set|open|turn|put|show|view|print|
    register|donate|apply|compare|wait|welcome|thanks?|stay|live|remove|place|switch|unplug|enjoy|install)\b(?!-|\s+of\b|\s+(?:is|was|are|were|has|have|had|can|may|
    will|does|reduces?d?|increases?d?|lowers?|leads?|led)\b)""",
    re.I | re.X,
)
_ROMAN_ONE = re.compile(
    r"\b(?:type|phase|class|stage|grade|angiotensin|group|part|war|level|category|factor|troponin|complex|collagen|"
    r"title|schedule|section|article|table|tier|zone|bipolar|elizabeth|charles|james) I\b|\w-I\b|\bI-\d|"
    r"\bI(?: and | or |[/–-])II\b",
    re.I,
)
_FIRST_PERSON = re.compile(r"\bI(?:['’](?:m|ve|d|ll))?\b|\b(?:[Mm]y|[Mm]e|[Mm]yself)\b")
_WE = re.compile(r"\b(?:we|our|ours|ourselves)(?:['’](?:re|ve|ll|d))?\b|\bus\b", re.I)
_OUR_COUNTRY = re.compile(r"\bUS\b")
# Authors who report what they found are no chatterers.
_WE_FOUND = re.compile(
    r"\bwe (?:did not |do not |also |have |then )?(?:f[io]u?nd|saw|see|observed?|detect(?:ed)?|identif(?:y|ied)|"
    r"estimated?|confirm(?:ed)?|show(?:ed)?|demonstrated?|test(?:ed)?|measured?|compared?|examined?|stud(?:y|ied)|"
    r"analy[sz]ed?|recorded)\b|"
    r"\bour (?:results|findings|data|analys[ie]s|study|review|estimates?|cohort|trial|patients|sample|tests?|"
    r"measurements|meta-analysis)\b",
    re.I,
)
_YOU = re.compile(r"\byou(?:r|rs|rself)?(?:['’](?:re|ve|ll|d))?\b", re.I)

_HANGING = re.compile(
    r"""^(?!(?-i:WHO|IT)\b)(?:it|they|he|she|this|that|these|those|its|their|his|her|them|such|the\s+(?:former|latter|same|above|following|other)|
    here|one\s+of\s+(?:them|these|those)|(?:all|some|many|most|both|none|neither|either|each|few|several)\s+of\s+(?:them|these|those|which)|
    both(?!.{0,60}\sand\b)|neither(?!.{0,60}\snor\b)|others?|another|instead|doing\s+so|so(?!\s+far)|as\s+such|that['’]s|it['’]s|there['’]s|
    (?:in|at|on|for|from|by|of|with|under|after|before|during|because\s+of|despite|like|given|among)\s+
    (?:this|these|that|those|such|it|them|both|their|his|her|its)|not\s+(?:all|so|only\s+that)|which|who|where|when\s+(?:it|they|he|she))\b""",
    re.I | re.X,
)
_OPENING = re.compile(r"([^,]{0,60}), (?:it|they|he|she)\b(?!['’])")
_EXPLETIVE = re.compile(
    r"^it\s+(?:is|was|has\s+been|remains)\s+(?:\w+\s+){0,2}?(?:estimated|known|believed|thought|recommended|"
    r"established|reported|shown|suggested|likely|unlikely|possible|unclear|unknown|clear|accepted|assumed|"
    r"argued|expected|proven|projected)\b",
    re.I,
)
# "The drug lowered …": a bare noun that some sentence before has introduced.
_BARE_DEFINITE = re.compile(
    r"""^the\s+(?:(?:new|latest|same|two|three|four|other|current|present|previous|first|second|large|small)\s+)*
    (?:drugs?|medicines?|medications?|agents?|class|effects?|differences?|results?|findings?|stud(?:y|ies)|trials?|review|
    report|analysis|meta-analysis|authors?|researchers?|scientists?|team|group|committee|office|agency|ministry|company|
    firm|panel|paper|article|survey|increase|decrease|reduction|excess|signal|association|link|risk|benefit|figure|
    number|rate|ratio|question|problem|issue|reason|answer|warning|decision|patients?|participants?|people|women|men|
    children|product|vaccine|treatment|therapy|dose|test|method|model|system|process|change|move|plan|law|rule|bill)\s+
    (?!of\b|in\b|for\b|that\b|who\b|which\b|with\b|between\b|on\b|at\b|by\b|among\b|from\b|to\b|caused\b|taking\b|treated\b|
    called\b|known\b|published\b|conducted\b)""",
    re.I | re.X,
)
_INNER_HANGING = re.compile(
    r"\b(?:such an?|those two|these two|this (?:drug|class|study|trial|risk|effect|finding|result|reason|group|"
    r"question|association|increase|reduction|difference|approach|problem|condition|disease|treatment|issue|"
    r"change|period|case|way)|these (?:drugs|medicines|studies|trials|results|findings|effects|patients|agents|"
    r"data|differences|conditions)|the (?:former|latter)|did so|do so|as (?:above|mentioned|noted|"
    r"described|discussed))\b",
    re.I,
)

_NUMBER = re.compile(
    r"(?<![A-Za-z-])\d[\d,.]*|\b(?:half|twice|double[ds]?|triple[ds]?|one in \w+|(?:two|three|four|five|"
    r"ten)[- ]?fold)\b",
    re.I,
)
_UNIT = re.compile(
    r"\d\s?(?:%|percent(?:age)?|per cent|mg|g|kg|µg|mcg|ml|mL|l|km|m|cm|mm|°C|years?|months?|weeks?|days?|"
    r"hours?|patients?|people|participants?|million|billion|trillion|points?|times|USD|dollars?|yen|euros?|MW|"
    r"GW|kWh|tons?|tonnes?)\b|[$€£¥]\s?\d|\d%|\b(?:hazard|odds|risk) ratio\b|\bconfidence interval\b|\b(?:CI|HR|"
    r"OR|RR)\b",
)
_ENTITY = re.compile(
    r"(?<=[a-z,;(] )[A-Z][\w'’-]+|\b[A-Z]{2,}[\w-]*|\b[A-Za-z]+-?\d+[\w-]*|\b\w+(?:gliptin|mab|statin|pril|"
    r"sartan|formin)s?\b"
)
_COMPARISON = re.compile(
    r"\b(?:more|less|fewer|higher|lower|greater|smaller|larger|better|worse|longer|shorter|faster|slower|older|"
    r"younger|than|compared (?:with|to)|relative to|versus|vs|superior|inferior|equal|similar|same as|most|"
    r"least|highest|lowest|largest|twice|no difference|did not differ|exceed\w*|outperform\w*)\b",
    re.I,
)
_EFFECT = re.compile(
    r"\b(?:caus\w+|lead(?:s|ing)? to|led to|result(?:s|ed|ing)? in|increas\w+|decreas\w+|reduc\w+|lower(?:s|ed|"
    r"ing)|rais(?:es?|ed|ing)|rise[sn]?|rose|fall(?:s|en)?|fell|drop(?:s|ped)|prevent\w*|improv\w+|worsen\w*|"
    r"affect\w*|associat\w+|link(?:s|ed)|risk|effective\w*|efficacy|inhibit\w*|block(?:s|ed)|suppress\w*|"
    r"promot\w+|trigger\w*|induc\w+|contribut\w+|protect\w*|cur(?:es?|ed)|kill\w*|makes?|made|gain(?:s|ed)?|"
    r"lose[sd]?|lost|grew|grow(?:s|n|th)?|declin\w+|double[ds]?|approv\w+|ban(?:s|ned)|safe|unsafe|show(?:s|ed|"
    r"n)?|found|demonstrat\w+|confirm\w*|account(?:s|ed)? for|consist(?:s|ed)? of|contain\w*|depend(?:s|ed)? on|"
    r"requir\w+)\b",
    re.I,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|probably|likely|unlikely|appears?|appeared|seems?|seemed|"
    r"suggest(?:s|ed)?|believed|thought to|potential(?:ly)?|apparent(?:ly)?|reportedly|allegedly|estimated|"
    r"about to|in some cases|unclear|uncertain|it is possible|tend(?:s|ed)? to|presumably|supposedly|"
    r"expected to)\b",
    re.I,
)
_OPINION = re.compile(
    r"\b(?:should|ought to|must-have|amazing|awesome|wonderful|delicious|beautiful|love|hate|hope|feel|glad|"
    r"happy|sorry|excited|unfortunately|fortunately|luckily|sadly|honestly|actually|really|pretty much|kind of|"
    r"sort of|of course|maybe|lol)\b",
    re.I,
)

_DATELINE = re.compile(r"^[A-Z]{3,}(?:[ ,.]+[A-Za-z]+)*\.?(?: \d{1,2})?(?: \([A-Z]\w*\))? ?[-–—] (?=[A-Z“\"])")
_LABEL = re.compile(
    r"^(?:background|objectives?|aims?|purpose|introduction|methods?|design|setting|participants?|"
    r"interventions?|main outcomes?(?: and measures)?|results?|findings?|conclusions?|interpretation|"
    r"significance|summary|key points?|discussion|context|importance|relevance|bottom line|update|correction|"
    r"note)\s?(?::|[-–—])\s+(?=\S)",
    re.I,
)
_DISCOURSE = re.compile(
    r"^(?:however|moreover|furthermore|in addition|additionally|also|thus|therefore|hence|consequently|"
    r"accordingly|as a result|in conclusion|in summary|to summari[sz]e|overall|in general|generally|finally|"
    r"lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?|nevertheless|nonetheless|meanwhile|indeed|in fact|notably|"
    r"importantly|interestingly|similarly|likewise|by contrast|in contrast|conversely|on the other hand|"
    r"for example|for instance|of note|in particular|in other words|that said|in short|as expected|"
    r"not surprisingly|unsurprisingly|what is more|at the same time|still|besides),\s+|^(?:but|and|or|"
    r"yet(?!\s+another)|so(?!\s+(?:far|that|many|much|called|long|few|little)))\s+(?=\S)|^(?:no|yes)(?:[.,]|"
    r"\s[-–—])\s+(?=\S)",
    re.I,
)
_REPORTING = (
    r"(?:also |further |clearly |therefore |now |previously )?(?:found|find|finds|show(?:s|ed)?|suggest(?:s|"
    r"ed)?|indicate[sd]?|demonstrate[sd]?|confirm(?:s|ed)?|conclude[sd]?|observed|reveal(?:s|ed)?|"
    r"establish(?:es|ed)?|report(?:s|ed)?)"
)
_FRAME = re.compile(
    rf"^(?:we|(?:these|our|the(?: present)?|this(?: (?:new|large|present|systematic))?) (?:results?|findings?|"
    rf"data|stud(?:y|ies)|analys[ie]s|meta-analysis|review|trial|authors?|researchers?)) {_REPORTING} that (?=\S)",
    re.I,
)

_ALSO_NOUNS = frozenset(
    "live report order store open call contact share watch press help drink check stop start sign set show view place "
    "switch print monitor use look stay note follow save".split()
)
_DETERMINERS = frozenset(
    "a an the this that these those your any all every each some more no my our their its his her to".split()
)
_BEFORE_NOUNS = frozenset("a an the of in on for with by to from this its their his her".split())
# Words of this kind that German, French, Spanish, Portuguese and Italian do not write alike.
_FUNCTION_WORDS = frozenset(
    "the of and to is are were that for it with by at from this has have had but which their can may than who "
    "been its after when into between among during both not would should could there they".split()
)
_WORDS = re.compile(r"[A-Za-z][A-Za-z'’-]*")


def is_english(text: str) -> bool:
    """Whether enough of its words are those that only English has."""
    words = [word.lower() for word in _WORDS.findall(text)]
    found = sum(word in _FUNCTION_WORDS for word in words)
    return found >= 2 and found >= 0.12 * len(words)


def standing(text: str) -> str:
    """The sentence without section labels, discourse markers and the frame of a report ("We found that …")."""
    bare = text
    for pattern in (_DATELINE, _LABEL, _DISCOURSE, _FRAME, _DISCOURSE):
        bare = pattern.sub("", bare, count=1)
    return bare[:1].upper() + bare[1:] if bare != text else text


def rejection(sentence: str, text: str) -> str | None:
    """Why this is no checkable statement, or none. `sentence` as it stands, `text` as `standing` leaves it."""
    if not MIN_CHARS <= len(text) <= MAX_CHARS:
        return "length"
    if _QUESTION.search(text):
        return "question"
    if _TRUNCATED.search(sentence) or _UNFINISHED.search(text) or _EXCLAMATION.search(text):
        return "unfinished"
    if _ADDRESS.search(text) or len(_SEPARATORS.findall(text)) >= 2 or _REFERENCE.search(text):
        return "furniture"
    if BOILERPLATE_EN.search(text) or BIOGRAPHY_EN.search(text):
        return "boilerplate"
    if (_IMPERATIVE.match(text) and not _opens_with_a_noun(text)) or _is_order(text):
        return "imperative"
    if _is_personal(text):
        return "personal"
    if hangs(text):
        return "hanging"
    return _malformed(sentence, text)


def hangs(text: str) -> bool:
    """Whether it opens with a word for what a sentence before has named."""
    return (bool(_HANGING.match(text.lstrip("\"'“‘("))) and not _EXPLETIVE.match(text)) or _hangs_behind(text)


def _hangs_behind(text: str) -> bool:
    """A pronoun after an opening without a subject it could stand for: "Added to insulin, it lowers …"."""
    opening = _OPENING.match(text)
    if opening is None or _EXPLETIVE.match(text[opening.end(1) + 2 :]):
        return False
    return not any(is_finite(word.lower()) for word in _WORDS.findall(opening.group(1))[1:])


def _is_order(text: str) -> bool:
    """A bare verb with its object in front: "Cut the dose by half."."""
    first, _, rest = text.partition(" ")
    return is_base(first.lower()) and bool(re.match(r"(?:the|your|a|an|any|all|every|each)\s", rest))


def _opens_with_a_noun(text: str) -> bool:
    """What reads as an order stands before a noun and its verb: "Live births fell by …"."""
    words = [word.lower() for word in _WORDS.findall(text)[:4]]
    verb = _verb(words)
    is_noun_phrase = verb is not None and verb > 1 and not is_base(words[verb]) and not _DETERMINERS & {*words[:verb]}
    return words[0] in _ALSO_NOUNS and is_noun_phrase


def _is_personal(text: str) -> bool:
    return bool(
        _FIRST_PERSON.search(_ROMAN_ONE.sub("", text))
        or _WE.search(_WE_FOUND.sub("", _OUR_COUNTRY.sub("", text)))
        or re.match(r"(?:if |when |as |whether |once )?you\b|your\b", text, re.I)
    )


def _malformed(sentence: str, text: str) -> str | None:
    """A heading, a caption or a broken line instead of a sentence."""
    words = _WORDS.findall(text)
    if len(words) < 5 or sum(map(len, words)) < 0.55 * len(text):
        return "furniture"
    first = re.match(r"[\"'“‘(]*(\S+)", text)
    if sentence == text and first and first.group(1).islower() and first.group(1).isalpha():
        return "unfinished"
    verb = _verb(words)
    if _AIM.match(text) or verb is None:
        return "no verb"
    if not _FINISHED.search(sentence) and (len(words) < 8 or _is_title(words) or _is_in_a_clause(words, verb)):
        return "heading"
    return None


def _verb(words: list[str]) -> int | None:
    """Where the sentence's verb may be: not at its beginning, and not where only a noun can stand."""
    lower = [word.lower() for word in words]
    return next(
        (at for at in range(1, len(lower)) if is_finite(lower[at]) and lower[at - 1] not in _BEFORE_NOUNS), None
    )


def _is_in_a_clause(words: list[str], verb: int) -> bool:
    """A list item such as "pain that makes it hard to move": its first verb belongs to the clause."""
    return any(word.lower() in {"that", "who", "which", "when", "if"} for word in words[:verb])


def _is_title(words: list[str]) -> bool:
    long_words = [word for word in words if len(word) > 3]
    return sum(word[0].isupper() for word in long_words) > 0.5 * len(long_words)


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
    lowered = (
        0.05 * is_hedged(text)
        + 0.20 * bool(_OPINION.search(text))
        + 0.15 * bool(_YOU.search(text))
        + 0.20 * bool(_BARE_DEFINITE.match(text))
        + 0.20 * bool(_INNER_HANGING.search(text))
    )
    return min(1.0, max(0.0, BASE + raised - lowered))
