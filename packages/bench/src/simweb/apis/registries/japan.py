"""Japan's official APIs: e-Stat, e-Gov law, the Diet's minutes, gBizINFO and EDINET."""

from __future__ import annotations

import re
from typing import Any

from simweb.apis.answers import json_response
from simweb.apis.registries import checking
from simweb.apis.registries.checking import RefusedError
from simweb.apis.registries.holdings import KEYS, Held, holds, organisation, words_of
from simweb.hosts import Host, PlainHost
from simweb.messages import Request, Response

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def hosts(held: Held) -> dict[str, Host]:
    return {
        "api.e-stat.go.jp": EStat(held),
        "laws.e-gov.go.jp": LawApi(held),
        "kokkai.ndl.go.jp": DietMinutes(held),
        "api.info.gbiz.go.jp": GBizInfo(held),
        "api.edinet-fsa.go.jp": Edinet(held),
    }


class EStat(PlainHost):
    """Answers 200 whatever happens; the status in the answer says what did."""

    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        name = request.path.removeprefix("/rest/3.0/app/json/")
        root = {"getStatsList": "GET_STATS_LIST", "getStatsData": "GET_STATS_DATA"}.get(name)
        if root is None:
            return Response.html("<h1>404</h1>", 404)
        own = {"getStatsList": {"searchWord"}, "getStatsData": {"statsDataId"}}[name]
        try:
            asked = checking.parameters(request, {"appId", *own}, {"limit"})
            checking.limit(asked.get("limit", "100"), 100_000)
            if asked["appId"] != KEYS["estat"]:
                raise RefusedError("認証に失敗しました。アプリケーションIDを確認して下さい。")
        except RefusedError as exc:
            return json_response({root: {"RESULT": {"STATUS": 100, "ERROR_MSG": str(exc)}}})
        content = self._list(asked["searchWord"]) if name == "getStatsList" else self._data(asked["statsDataId"])
        return json_response({root: content})

    def _list(self, query: str) -> dict[str, Any]:
        words = words_of(query)
        found = [_table(one) for one in self._held["statistics"] if holds(words, one["survey"], one["title"])]
        if not found:
            result = {"STATUS": 1, "ERROR_MSG": "正常に終了しましたが、該当データはありませんでした。"}
            return {"RESULT": result, "DATALIST_INF": {"NUMBER": 0, "RESULT_INF": ""}}
        # One table stands for itself; only several are a list.
        tables = found[0] if len(found) == 1 else found
        return {"RESULT": _done(), "DATALIST_INF": {"NUMBER": len(found), "TABLE_INF": tables}}

    def _data(self, number: str) -> dict[str, Any]:
        one = next((one for one in self._held["statistics"] if one["id"] == number), None)
        if one is None:
            return {"RESULT": {"STATUS": 300, "ERROR_MSG": "統計表IDを確認して下さい。"}}
        times = {str(place): name for place, name in enumerate(one["figures"])}
        classes = [
            {"@id": "tab", "@name": "表章項目", "CLASS": {"@code": "1", "@name": one["item"], "@unit": one["unit"]}},
            {"@id": "area", "@name": "地域", "CLASS": {"@code": "23", "@name": one["area"]}},
            {"@id": "time", "@name": "時間軸", "CLASS": [{"@code": k, "@name": v} for k, v in times.items()]},
        ]
        values = [
            {"@tab": "1", "@area": "23", "@time": place, "@unit": one["unit"], "$": one["figures"][name]}
            for place, name in times.items()
        ]
        data = {"TABLE_INF": _table(one), "CLASS_INF": {"CLASS_OBJ": classes}, "DATA_INF": {"VALUE": values}}
        return {"RESULT": _done(), "STATISTICAL_DATA": data}


def _done() -> dict[str, Any]:
    return {"STATUS": 0, "ERROR_MSG": "正常に終了しました。"}


def _table(one: Held) -> dict[str, Any]:
    return {
        "@id": one["id"], "STAT_NAME": {"@code": "00550000", "$": one["survey"]},
        "GOV_ORG": {"@code": "00550", "$": one["office"]}, "STATISTICS_NAME": one["survey"],
        "TITLE": {"@no": "1", "$": one["title"]}, "OPEN_DATE": one["opened"],
    }  # fmt: skip


