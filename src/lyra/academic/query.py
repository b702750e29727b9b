"""Whether a question belongs to scholarship, which only decides if the academic APIs are searched at the start."""

import re

from lyra.text import normalise
from lyra.urls import find_arxiv_ids, find_dois, find_pmids

# Words of study design and scholarly publishing, English and Japanese; one of them is enough.
_ENGLISH = (
    r"meta-?analys[ie]s|systematic reviews?|randomi[sz]ed|placebo|double-blind|clinical trials?|cohort|case-control|"
    r"cross-sectional|longitudinal study|peer[- ]reviewed?|preprints?|journal articles?|research papers?|"
    r"scientific (?:papers?|studies|evidence|literature)|stud(?:y|ies)|literature|hazard ratios?|odds ratios?|"
    r"confidence interval|p-values?|efficacy|effectiveness of|adverse (?:events?|effects?|reactions?)|side effects|"
    r"pharmacokinetics?|pharmacovigilance|contraindications?|comorbidit(?:y|ies)|pathogenesis|aetiology|etiology|"
    r"prognosis|mortality|incidence|prevalence|epidemiolog\w+|biomarkers?|in vitro|in vivo|genom\w+|proteom\w+|"
    r"inhibitors?|agonists?|antagonists?|receptors?|vaccines?|antibod(?:y|ies)|therap(?:y|ies|eutics?)|"
    r"state[- ]of[- ]the[- ]art|benchmark dataset|neural networks?|theorem|arxiv|pubmed|"
    r"(?:effects?|impacts?|influence) (?:of|on)|risks? (?:of|factors?)|associations? (?:between|with|of)|correlations?"
)
_JAPANESE = (
    "論文|研究|文献|査読|学会|学術|臨床試験|治験|ランダム化|無作為化|プラセボ|二重盲検|メタ解析|メタアナリシス|"
    "系統的レビュー|システマティックレビュー|コホート|症例対照|観察研究|疫学|有効性|安全性|副作用|有害事象|"
    "禁忌|合併症|予後|死亡率|罹患率|有病率|発症率|ハザード比|オッズ比|信頼区間|統計的有意|作用機序|薬物動態|"
    "阻害薬|阻害剤|作動薬|拮抗薬|受容体|ワクチン|抗体|治療法|薬物療法|エビデンス|ガイドライン|バイオマーカー|ゲノム|"
    "影響|因果|相関|リスク|症候群|不全|障害|疾患|腫瘍|感染症|糖尿病|がん|グリプチン"
)
_MEDICAL_ENDINGS = (
    r"\w{3,}(?:gliptins?|gliflozins?|statins?|mab|nib|prazoles?|sartans?|cillins?|itis|osis|emia|aemia|opathy)"
)
_SCHOLARLY = re.compile(rf"\b(?:{_ENGLISH}|{_MEDICAL_ENDINGS})\b|{_JAPANESE}", re.IGNORECASE)
_SITES = re.compile(
    r"site:(?:\S*\.)?(?:ac\.jp|edu|ac\.uk|arxiv\.org|nih\.gov|jstage\.jst\.go\.jp|cir\.nii\.ac\.jp|doi\.org)",
    re.IGNORECASE,
)


def is_academic_query(query: str) -> bool:
    """A scholarly identifier, a scholarly site, or the vocabulary of studies."""
    folded = normalise(query)
    has_identifier = bool(find_dois(folded) or find_pmids(folded) or find_arxiv_ids(folded))
    return has_identifier or bool(_SITES.search(folded) or _SCHOLARLY.search(folded))
