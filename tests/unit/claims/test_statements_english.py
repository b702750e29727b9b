"""English statements: what is one, what is none, and what its text leaves out."""

import pytest

from lyra.claims.statements import has_statement, statements
from lyra.model.claim import Statement


def texts(fragment: str) -> list[str]:
    return [found.text for found in statements(fragment, "en")]


@pytest.mark.parametrize(
    "sentence",
    [
        "Saxagliptin increases the risk of hospitalisation for heart failure in people with type 2 diabetes.",
        "The dose of sitagliptin must be reduced in patients with moderate or severe kidney impairment.",
        "Gliptins do not affect body weight.",
        "DPP-4 inhibitors cost more than forty times as much as generic metformin.",
        "All-cause mortality was the same in both groups.",
        "Trials have not shown any effect of gliptins on all-cause mortality.",
        "It is estimated that 6.3 million people in Japan take tablets for diabetes.",
        "There were 547 deaths with sitagliptin and 537 with placebo.",
        "New York state now has more coronavirus cases than any single country.",
        "Angiotensin I is converted to angiotensin II by an enzyme in the lungs.",
        "Sulfonylureas stimulate insulin secretion whatever the glucose level.",
        "We found no link between DPP-4 inhibitors and severe joint pain, overall or for any single agent.",
        "In our cohort of 1.5 million patients, saxagliptin was not linked to more admissions for heart failure.",
        "Neither weight gain nor weight loss exceeded half a kilogram in any subgroup.",
        "A study published in The Lancet in 2019 found that ibuprofen raised the risk of heart attack by 31 percent.",
        "About 56 percent of the world's population lives in cities.",
        "The Greenland ice sheet covers 1.7 million square kilometres.",
        "Brazil is the largest coffee producer in the world.",
        "The Paris Agreement was signed in 2016 by 175 parties.",
        "The U.S. Department of Justice sued Google in January 2023 over its share of the market.",
        "WHO recommends less than 5 grams of salt per day for adults.",
        "IT spending rose by 8 percent to $4.7 trillion in 2023.",
        "Vitamin D and calcium reduced fractures by 15 percent in women over 65.",
        "Ibuprofen raised the risk of heart attack by 31 percent (Smith et al., 2019).",
        "Troponin I was elevated in 30 percent of the patients with sepsis.",
        "Mortality was higher above 65 years (P > 0.05 in both trials, age > 80 excluded).",
        "Live births fell to 758,631 in Japan in 2023.",
        "When sitagliptin is taken with food, it lowers HbA1c by 0.6 percentage points.",
        "In 2021, it was estimated that 6.3 million people in Japan take tablets for diabetes.",
        "Stay-at-home orders reduced infections by 40 percent in April 2020.",
    ],
)
def test_a_checkable_sentence_is_a_statement(sentence: str) -> None:
    """Declarative, about the world, and readable alone."""
    assert texts(sentence) == [sentence]


