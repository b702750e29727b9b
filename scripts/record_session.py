"""Records a short session of a real client with a real server on the simulated web, as text for the README.

Without arguments the transcript goes between the markers in README.md; with `-` it is printed.
"""

import asyncio
import json
import re
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lyra_bench.demo.client import Session, connected
from lyra_bench.demo.world import simulated_web

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- recorded by scripts/record_session.py -->", "<!-- end of the recorded session -->"
_WIDTH = 110
QUESTION = "Are DPP-4 inhibitors safe for the heart?"
HYPOTHESES = (
    "Saxagliptin increases hospitalisation for heart failure.",
    "Sitagliptin increases hospitalisation for heart failure.",
)
SUMMARY = (
    "select claim_text, support_count, refute_count, bayesian_confidence from v_claim_evidence_summary"
    " where claim_id in ({}) order by claim_text desc"
)
SIDES = (
    "select e.relation, e.quote, p.url from edges e join pages p on p.id = e.page_id"
    " where e.target_id = '{}' and e.relation = '{}' order by e.nli_confidence desc limit 1"
)


class Transcript:
    """What was asked and what was answered, as a reader sees it: wrapped, without ids and limits that say little."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.lines: list[str] = []

    async def ask(self, tool: str, shown: Sequence[str], **arguments: Any) -> dict[str, Any]:
        """Call a tool; of the answer the fields in `shown` are kept, rows of the graph one a line."""
        self._say("→ ", f"{tool} {_compact(arguments)}")
        answer = await self._session.call(tool, **arguments)
        for row in answer.get("rows", ()):
            self._say("← ", " · ".join(" ".join(str(value).split()) for value in row.values()))
        if shown:
            self._say("← ", _compact({name: answer[name] for name in shown}))
        return answer

    def _say(self, sign: str, text: str) -> None:
        plain = re.sub(r"\b(task|s|c|e|f|p)_[0-9a-f]{12,16}\b", r"\1_…", text)
        self.lines += textwrap.wrap(plain, _WIDTH, initial_indent=sign, subsequent_indent="    ")


def _compact(fields: Mapping[str, Any]) -> str:
    options = {key: value for key, value in fields.get("options", {}).items() if key not in _LIMITS}
    rest = {key: value for key, value in fields.items() if key not in ("options", "task_id")}
    return json.dumps({**rest, "options": options} if options else rest, ensure_ascii=False)


_LIMITS = ("max_pages", "wait_seconds")


async def record(data_dir: Path, environment: Mapping[str, str]) -> list[str]:
    """The session: hypotheses, a search in two languages, one against, and both sides of what is left."""
    async with connected(data_dir, environment) as session:
        told = Transcript(session)
        made = await told.ask(
            "create_task", ("claims",), query=QUESTION, config={"hypotheses": [{"text": one} for one in HYPOTHESES]}
        )
        task, claims = made["task_id"], made["claims"]
        searches = (
            ("saxagliptin heart failure hospitalisation trial", {}),
            ("DPP-4阻害薬 心不全 入院", {}),
            ("saxagliptin heart failure not increased", {"refute": True, "claim_ids": claims[:1]}),
        )
        for query, options in searches:
            await told.ask(
                "search",
                ("status", "pages_fetched", "useful_fragments"),
                task_id=task,
                query=query,
                options={**options, "max_pages": 6, "wait_seconds": 120},
            )
        named = ", ".join(f"'{one}'" for one in claims)
        await told.ask("query_graph", (), sql=SUMMARY.format(named))
        for relation in ("supports", "refutes"):
            await told.ask("query_graph", (), sql=SIDES.format(claims[0], relation))
        await told.ask("stop_task", ("final_status",), task_id=task)
        return told.lines


def placed(text: str, transcript: str) -> str:
    """The README with the transcript between its markers; where there are none, at its end."""
    block = f"{BEGIN}\n\n```text\n{transcript}\n```\n\n{END}"
    if BEGIN in text and END in text:
        return text[: text.index(BEGIN)] + block + text[text.index(END) + len(END) :]
    return f"{text.rstrip()}\n\n## A session, recorded\n\n{block}\n"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="lyra-record-") as folder, simulated_web(Path(folder)) as environment:
        lines = asyncio.run(record(Path(folder) / "data", environment))
    if "-" in sys.argv:
        print("\n".join(lines))
    else:
        README.write_text(placed(README.read_text("utf-8"), "\n".join(lines)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
