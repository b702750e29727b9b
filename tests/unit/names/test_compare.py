"""Whether two descriptions are of one entity, with reasons."""

import pytest

from lyra.names.compare import EntityProfile, SameEntity, same_entity
from lyra.names.identifiers import NamedIdentifier

NUMBER = NamedIdentifier("corporate_number", "8700110005901")
OTHER_NUMBER = NamedIdentifier("corporate_number", "7000012050002")
MISAKINO = EntityProfile("organisation", ("株式会社美咲野製作所",), (NUMBER,), ("東京都千代田区丸の内2-6-1",))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param(
            EntityProfile("organisation", ("Misakino Works",), (NUMBER,)),
            SameEntity(0.99, ("same corporate_number: 8700110005901",)),
            id="same-number",
        ),
        pytest.param(
            EntityProfile("organisation", ("株式会社美咲野製作所",), (OTHER_NUMBER,)),
            SameEntity(0.01, ("another corporate_number: 8700110005901 and 7000012050002",)),
            id="other-number-decides-against-the-name",
        ),
        pytest.param(
            EntityProfile("organisation", ("㈱美咲野製作所",), (), ("東京都千代田区丸の内二丁目６番１号",)),
            SameEntity(
                0.95,
                (
                    "same name without its legal form: 美咲野製作所",
                    "same legal form: 株式会社",
                    "same address: 東京都千代田区丸の内2-6-1",
                ),
            ),
            id="name-and-address",
        ),
        pytest.param(
            EntityProfile("organisation", ("美咲野製作所株式会社",), (), ("大阪府大阪市北区1-1",)),
            SameEntity(
                0.35,
                (
                    "same name without its legal form: 美咲野製作所",
                    "株式会社 stands before one name and after the other",
                    "another prefecture",
                ),
            ),
            id="form-behind-and-elsewhere",
        ),
        pytest.param(
            EntityProfile("organisation", ("Misakino", "美咲野製作所")),
            SameEntity(0.5, ("same name among the others it goes by: 美咲野製作所",)),
            id="an-alias",
        ),
        pytest.param(
            EntityProfile("organisation", ("湖水製作所",)), SameEntity(0.0, ("no name in common",)), id="no-name"
        ),
        pytest.param(
            EntityProfile("person", ("株式会社美咲野製作所",)),
            SameEntity(0.0, ("kinds differ: organisation and person",)),
            id="other-kind",
        ),
    ],
)
def test_the_estimate_names_its_reasons(other: EntityProfile, expected: SameEntity) -> None:
    """Equal numbers decide; names, forms, addresses and domains add up."""
    assert same_entity(MISAKINO, other) == expected