NO_STATEMENT = pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Do gliptins cause heart failure in people with diabetes?", id="question"),
        pytest.param("Do not stop taking the diabetes medicine without talking to a doctor.", id="prohibition"),
        pytest.param("Consider stopping saxagliptin in patients who develop heart failure.", id="advice"),
        pytest.param("Cut the sulfonylurea by 50 percent on the day the inhibitor is started.", id="order"),
        pytest.param("Call your doctor if the swelling of the legs does not go away.", id="order to the reader"),
        pytest.param("We use cookies to give the best experience on this site.", id="cookies"),
        pytest.param("Sign up for the weekly newsletter and never miss a story again.", id="newsletter"),
        pytest.param("Copyright 2024 The Harbor Courier Company. All rights reserved.", id="copyright"),
        pytest.param("Click here to read more stories about diabetes and heart failure.", id="read more"),
        pytest.param("Mary Webb is a freelance writer who covers diabetes for several magazines.", id="author"),
        pytest.param("For more information, contact the press office at press@example.org today.", id="contact"),
        pytest.param("This article was originally published by GlobeWire Health in March.", id="syndication note"),
        pytest.param("Home | Health | Diabetes | Heart failure and the new tablets for it", id="navigation"),
        pytest.param("Efficacy and Safety of DPP-4 Inhibitors in Type 2 Diabetes", id="title"),
        pytest.param("Influence of gliptins on the heart, the kidney and the pancreas.", id="no verb"),
        pytest.param("To quantify the hypoglycaemia caused by adding a gliptin to a sulfonylurea.", id="aim"),
        pytest.param("Joint pain that makes it hard to move around the house", id="list item"),
        pytest.param("I take my gliptin every morning and my HbA1c fell by 0.8 points.", id="first person"),
        pytest.param("We recommend halving the dose of the sulfonylurea when a gliptin is added.", id="we recommend"),
        pytest.param("Our clinic treats more than 2,000 people with diabetes every year.", id="our clinic"),
        pytest.param("If you take a sulfonylurea, your risk of hypoglycaemia rises.", id="you"),
        pytest.param("It does not raise the risk of heart failure in any age group.", id="it"),
        pytest.param("This increases the risk of hypoglycaemia by about 50 percent.", id="this"),
        pytest.param("They took saxagliptin 5 mg daily, or 2.5 mg if kidney function was reduced.", id="they"),
        pytest.param("These drugs reduce HbA1c by 0.5 to 0.8 percentage points on average.", id="these drugs"),
        pytest.param("In that trial the insulin dose was kept fixed for all of the patients.", id="in that trial"),
        pytest.param("Added to insulin, it lowers HbA1c by 0.6 percentage points.", id="it behind"),
        pytest.param("The difference corresponds to what many doctors had expected.", id="the difference"),
        pytest.param("Smith J, Kato T, et al. N Engl J Med 2013;369:1317-26 on saxagliptin was cited.", id="reference"),
        pytest.param("Gliptins were found to lower the risk of …", id="truncated"),
        pytest.param("“Gliptins do not raise the risk of heart failure, we were told.", id="half a quotation"),
        pytest.param("Gliptins are safe.", id="too short"),
        pytest.param("Gliptins lower glucose " + "and lower it again " * 25 + "every day.", id="too long"),
        pytest.param("What a wonderful result for everybody who takes these tablets!", id="exclamation"),
        pytest.param("The following adverse effects have been reported with saxagliptin:", id="introduces a list"),
        pytest.param("Strictly necessary cookies enable core functions such as security.", id="kinds of cookies"),
        pytest.param("Delivery is free on orders over $50 within the United States.", id="shop"),
        pytest.param("12,345 people found this helpful in the past 30 days.", id="votes"),
        pytest.param("The funders had no role in study design or the decision to publish.", id="funders"),
        pytest.param("Received 12 March 2020, accepted 5 May 2020, published online 7 June 2020.", id="dates"),
        pytest.param("Figure 3 shows the mean change in HbA1c at 24 weeks.", id="caption"),
        pytest.param("The views expressed are those of the author and not of Example Inc.", id="disclaimer"),
        pytest.param("Dr. Smith received her PhD from Oxford University in 2003.", id="degree"),
        pytest.param("Next article: How aspirin reduces the risk of stroke by 20 percent.", id="teaser"),
        pytest.param("The aim of the study was to determine the effect of sitagliptin on HbA1c.", id="purpose"),
        pytest.param("The hypothesis was that aspirin would reduce the risk by 20 percent.", id="hypothesis"),
        pytest.param("Changes in ctDNA levels will be measured for each of the four groups.", id="plan"),
        pytest.param("$ hg clone public review updating to branch default 1 files updated", id="shell"),
    ],
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Digital advertising accounted for 72 percent of all media spending in 2023.",
        "Subscription revenue rose by 20 percent to $2.4 billion in 2023.",
        "The EU copyright directive took effect in June 2021.",
        "Websites that use cookies for tracking must obtain consent under the ePrivacy Directive.",
        "The privacy policy of Example Corp allows the sale of location data to 12 firms.",
        "Financial conflicts of interest were found in 40 percent of the guidelines.",
        "JavaScript is used by 98 percent of all websites.",
        "Stubborn inflation reduced real wages by 3 percent in 2022.",
        "Children learn more when class sizes are smaller than 20.",
    ],
)
def test_a_topic_is_no_furniture(sentence: str) -> None:
    """Lawyers research copyright and cookies, economists advertising: only the notices about them are furniture."""
    assert texts(sentence) == [sentence]


