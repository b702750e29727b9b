"""Registries as a source, through an MCP client: records, claims, edges, facts and proofs from invented registries."""

import json
from pathlib import Path
from typing import Any

from simweb import SimWeb
from simweb.apis.registries.holdings import KEYS

NAMES = {
    "estat": "ESTAT_KEY", "gbizinfo": "GBIZINFO_KEY", "edinet": "EDINET_KEY", "epo": "EPO_KEY",
    "epo_secret": "EPO_SECRET_KEY", "uspto": "USPTO_KEY", "factcheck": "FACTCHECK_KEY",
}  # fmt: skip
KEYED = {f"LYRA_REGISTRIES__{name}": KEYS[key] for key, name in NAMES.items()}


def test_a(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    with connect(tmp_path, **KEYED) as face:
        task = face.call("create_task", query="Who owns Misakino Works?", config={"hypotheses": [{"text": "Misakino Works has the subsidiary Kosui Ceramics."}]})["task_id"]
        for q in ("Misakino Works", "株式会社美咲野製作所", "misakino-works.com", "軸受 耐久試験", "ceramic bearing pump", "愛知県 製造品出荷額等", "美咲野製作所 2026-06-26","ceramic bearings asbestos"):
            answer = face.search(task, q, sources=["registries"])
            print(q, json.dumps({k: answer[k] for k in ("status","reason","problems","useful_fragments")}, ensure_ascii=False))
            print([c["text"] for c in answer["claims_found"]][:4])
        for r in face.rows(f"select subject, predicate, value, object_kind, registry, url from v_entity_facts where task_id='{task}'"): print(tuple(r.values()))
        for r in face.rows(f"select kind,name,known_by,facts,registries from v_entities where task_id='{task}'"): print(tuple(r.values()))
        for r in face.rows(f"select first_name, second_name, kind, score, reasons from v_same_entities where task_id='{task}'"): print(tuple(r.values()))
        print(face.call("get_status", task_id=task)["hypotheses"])
    print(sorted({v.host for v in web.requests}))
    assert 0
