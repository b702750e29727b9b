"""What the unlabelled texts are about: subjects, kinds of text and angles, combined at random into prompts."""

from __future__ import annotations

import random

SUBJECTS = """
vitamin D supplements|vitamin C|zinc|garlic|green tea|coffee and the heart|alcohol and cancer|red meat|
the Mediterranean diet|intermittent fasting|sugar and hyperactivity|artificial sweeteners|salt and blood pressure|
probiotics|the gut microbiome|obesity|type 2 diabetes|insulin resistance|metformin|statins|aspirin|ibuprofen|
antibiotic resistance|influenza vaccines|measles vaccination|mRNA vaccines|HPV vaccination|
coronavirus transmission|face masks|social distancing|hand washing|school closures|asymptomatic infection|
loss of smell|hydroxychloroquine|remdesivir|dexamethasone|convalescent plasma|ivermectin|viral mutation|
bats as reservoirs of viruses|virus survival on surfaces|ultraviolet light disinfection|ACE2 receptors|
cytokine storms|children and infection|pregnancy and infection|smoking and lung disease|vaping|
air pollution and asthma|asthma inhalers|sleep deprivation|melatonin|depression treatment|antidepressants|
cognitive behavioural therapy|dementia prevention|Alzheimer's disease and amyloid|Parkinson's disease|
stroke rehabilitation|hypertension|atrial fibrillation|heart failure|cholesterol|exercise and longevity|
strength training in old age|osteoporosis|knee surgery|low back pain|acupuncture|homeopathy|
breast cancer screening|prostate cancer|colorectal cancer|immunotherapy|chemotherapy side effects|gene therapy|
CRISPR editing|stem cells|microRNA|p53 mutations|DNA methylation|telomeres and ageing|mitochondria|T cell memory|
interleukin-6|regulatory T cells|autophagy|apoptosis|protein folding|yeast genetics|zebrafish development|
mouse models of disease|malaria nets|tuberculosis treatment|HIV prevention|hepatitis C|dengue fever|
Ebola outbreaks|cervical screening|caesarean birth|breastfeeding|preterm birth|autism|ADHD medication|
food allergy|eczema|hearing loss|eye strain and screens|global warming|greenhouse gases|carbon dioxide levels|
methane emissions|sea level rise|Arctic sea ice|Antarctic ice sheets|glacier retreat|polar bears|coral bleaching|
ocean acidification|hurricanes and climate|droughts|wildfires|heat waves|floods|solar activity and climate|
volcanoes and climate|cosmic rays|El Niño|the Gulf Stream|climate models|temperature records|urban heat islands|
ice cores|the medieval warm period|climate sensitivity|permafrost|deforestation|the Amazon rainforest|
biodiversity loss|insect decline|wind power|solar power|nuclear power|electric cars|batteries|hydrogen fuel|
carbon capture|carbon taxes|plastic pollution|microplastics|recycling|organic farming|pesticides|bees|
genetically modified crops|water scarcity|overfishing|whales|migratory birds|immigration and crime|minimum wage|
unemployment|inflation|national debt|tax cuts|income inequality|housing prices|public transport|gun control|
prison sentences|voter turnout|election fraud|opinion polls|freedom of the press|misinformation on social media|
school funding|class size|standardised tests|universal basic income|foreign aid|trade tariffs|police budgets|
health insurance|drug prices|life expectancy|population growth|birth rates|refugees|border walls|
military spending|cybersecurity|artificial intelligence and jobs|self-driving cars|5G networks|
mobile phones and cancer|data privacy|cryptocurrency|space exploration|the Moon landing|Mars missions|exoplanets|
asteroids|black holes|dark matter|earthquakes|tsunamis|plate tectonics|dinosaurs|human evolution|Neanderthals|
ancient Rome|the Great Wall of China|the French Revolution|the Second World War|the Cold War|the Olympic Games|
football records|famous actors|film awards|pop albums|bestselling novels|painters|architecture|bridges|railways|
aircraft|volcanic islands|large cities|rivers|mountains|deserts|languages|religions|festivals|monarchs|presidents|
chemical elements|metals|crystals|lasers|semiconductors|quantum computers|statistics|the history of mathematics|
dogs|cats|horses|elephants|sharks|spiders|snakes
"""
KINDS = (
    "the abstract of a scientific study about {}",
    "the results section of a small trial about {}",
    "two or three sentences of an encyclopedia article about {}",
    "a short news report about {}",
    "a short paragraph from a web page about {}",
    "a paragraph from a fact-checking article about {}",
    "a paragraph of a review of the evidence about {}",
)
ANGLES = (
    "",
    "",
    " that reports a benefit",
    " that reports no effect",
    " that reports a harm",
    " with exact numbers and years",
    " that corrects a common myth",
    " that is careful about uncertainty",
    ", its causes and its consequences",
)
CLAIMS = (
    "Write one short factual claim about {}.",
    "Write one short false claim about {}.",
    "Write one sentence that people disagree about, on {}.",
    "Write a headline about {}.",
    "Write one sentence with a surprising finding about {}.",
)


def subjects() -> list[str]:
    return [each.strip() for each in SUBJECTS.replace("\n", "").split("|") if each.strip()]


def passage_prompts(count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of subject and instruction."""
    chooser = random.Random(seed)
    pool = subjects()
    chosen = [chooser.choice(pool) for _ in range(count)]
    return [(s, f"Write {chooser.choice(KINDS).format(s)}{chooser.choice(ANGLES)}.") for s in chosen]


def claim_prompts(count: int, seed: int) -> list[tuple[str, str]]:
    chooser = random.Random(seed)
    pool = subjects()
    chosen = [chooser.choice(pool) for _ in range(count)]
    return [(s, chooser.choice(CLAIMS).format(s)) for s in chosen]
