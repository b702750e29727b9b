"""Names of one kind: what the ending of a drug's name says of its class, and when two names are siblings.

The endings are stems of the international nonproprietary names; a text about a member speaks of its class, a text about
one member says nothing of another.
"""

from functools import lru_cache

_STEMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("gliptin", "グリプチン"), ("gliptin", "dpp-4", "inhibitor", "阻害", "薬")),
    (("gliflozin", "グリフロジン"), ("gliflozin", "sglt2", "inhibitor", "阻害", "薬")),
    (("glutide", "グルチド"), ("glp-1", "agonist", "受容", "体", "作動", "薬")),
    (("glitazone", "グリタゾン"), ("thiazolidinedion", "チアゾリジン")),
    (("statin", "スタチン"), ("statin", "スタチン")),
    (("sartan", "サルタン"), ("angiotensin", "receptor", "blocker")),
    (("olol", "ロール"), ("beta-blocker", "beta", "blocker")),
    (("dipine", "ジピン"), ("calcium", "channel", "blocker")),
    (("prazole", "プラゾール"), ("proton", "pump", "inhibitor")),
    (("xaban", "キサバン"), ("factor", "xa", "inhibitor", "anticoagulant")),
    (("gatran",), ("thrombin", "inhibitor", "anticoagulant")),
    (("coxib",), ("cox-2", "inhibitor")),
    (("tinib", "チニブ"), ("kinas", "inhibitor")),
    (("mab", "マブ"), ("antibody", "抗体")),
    (("cillin", "シリン"), ("penicillin", "antibiotic", "抗菌", "薬")),
    (("floxacin", "フロキサシン"), ("fluoroquinolon", "antibiotic", "抗菌", "薬")),
    (("triptan", "トリプタン"), ("triptan",)),
    (("oxetine",), ("ssri", "antidepressant")),
)
_LEAST_PREFIX = 2


@lru_cache(4096)
def kinds(word: str) -> frozenset[str]:
    """The words for the class that a name belongs to by its ending; none for most words."""
    bare = word.removesuffix("s")
    for endings, classes in _STEMS:
        if any(bare.endswith(ending) and len(bare) >= len(ending) + _LEAST_PREFIX for ending in endings):
            return frozenset(classes)
    if bare == "gliptin":
        return frozenset(_STEMS[0][1])
    return frozenset()


def with_kinds(words: frozenset[str]) -> frozenset[str]:
    """The words and the words for the classes of those that are names."""
    return words.union(*map(kinds, words))
