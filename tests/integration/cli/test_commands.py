"""Commands over a data directory: what they answer, as JSON and for people."""

import json
from pathlib import Path
from typing import Any

import pytest

from lyra.ml.card import load_card, model_directory

PAGE = """<!doctype html><html lang="en"><head><title>Heart failure and saxagliptin</title>
<meta name="date" content="2016-04-05"></head><body><main><h1>Heart failure and saxagliptin</h1>
<p>Saxagliptin increased the rate of hospitalisation for heart failure by 27% compared with placebo in a large trial
of 16,492 patients with type 2 diabetes who were followed for a median of two years.</p>
<h2>What to do</h2><p>Patients with heart failure should talk to their doctor before they start the drug, because the
risk was highest among those who had had heart failure before.</p></main></body></html>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_tasks_are_created_listed_shown_and_stopped(lyra: Any) -> None:
    """The life of a task without any search."""
    made = lyra(
        "task", "new", "Are gliptins safe?", "-H", "Gliptins are safe.", "--language", "en", "--max-pages", "7",
        "--max-seconds", "60", "--priority-domain", "www.fdso.gov", "--json",
    )  # fmt: skip
    task = made.json["task_id"]

    listed = lyra("task", "list", "--json")
    shown = lyra("task", "show", task, "--json")
    stopped = lyra("task", "stop", task, "--json")

    assert made.json["budget"] == {"max_pages": 7, "max_seconds": 60.0}
    assert [(row["task_id"], row["status"], row["query"]) for row in listed.json] == [
        (task, "created", "Are gliptins safe?")
    ]
    assert (shown.json["status"], shown.json["searches"]) == ("created", [])
    assert (stopped.json["final_status"], stopped.json["summary"]["total_claims"]) == ("completed", 1)


def test_the_newest_task_is_listed_first_and_an_empty_list_says_what_to_do(lyra: Any) -> None:
    """For people, too."""
    empty, none = lyra("task", "list"), lyra("task", "list", "--json")
    for name in ("First?", "Second?"):
        lyra("task", "new", name)

    rows = lyra("task", "list", "--json").json

    assert empty.out == 'No tasks yet. Create one: lyra task new "your question"\n'
    assert none.json == []
    assert [row["query"] for row in rows] == ["Second?", "First?"]


def test_people_get_tables(lyra: Any) -> None:
    """The same facts, readable."""
    task = lyra("task", "new", "Are gliptins safe?", "-H", "Gliptins are safe.", "--json").json["task_id"]

    new = lyra("task", "new", "Another?")
    shown = lyra("task", "show", task)
    rows = lyra("query", "select claim_text, confidence from claims")

    assert "Next: lyra search task_" in new.out
    assert shown.out.startswith(f"{task}  created\nAre gliptins safe?\n")
    assert "pages_limit" in shown.out
    assert "Gliptins are safe." in rows.out


def test_the_graph_is_asked_in_sql(lyra: Any) -> None:
    """Rows, columns, and whether something was left out."""
    lyra("task", "new", "q", "-H", "One is safe.", "-H", "Two is not.")

    some = lyra("query", "select claim_text from claims order by seq", "--limit", "1", "--json")
    schema = lyra("query", "--schema", "--json")

    assert some.json["rows"] == [{"claim_text": "One is safe."}]
    assert (some.json["columns"], some.json["row_count"], some.json["truncated"]) == (["claim_text"], 1, True)
    assert {"claims", "edges", "v_contradictions"} <= {table["name"] for table in schema.json["schema"]}


def test_a_report_of_a_task_without_findings_is_honest(lyra: Any, home: Path) -> None:
    """It lies in the data directory unless the user says otherwise; - is stdout."""
    task = lyra("task", "new", "Are gliptins safe?", "--json").json["task_id"]

    kept = lyra("report", task, "--json")
    shown = lyra("report", task, "-o", "-", "--json")

    written = home / "reports" / f"{task}.md"
    assert kept.json == {
        "ok": True,
        "task_id": task,
        "path": str(written),
        "appendix": str(written.with_suffix(".appendix.md")),
    }
    assert shown.json["markdown"] == written.read_text()
    assert shown.json["appendix"] is None
    assert "No other claim reached a report confidence of 0.7." in shown.json["markdown"]
    assert written.with_suffix(".appendix.md").read_text().startswith("# Appendix: Are gliptins safe?\n")


def test_extraction_can_be_looked_at(lyra: Any, page: Path, tmp_path: Path) -> None:
    """One object a line: the text without its title, fragments with headings; a bad file is named beside the good."""
    (tmp_path / "empty.html").touch()

    done = lyra("inspect", "extract", str(page), str(tmp_path / "empty.html"), str(tmp_path / "none.html"), "--json")

    good, empty, missing = done.lines
    assert done.code == 2
    assert (good["file"], good["title"], good["language"]) == (str(page), "Heart failure and saxagliptin", "en")
    assert good["text"].startswith("Saxagliptin increased the rate")
    assert good["fragments"][-1]["headings"][-1] == "What to do"
    assert (empty["error_code"], missing["error_code"]) == ("INVALID_PARAMS", "INVALID_PARAMS")
    assert [row["ok"] for row in done.lines] == [True, False, False]


def test_a_page_that_is_looked_at_cannot_steer_the_terminal(lyra: Any, tmp_path: Path) -> None:
    """Marks that turn the order of words are printed neither for people nor as JSON; places still count them."""
    words = "The rate rose by 12 \u202e percent in the trial of 2020, and fell again in the years after it."
    (tmp_path / "odd.html").write_text(f"<html><body><p>{words}</p></body></html>", "utf-8")

    shown = lyra("inspect", "extract", str(tmp_path / "odd.html"))
    row = lyra("inspect", "extract", str(tmp_path / "odd.html"), "--json").lines[0]

    assert words.replace("\u202e", "") in shown.out
    assert row["text"] == words.replace("\u202e", "")
    assert row["fragments"][0]["end"] == len(words)


def test_statements_can_be_looked_at(lyra: Any, page: Path, tmp_path: Path) -> None:
    """Each with its exact place in the text; a file that is not there is an error of the usual form."""
    missing = str(tmp_path / "none.html")

    done = lyra("inspect", "claims", str(page), missing, "--json")

    row, unread = done.lines
    text = lyra("inspect", "extract", str(page), "--json").lines[0]["text"]
    quotes = [(claim["quote"], text[claim["start"] : claim["end"]]) for claim in row["claims"]]
    assert (done.code, row["ok"]) == (2, True)
    assert quotes[0][0].startswith("Saxagliptin increased the rate")
    assert [one for one in quotes if one[0] != one[1]] == []
    assert unread == {
        "ok": False,
        "file": missing,
        "error_code": "INVALID_PARAMS",
        "error": "The file cannot be opened: No such file or directory.",
        "retryable": False,
    }


def test_result_pages_can_be_looked_at(lyra: Any, tmp_path: Path) -> None:
    """A page that is no result page has an outcome other than results; an unknown engine is named."""
    (tmp_path / "serp.html").write_text("<html><body><p>Nothing of the kind</p></body></html>")

    odd = lyra("inspect", "serp", "mojeek", str(tmp_path / "serp.html"), "--json")
    unknown = lyra("inspect", "serp", "altavista", str(tmp_path / "serp.html"), "--json")

    assert odd.lines[0]["outcome"] == "failed"
    assert unknown.code == 2
    assert "altavista" in unknown.out


def test_stance_is_measured_on_labelled_rows(lyra: Any, tmp_path: Path) -> None:
    """The product's own judge, per source."""
    rows = [
        {"premise": "It raised the risk.", "hypothesis": "It raised the risk.", "label": "E", "source": "a"},
        {"premise": "The sky was grey.", "hypothesis": "It raised the risk.", "label": "N", "source": "b"},
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    done = lyra("eval", "stance", str(tmp_path / "gold.jsonl"), "--json")

    assert done.code == 0
    assert {name: scores["n"] for name, scores in done.json["sources"].items()} == {"a": 1, "b": 1}
    assert {"accuracy", "macro_f1", "by_large_reader"} <= set(done.json["sources"]["a"])
    assert done.json["models"]["small"] == load_card(model_directory("small")).model_id


def test_ranking_is_measured_on_a_collection(lyra: Any, tmp_path: Path) -> None:
    """BEIR's layout in, three figures out."""
    documents = {"d1": "Saxagliptin and heart failure", "d2": "Prices of bread in Lisbon", "d3": "Bullous pemphigoid"}
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": key, "title": "", "text": text}) + "\n" for key, text in documents.items())
    )
    (tmp_path / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "heart failure saxagliptin"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")

    done = lyra("eval", "ranking", str(tmp_path), "--json")

    assert done.code == 0
    assert (done.json["ndcg@10"], done.json["recall@10"], done.json["bm25_ndcg@10"]) == (1.0, 1.0, 1.0)