@NO_STATEMENT
def test_what_is_no_statement(sentence: str) -> None:
    """No claim is a valid result: furniture, chatter and what hangs on its neighbours are left out."""
    assert texts(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (
            "However, sitagliptin did not raise the risk of heart failure.[12]",
            "Sitagliptin did not raise the risk of heart failure.",
        ),
        (
            "Conclusions: DPP-4 inhibitors lower HbA1c without hypoglycaemia.",
            "DPP-4 inhibitors lower HbA1c without hypoglycaemia.",
        ),
        (
            "These results suggest that gliptins do not cause acute pancreatitis.",
            "Gliptins do not cause acute pancreatitis.",
        ),
        (
            "WASHINGTON, March 24 (GlobeWire) - A popular group of pills does not lead to heart failure.",
            "A popular group of pills does not lead to heart failure.",
        ),
        (
            "No. Routine measurement of pancreatic enzymes is not useful in these cases.",
            "Routine measurement of pancreatic enzymes is not useful in these cases.",
        ),
        (
            "So far, companies have sold 40 million doses of the drug.",
            "So far, companies have sold 40 million doses of the drug.",
        ),
    ],
)
def test_the_text_stands_alone_and_the_quote_stays_exact(sentence: str, text: str) -> None:
    """Marks, labels and connectives leave `text` only; `quote` is what the page says."""
    found = statements(sentence, "en")

    assert [(one.text, one.quote) for one in found] == [(text, sentence)]


def test_a_statement_knows_its_place() -> None:
    """The report's deep link and `lyra verify` rely on the exact position."""
    fragment = "Is it safe? Saxagliptin raised the rate of hospitalisation for heart failure by 27 percent. Read more."

    found = statements(fragment, "en")

    assert found == [
        Statement(
            text="Saxagliptin raised the rate of hospitalisation for heart failure by 27 percent.",
            quote=fragment[12:91],
            start=12,
            end=91,
            language="en",
            score=1.0,
            is_hedged=False,
        )
    ]


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("Is it safe? Saxagliptin raised the rate of hospitalisation for heart failure by 27 percent.", True),
        ("Is it safe? Read more.", False),
        ("", False),
    ],
)
def test_a_fragment_speaks_where_it_states_anything(fragment: str, expected: bool) -> None:
    """Whether there is a statement is known without reading all of them."""
    assert has_statement(fragment, "en") is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("DPP-4 inhibitors may slightly increase acute pancreatitis in the elderly.", True),
        ("DPP-4 inhibitors increased acute pancreatitis in the elderly.", False),
    ],
)
def test_hedges_are_noted(sentence: str, expected: bool) -> None:
    """Whether an author commits is part of what a client must know."""
    assert [found.is_hedged for found in statements(sentence, "en")] == [expected]


def test_figures_names_and_effects_raise_the_score() -> None:
    """Of two true sentences, the one that can be proved wrong is worth more."""
    plain, telling = statements(
        "Patients were seen by a nurse before the visit. Saxagliptin raised admissions by 27 percent in CARDIAN-53.",
        "en",
    )

    assert (plain.score, telling.score) == (0.4, 1.0)


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Studie zeigt, dass das Medikament den Blutzucker um 0,7 Prozentpunkte senkt.",
        "L'étude montre que le médicament réduit la glycémie de 0,7 point chez les patients.",
        "研究表明，该药物可将血糖水平降低百分之零点七。",
    ],
    ids=["German", "French", "Chinese"],
)
def test_other_languages_give_nothing(sentence: str) -> None:
    """Rules of another grammar would only guess; the honest answer is none."""
    assert statements(sentence, "de") == []


def test_an_english_sentence_on_a_japanese_page_is_read() -> None:
    """Japanese journals carry English abstracts."""
    sentence = "The addition of teneligliptin to insulin lowered HbA1c by 0.7 points in the treated group."

    assert [found.language for found in statements(sentence, "ja")] == ["en"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("   \n ", id="blank"),
        pytest.param("\x00\x01\x02", id="binary"),
        pytest.param("�" * 50, id="wrong encoding"),
        pytest.param(". . . . . ?", id="punctuation"),
        pytest.param("a" * 100_000, id="one endless word"),
        pytest.param("ABC" + " .," * 400, id="dots after capitals"),
        pytest.param(
            "a line without an end that goes on and on in small letters\n" * 5_000, id="endless wrapped lines"
        ),
        pytest.param("「" * 5_000 + "。」" * 5_000, id="quotation marks"),
    ],
)
def test_hostile_text_gives_nothing(text: str) -> None:
    """Empty, binary and endless texts come from the web every day."""
    assert statements(text, "en") == []
