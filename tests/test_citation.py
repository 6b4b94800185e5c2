"""CITATION.cff is valid, and the README cites the same things. The rules are those of the schema of CFF 1.2.0."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
REQUIRED = {"cff-version", "message", "title", "authors"}
KNOWN = REQUIRED | {
    *("abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url"),
    *("preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url"),
    "version",
}
"""The keys of the schema."""
KNOWN_OF_REFERENCE = {
    *("type", "title", "authors", "journal", "volume", "issue", "start", "end", "year", "doi", "collection-title"),
    *("conference", "publisher", "notes", "url", "month", "pages", "abstract", "isbn", "issn", "number"),
}
"""The keys of the schema that a paper may need."""
TYPES = {"article", "book", "conference-paper", "proceedings", "report", "thesis", "software", "data", "generic"}
PERSON = {"family-names", "given-names", "name-particle", "name-suffix", "affiliation", "orcid", "email", "alias"}
DOI = re.compile(r"10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-\.\(\)\[\]\\]+")


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def check_authors(authors: Any) -> None:
    assert isinstance(authors, list)
    assert authors
    assert len({str(author) for author in authors}) == len(authors)
    for author in authors:
        assert all(map(is_text, author.values()))
        if "name" in author:  # an entity, not a person
            assert set(author) <= {"name", "website", "email", "address", "city", "country", "alias"}
        else:
            assert set(author) <= PERSON
            assert "family-names" in author


def test_the_file_has_the_keys_of_the_schema() -> None:
    assert set(CITATION) >= REQUIRED
    assert set(CITATION) <= KNOWN
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] in ("software", "dataset")
    assert all(is_text(CITATION[key]) for key in ("message", "title", "abstract", "license", "version"))
    check_authors(CITATION["authors"])


def test_version_and_licence_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert CITATION["version"] == project["version"]
    assert CITATION["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text("utf-8").startswith("MIT License")


def test_the_references_are_the_three_papers() -> None:
    references = CITATION["references"]
    assert [(one["authors"][0]["family-names"], one["year"]) for one in references] == [
        ("Liskowski", 2018),
        ("Schaul", 2008),
        ("Lin", 2009),
    ]
    for one in references:
        assert {"type", "title", "authors"} <= set(one) <= KNOWN_OF_REFERENCE
        assert one["type"] in TYPES
        assert is_text(one["title"])
        check_authors(one["authors"])
        assert isinstance(one["year"], int)
        assert "doi" not in one or DOI.fullmatch(one["doi"])
        assert one.get("start", 0) <= one.get("end", 0)


def test_the_bibtex_of_the_readme_cites_the_same() -> None:
    (block,) = re.findall(r"```bibtex\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    entries = re.findall(r"@(\w+)\{(\w+),\n(.*?)\n\}", block, re.DOTALL)
    assert len(entries) == 1 + len(CITATION["references"])
    for (kind, _, body), one in zip(entries, [CITATION, *CITATION["references"]], strict=True):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.MULTILINE))
        assert fields["title"].replace("{", "").replace("}", "") == one["title"]
        assert fields.get("doi") == one.get("doi")
        if one is not CITATION:
            assert fields["year"] == str(one["year"])
            assert all(person["family-names"] in fields["author"] for person in one["authors"])
            assert kind == {"article": "article", "conference-paper": "inproceedings"}[one["type"]]