class LawApi(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        if request.path != "/api/2/keyword":
            return Response.html("<h1>404</h1>", 404)
        try:
            asked = checking.parameters(request, {"keyword"}, {"limit", "sentences_limit", "response_format"})
            checking.limit(asked.get("limit", "100"), 1_000)
            most = checking.limit(asked.get("sentences_limit", "10"), 1_000)
        except RefusedError as exc:
            return json_response({"code": "400001", "message": str(exc)}, exc.status)
        words = words_of(asked["keyword"])
        found = [one for one in self._held["laws"] if holds(words, one["title"], *one["sentences"])]
        items = [_law(one, words, most) for one in found]
        return json_response({"total_count": len(items), "sentence_count": len(items), "items": items})


def _law(one: Held, words: list[str], most: int) -> dict[str, Any]:
    marked = re.compile("|".join(map(re.escape, words)))
    sentences = [marked.sub(lambda found: f"<span>{found[0]}</span>", text) for text in one["sentences"][:most]]
    return {
        "law_info": {"law_type": "Act", "law_id": one["id"], "law_num": one["number"],
            "promulgation_date": one["promulgated"]},
        "revision_info": {"law_title": one["title"], "amendment_enforcement_date": one["enforced"]},
        "sentences": [{"position": "mainprovision", "text": text} for text in sentences],
    }  # fmt: skip


class DietMinutes(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        if request.path != "/api/speech":
            return Response.html("<h1>404</h1>", 404)
        try:
            asked = checking.parameters(request, {"any", "recordPacking"}, {"maximumRecords", "from", "until"})
            most = checking.limit(asked.get("maximumRecords", "30"), 100)
            if asked["recordPacking"] != "json" or not all(
                _DAY.fullmatch(asked.get(name, "2000-01-01")) for name in ("from", "until")
            ):
                raise RefusedError("パラメータの値が不正です。")
        except RefusedError as exc:
            return json_response({"message": "19011", "details": [str(exc)]}, exc.status)
        words, first, last = words_of(asked["any"]), asked.get("from", "0000"), asked.get("until", "9999")
        found = [one for one in self._held["speeches"] if holds(words, one["speech"]) and first <= one["date"] <= last]
        records = [_speech(one) for one in found[:most]]
        answer = {"numberOfRecords": len(found), "numberOfReturn": len(records), "startRecord": 1}
        return json_response(answer | ({"speechRecord": records} if records else {}))


def _speech(one: Held) -> dict[str, Any]:
    return {
        "speechID": one["id"], "issueID": one["issue"], "nameOfHouse": one["house"], "nameOfMeeting": one["meeting"],
        "issue": one["number"], "date": one["date"], "speaker": one["speaker"], "speakerGroup": one["party"],
        "speakerPosition": one["position"], "speakerRole": None, "speech": one["speech"],
        "speechURL": f"https://kokkai.ndl.go.jp/txt/{one['issue']}/14",
    }  # fmt: skip


class GBizInfo(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        path = request.path.removeprefix("/hojin/v2/hojin")
        try:
            checking.require_header(request, "x-hojininfo-api-token", KEYS["gbizinfo"])
            if path:
                checking.parameters(request, set())
                found = [one for one in self._held["organisations"] if f"/{one['corporate_number']}" == path]
            else:
                asked = checking.parameters(request, {"name"}, {"page", "limit"})
                checking.limit(asked.get("limit", "10"), 5_000)
                found = [one for one in self._held["organisations"] if asked["name"] in one["name_ja"]]
        except RefusedError as exc:
            return json_response({"errors": [{"item": "", "message": str(exc)}], "message": str(exc)}, exc.status)
        if not found:
            return json_response({"message": "404 - Not Found.", "hojin-infos": None}, 404)
        return json_response({"message": "200 - OK.", "hojin-infos": [_corporation(one, not path) for one in found]})


def _corporation(one: Held, is_listed: bool) -> dict[str, Any]:
    """A row of the list has less than the record itself."""
    row = {
        "corporate_number": one["corporate_number"],
        "name": one["name_ja"],
        "location": one["address"],
        "status": "-",
    }
    if is_listed:
        return row
    return row | {
        "name_en": one["name_en"], "representative_name": "　".join(one["chief_executive"]["name_ja"]),
        "date_of_establishment": one["founded"], "capital_stock": one["capital"],
        "employee_number": one["employees"], "business_summary": one["business"], "company_url": one["website"],
        "update_date": "2026-05-01T00:00:00+09:00",
    }  # fmt: skip


class Edinet(PlainHost):
    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, request: Request) -> Response:
        if request.path != "/api/v2/documents.json":
            return Response.html("<h1>404</h1>", 404)
        try:
            asked = checking.parameters(request, {"date", "type", "Subscription-Key"})
            if asked["Subscription-Key"] != KEYS["edinet"]:
                # The gateway before the service answers in its own shape.
                return json_response(
                    {"StatusCode": 401, "message": "Access denied due to invalid subscription key."}, 401
                )
            if not _DAY.fullmatch(asked["date"]) or asked["type"] not in ("1", "2"):
                raise RefusedError("The specified date is invalid.")
        except RefusedError as exc:
            return json_response({"metadata": {"title": "EDINET API", "status": "400", "message": str(exc)}})
        rows = [_filing(one, self._held) for one in self._held["filings"] if one["day"] == asked["date"]]
        meta = {"status": "200", "message": "OK", "resultset": {"count": len(rows)}}
        return json_response({"metadata": meta, "results": rows})


def _filing(one: Held, held: Held) -> dict[str, Any]:
    filer = organisation(held, one["filer"])
    return {
        "seqNumber": 1, "docID": one["id"], "edinetCode": filer["edinet_code"], "secCode": filer["securities_code"],
        "JCN": filer["corporate_number"], "filerName": filer["name_ja"], "docTypeCode": "120",
        "submitDateTime": f"{one['day']} 09:05", "docDescription": one["title"], "withdrawalStatus": "0",
    }  # fmt: skip
