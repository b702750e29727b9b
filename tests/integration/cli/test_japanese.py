"""`lyra` in Japanese, as another process: by the locale, by `--lang`, and what stays English."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A command in a terminal of 80 columns whose locale is Japanese."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LYRA_", "LC_"))}
    japanese = {"LANG": "ja_JP.UTF-8", "PYTHONUTF8": "1", "COLUMNS": "80", "XDG_CONFIG_HOME": str(tmp_path)}

    def ran(*words: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path / "home"), *words]
        given = kept | japanese | environ
        return subprocess.run(command, env=given, capture_output=True, encoding="utf-8", check=False, timeout=100)

    return ran


def test_task_is_created_and_listed(run: Run) -> None:
    """The message names the task and what to type next; headings and states are Japanese."""
    created = run("task", "new", "最低賃金は雇用を減らすか")
    task_id = created.stdout.split()[0]

    listed = run("task", "list")

    assert created.stdout == f'{task_id} を作成しました。次は: lyra search {task_id} "検索したい言葉"\n'
    assert listed.stdout.splitlines()[0] == "タスク ID\t状態\t検索語\t作成日時\t使用ページ"
    assert listed.stdout.splitlines()[1].split("\t")[:3] == [task_id, "作成済み", "最低賃金は雇用を減らすか"]


def test_doctor_speaks_japanese(run: Run, tmp_path: Path) -> None:
    """The names of the checks and what they found."""
    done = run("doctor")

    lines = dict(line[2:].split(maxsplit=1) for line in done.stdout.splitlines())
    assert done.returncode == 0
    assert lines["データベース"] == "最初に使うときに作ります"
    assert lines["LLM"] == "オフ: 規則だけで判定します（llm.endpoint が未設定）"
    assert lines["ログ"] == str(tmp_path / "home" / "logs")


def test_error_has_its_remedy_in_japanese(run: Run) -> None:
    """What was filled in stays as it is."""
    done = run("archive", "list", "example.org")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "lyra: 'example.org' は http または https のアドレスではありません。\n"
        "      https://example.org を試してください\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(("zzzz",), "コマンド 'zzzz' はありません。", id="unknown command"),
        pytest.param(("task", "new"), "引数 'query' が必要です。", id="missing argument"),
        pytest.param(("task", "new", "q", "--zzzz"), "オプション --zzzz はありません。", id="unknown option"),
    ],
)
def test_wrong_usage_is_explained_in_japanese(run: Run, words: tuple[str, ...], message: str) -> None:
    """Typer's own sentences are translated too."""
    done = run(*words)

    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"lyra: {message}")


def test_help_is_japanese(run: Run) -> None:
    """Usage, texts, titles and Typer's own option."""
    done = run("auth", "list", "--help")

    words = [" ".join(line.strip("│╭╮─ ").split()) for line in done.stdout.splitlines()]
    assert [one for one in words if one.strip("╰╯─ ")] == [
        "使い方: python -m lyra auth list [OPTIONS]",
        "人の対応を待っているものを一覧します。",
        "例: lyra auth list --group-by domain",
        "オプション",
        "--task <str> このタスクが待っているものだけ。",
        "--group-by <str> none、domain、type のいずれか。 [既定値: none]",
        "--json <bool> JSON だけを標準出力に出します。",
        "--help -h <bool> このヘルプを表示して終了します。",
    ]


def test_general_help_lists_the_commands_in_japanese(run: Run) -> None:
    """The list is translated without importing any command."""
    done = run("--help")

    assert "│ query       読み取り専用の SQL でグラフに問い合わせます。" in done.stdout
    assert "まず `lyra demo`、続いて `lyra doctor` と `lyra serve` をお試しください。" in done.stdout


def test_language_that_was_asked_for_goes_before_the_locale(run: Run) -> None:
    """`--lang en` in a Japanese terminal."""
    done = run("--lang", "en", "task", "show", "task_x")

    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "lyra: There is no task 'task_x'.")


def test_variable_chooses_the_language(run: Run) -> None:
    """LYRA_LANG goes before the locale, and is no setting."""
    done = run("task", "list", LYRA_LANG="en")

    assert (done.returncode, done.stdout) == (0, 'No tasks yet. Create one: lyra task new "your question"\n')


def test_unknown_language_is_refused(run: Run) -> None:
    """In the language of the locale; the one that was asked for is not replaced."""
    done = run("--lang=xx", "--help")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "lyra: Lyra には 'xx' のメッセージがありません。\n      en か ja を指定してください。\n"


def test_json_stays_english(run: Run) -> None:
    """Programs read the same in every locale; the person beside reads Japanese."""
    done = run("task", "show", "task_x", "--json")

    assert json.loads(done.stdout)["error"] == "There is no task 'task_x'."
    assert done.stderr.splitlines()[0] == "lyra: タスク 'task_x' はありません。"


def test_an_empty_queue_says_that_nothing_waits(run: Run) -> None:
    """Nobody was asked, so nobody left anything undecided."""
    done = run("auth")

    assert (done.returncode, done.stdout) == (0, "対応待ちはありません。\n")


def test_an_unknown_edge_names_the_command_that_lists_them(run: Run) -> None:
    """A person at a terminal has no views."""
    done = run("calibrate", "add", "--edge", "e_0", "--actual", "neutral")

    assert done.returncode == 2
    assert done.stderr.splitlines()[1] == "      エッジの ID は `lyra review TASK --list` で分かります。"


def test_a_domain_is_described_in_japanese(run: Run) -> None:
    """Names of fields, and the reasons behind them."""
    done = run("domains", "city.toryo.lg.jp")

    rows = dict(line.split("\t") for line in done.stdout.splitlines())
    assert rows["信頼度"] == "政府機関"
    assert rows["由来"] == "付属の一覧"
    assert rows["理由"] == "一覧で「政府機関」とされています（lg.jp）。"
    assert rows["最初の方法の理由"] == "負担の軽い方法から試します"
    assert [name for name in rows if name.isascii()] == []


def test_a_taken_port_of_the_simulated_web_has_a_remedy(run: Run) -> None:
    """The reason of the system, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("simweb", "serve", "--port", str(port))

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"lyra: 模擬ウェブを始められません（ポート {port}）: すでに使われています。\n"
        "      別の --port と --dir を指定してください。--port を省くと、空いているポートを使います。\n"
    )
