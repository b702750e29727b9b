"""Which domains are an institution's own."""

import pytest

from lyra.evidence.own_domains import is_own_domain


@pytest.mark.parametrize(
    ("name", "domain", "expected"),
    [
        ("national audit office", "nationalauditoffice.gov", True),
        ("harrow water", "harrow-water.co.uk", True),
        ("institute for wildlife", "instituteforwildlife.org", True),
        ("institute for wildlife", "institutewildlife.org", True),
        ("norleigh university", "norleigh.edu", True),
        ("university of norleigh", "norleigh.ac.uk", True),
        ("national fraud desk", "frauddesk.gov", True),
        ("national cyber response centre", "ncrc.gov", True),
        ("public health agency", "pha.gov", True),
        ("pha", "pha.gov", True),
        ("quillmere", "quillmere.com", True),
        ("public health agency", "pha.com", False),
        ("northgate bank", "northgatebuilders.com", False),
        ("northgate bank", "northgate.com", False),
        ("norleigh university", "norleigh.com", False),
        ("harrow", "harrowwater.com", False),
        ("fraud desk", "fd.gov", False),
        ("青葉市", "aoba.lg.jp", False),
        ("", "a.example", False),
    ],
)
def test_a_domain_is_made_of_the_name_or_its_initials(name: str, domain: str, expected: bool) -> None:
    """Whole, or less a kind that the end of the domain stands for; three letters need such an end."""
    assert is_own_domain(name, domain) is expected
