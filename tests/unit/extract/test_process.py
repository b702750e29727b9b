"""A document survives the way between processes unchanged."""

import json

from lyra.extract.process import document_from_json, document_to_json
from lyra.model.page import Document, FragmentType, Heading, Identifier, Passage


def test_a_document_comes_back_as_it_was() -> None:
    """Through JSON, with lone surrogates, Japanese and every optional field."""
    passage = Passage("心不全 \ud800", 0, 5, FragmentType.TABLE, (Heading(2, "結果"),), 3, 7)
    document = Document(
        "題名", "心不全 \ud800", "ja", "2024-03-05", None, ("田中 恵子",), "paper", (passage,),
        (Identifier("doi", "10.1000/182"),), ("https://a.example/",), 0.75, "lyra-extract/2", ("scanned, not read: 2",),
        site_name="鈴代新聞",
    )  # fmt: skip

    back = document_from_json(json.loads(json.dumps(document_to_json(document))))

    assert back == document
