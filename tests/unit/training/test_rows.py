"""The split of rows into training and held-out parts."""


def test_no_held_out_text_is_trained_on(script):
    """A premise or an English hypothesis of a held-out row occurs nowhere in training."""
    rows = script("rows")
    pairs = [
        rows.Row(f"premise {n}", f"claim {n % 40}", "EC"[n % 2], source, "en")
        for n in range(200)
        for source in ("fever_symmetric", "mnli")
    ]

    train, held = rows.split_held_out(pairs)

    assert {row.source for row in held} == {"fever_symmetric"}
    assert not {row.premise for row in held} & {row.premise for row in train}
    assert not {row.hypothesis for row in held} & {row.hypothesis for row in train}


def test_rare_labels_of_a_source_weigh_more(script):
    """Labels are balanced inside a source, mined neutrals counted with it."""
    rows = script("rows")
    pairs = [
        rows.Row("p", "h", label, source, "en") for label, source in (("E", "a"), ("N", "a_mined"), ("N", "a_mined"))
    ]

    weights = rows.class_weights(pairs)

    assert weights == [1.5, 0.75, 0.75]
