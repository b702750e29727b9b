"""`lyra settings`: every setting with its value, secrets masked."""

from lyra.cli.installation import described_settings
from lyra.settings import Settings


def test_keys_are_shown_as_set_only() -> None:
    """A screenshot of the settings must not give a key away."""
    settings = Settings.model_validate({"academic": {"openalex_key": "s3cret"}})

    rows = {row["setting"]: row["value"] for row in described_settings(settings)}

    assert rows["academic.openalex_key"] == "set"
    assert rows["academic.semantic_scholar_key"] is None
    assert rows["network.concurrency"] == 4


def test_names_are_those_to_set_them_by() -> None:
    """Dotted as in the file's sections."""
    names = [row["setting"] for row in described_settings(Settings())]

    assert names[0] == "data_dir"
    assert {"network.proxy", "politeness.domain_qps", "log.level"} <= set(names)
    assert len(names) == len(set(names))
