"""e-Stat: tables of Japan's official statistics, and their figures."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from lyra.apis import fields
from lyra.apis.client import ApiReply
from lyra.model.registry import EntityKind, RegistryAnswer, RegistryRecord
from lyra.registries.api import Registry, RegistryFacts, answer_of, as_list, failed, json_object
from lyra.registries.question import Question
from lyra.registries.record import RecordText, numbered, organisation

NAME = "estat"
_ROOT = "https://api.e-stat.go.jp/rest/3.0/app/json"
_TABLE = "https://www.e-stat.go.jp/dbview?sid="
_FIGURES = 30
# The service answers 200 whatever happened; these numbers in the answer say how it went.
_FOUND, _NOTHING = 0, 1


class EStat(Registry):
    """The portal of official statistics; its application id is free."""

    facts = RegistryFacts(NAME, "official statistics of Japan", ("api.e-stat.go.jp",), "registries.estat_key")

    def accepts(self, question: Question) -> bool:
        return question.is_japanese

    async def search(self, question: Question, limit: int, *, cause_id: str | None = None) -> RegistryAnswer:
        words = " AND ".join(question.words.split())
        asked = urlencode({"appId": self._key, "searchWord": words, "limit": limit})
        reply = await self._client.get(f"{_ROOT}/getStatsList?{asked}", cause_id=cause_id, parse=_table_ids)
        if reply.failure is not None:
            return failed(reply.failure)
        return answer_of(NAME, [await self._figures(table, cause_id) for table in reply.value[:limit]])

    async def _figures(self, table: str, cause_id: str | None) -> ApiReply:
        asked = urlencode({"appId": self._key, "statsDataId": table, "limit": _FIGURES})
        return await self._client.get(f"{_ROOT}/getStatsData?{asked}", cause_id=cause_id, parse=read)


def _checked(body: bytes, name: str) -> Mapping[str, Any]:
    """The answer under its name; ValueError with the service's own words where it refuses."""
    answer = fields.mapping(json_object(body, name))
    result = fields.mapping(answer.get("RESULT"))
    if result.get("STATUS") not in (_FOUND, _NOTHING):
        raise ValueError(f"says: {fields.string(result.get('ERROR_MSG')) or 'no status'}")
    return answer


def _table_ids(body: bytes) -> list[str]:
    listed = fields.mapping(_checked(body, "GET_STATS_LIST").get("DATALIST_INF"))
    return [str(entry["@id"]) for entry in fields.objects(as_list(listed.get("TABLE_INF"))) if "@id" in entry]


def read(body: bytes) -> tuple[RegistryRecord, ...]:
    """One table with its first figures."""
    data = fields.mapping(_checked(body, "GET_STATS_DATA").get("STATISTICAL_DATA"))
    table = fields.mapping(data.get("TABLE_INF"))
    number, title = fields.string(table.get("@id")), _named(table.get("TITLE"))
    if number is None:
        return ()
    name = f"{fields.string(table.get('STATISTICS_NAME')) or _named(table.get('STAT_NAME')) or ''}「{title or ''}」"
    subject, said = numbered(EntityKind.STATISTIC, name, "estat_table", number), RecordText("ja")
    office = _named(table.get("GOV_ORG"))
    said.state(subject, "compiled_by", office, organisation(office) if office else None)
    names = _class_names(fields.mapping(data.get("CLASS_INF")).get("CLASS_OBJ"))
    for figure in fields.objects(as_list(fields.mapping(data.get("DATA_INF")).get("VALUE")))[:_FIGURES]:
        said.state(subject, "figure", _figure(figure, names))
    return (said.record(NAME, f"{_TABLE}{number}", name, fields.day(table.get("OPEN_DATE"))),)


def _class_names(classes: Any) -> dict[str, dict[str, str]]:
    """For each class (`tab`, `cat01`, `area`, `time`) its codes with their names."""
    return {
        str(one.get("@id")): {
            str(entry.get("@code")): name
            for entry in fields.objects(as_list(one.get("CLASS")))
            if (name := fields.string(entry.get("@name")))
        }
        for one in fields.objects(as_list(classes))
    }


def _figure(figure: Mapping[str, Any], names: Mapping[str, Mapping[str, str]]) -> str | None:
    """`2020年の全国の人口は126146099人`; none where there is no number."""
    value = fields.string(figure.get("$"))
    if value is None or not any(char.isdigit() for char in value):
        return None
    described = {name: names.get(name, {}).get(str(figure.get(f"@{name}")), "") for name in names}
    last = described.pop("tab", "") or "値"
    order: Sequence[str] = [name for name in ("time", "area") if name in described]
    order = [*order, *(name for name in described if name not in order)]
    parts = [described[name] for name in order if described[name]]
    return f"{'の'.join([*parts, last])}は{value}{fields.string(figure.get('@unit')) or ''}"


def _named(value: Any) -> str | None:
    """A text, or the text of an element with attributes."""
    return fields.string(fields.mapping(value).get("$")) if isinstance(value, Mapping) else fields.string(value)
