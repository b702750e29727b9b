"""One override in the user's own file: set, changed, taken back; every other line stays as it was written."""

from pathlib import Path

import pytest

from lyra.errors import SettingsError
from lyra.model.trust import TrustLevel
from lyra.trust.levels import TrustList
from lyra.trust.override_file import write_override

OWN = """# my list
user_overrides:
  # the ministry
  - domain: ministry.example
    trust_level: government  # sure
  - {domain: blog.example, trust_level: low}

notes: [kept]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "domains.yaml"


def test_first_override_makes_the_file(file: Path) -> None:
    """An address stands for its host; the reason is written so that YAML reads it back."""
    write_override(file, "https://Journal.example/x", TrustLevel.ACADEMIC, 'it\'s "peer" reviewed: yes')

    assert file.read_text("utf-8") == (
        'user_overrides:\n  - domain: "journal.example"\n    trust_level: academic\n'
        '    reason: "it\'s \\"peer\\" reviewed: yes"\n'
    )
    assert TrustList(file).explain("journal.example").reason == 'it\'s "peer" reviewed: yes'


@pytest.mark.parametrize(
    ("domain", "level", "expected"),
    [
        (
            "new.example",
            TrustLevel.TRUSTED,
            OWN.replace("low}\n", 'low}\n  - domain: "new.example"\n    trust_level: trusted\n'),
        ),
        (
            "ministry.example",
            TrustLevel.LOW,
            OWN.replace(
                "  - domain: ministry.example\n    trust_level: government  # sure\n",
                '  - domain: "ministry.example"\n    trust_level: low\n',
            ),
        ),
        (
            "blog.example",
            TrustLevel.BLOCKED,
            OWN.replace(
                "  - {domain: blog.example, trust_level: low}\n",
                '  - domain: "blog.example"\n    trust_level: blocked\n',
            ),
        ),
        ("blog.example", None, OWN.replace("  - {domain: blog.example, trust_level: low}\n", "")),
        ("unknown.example", None, OWN),
    ],
    ids=["added", "changed", "changed in braces", "taken back", "was never there"],
)
def test_only_the_lines_of_the_entry_change(file: Path, domain: str, level: TrustLevel | None, expected: str) -> None:
    """Comments, order and other sections are the user's."""
    file.write_text(OWN, "utf-8")

    write_override(file, domain, level, "")

    assert file.read_text("utf-8") == expected


def test_last_override_is_taken_back_and_another_set(file: Path) -> None:
    """An empty section is filled again."""
    write_override(file, "a.example", TrustLevel.LOW, "")
    write_override(file, "a.example", None, "")
    write_override(file, "b.example", TrustLevel.TRUSTED, "")

    assert file.read_text("utf-8") == 'user_overrides:\n  - domain: "b.example"\n    trust_level: trusted\n'


def test_rate_of_the_entry_is_kept(file: Path) -> None:
    """A new level leaves how gently the domain is asked."""
    file.write_text("user_overrides:\n- domain: a.example\n  qps: 0.1\n  trust_level: low\n", "utf-8")

    write_override(file, "a.example", TrustLevel.TRUSTED, "")

    assert file.read_text("utf-8") == ('user_overrides:\n- domain: "a.example"\n  trust_level: trusted\n  qps: 0.1\n')


@pytest.mark.parametrize(
    "text",
    [
        "user_overrides: [{domain: a.example, trust_level: low}]\n",
        "user_overrides: {a: b}\n",
        "user_overrides:\n - : x: y\n",
        "just words\n",
    ],
    ids=["in brackets", "no list", "broken", "no sections"],
)
def test_file_in_another_form_is_left_alone(file: Path, text: str) -> None:
    """What cannot be changed safely is not changed."""
    file.write_text(text, "utf-8")

    with pytest.raises(SettingsError) as raised:
        write_override(file, "b.example", TrustLevel.LOW, "")

    assert (raised.value.remedy, file.read_text("utf-8")) == ("Change the entry in domains.yaml by hand.", text)


@pytest.mark.parametrize("domain", ["", "not a domain", "a/b", "*", "javascript:alert(1)"])
def test_what_is_no_domain_is_refused(file: Path, domain: str) -> None:
    """Nothing is written for it."""
    with pytest.raises(SettingsError):
        write_override(file, domain, TrustLevel.LOW, "")

    assert not file.exists()
