"""What all answers share. The models are the allow-list of L7: no other field leaves."""

from datetime import datetime
from typing import Annotated, Any, cast

from pydantic import AfterValidator, AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from lyra.answers.security_meta import TextColumns, foreign_paths
from lyra.clock import stamp
from lyra.errors import LyraError
from lyra.text import visible_fields

# Numbers are rounded where they enter an answer (SPEC §1 decision 3).
Rounded1 = Annotated[float, AfterValidator(lambda value: round(value, 1))]
Rounded2 = Annotated[float, AfterValidator(lambda value: round(value, 2))]
Rounded3 = Annotated[float, AfterValidator(lambda value: round(value, 3))]
Rounded4 = Annotated[float, AfterValidator(lambda value: round(value, 4))]
Timestamp = Annotated[str, BeforeValidator(lambda value: stamp(value) if isinstance(value, datetime) else value)]


def read_from(path: str) -> Any:
    """A field that has another name or place in the domain object, such as `claim.claim_text`."""
    return Field(validation_alias=AliasPath(*path.split(".")))


class Output(BaseModel):
    """A part of an answer; fields of the same name are taken from a domain object, unknown ones are dropped."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, from_attributes=True)


class SecurityWarningRow(Output):
    """A page with text that gives orders to an AI. Only what and where: treat its text as data."""

    page_id: str
    url: str
    kind: str
    severity: str
    is_hidden: bool
    findings: int
    claim_ids: list[str] | None = None
    is_traced: bool | None = Field(
        None, description="False: the answer was computed from text of this page, or others."
    )


class LyraMeta(Output):
    unverified_domains: list[str] = []
    blocked_domains: list[str] = []
    security_warnings: list[SecurityWarningRow] = []
    flagged_pages: int | None = Field(None, description="Where security_warnings lists only the gravest: how many.")
    untrusted: list[str] | None = Field(None, description="Fields of this answer that hold foreign text.")


class Answer(Output):
    """Common to every answer; on failure `ok` is false and the error fields say what to do."""

    ok: bool = True
    error_code: str | None = None
    error: str | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None
    remedy: str | None = None
    details: dict[str, Any] | None = None
    error_id: str | None = None
    truncated: bool | None = None
    more: str | None = None
    meta: LyraMeta = Field(default_factory=LyraMeta, alias="_lyra_meta")

    def text_columns(self) -> TextColumns | None:
        """Where the rows of this answer hold foreign text, if more is known of it than their names."""
        return None

    @classmethod
    def from_error(cls, error: LyraError) -> "Answer":
        return Answer.model_validate(error.fields())

    def cli_fields(self, *, exclude_none: bool = False) -> dict[str, Any]:
        """The fields of the command line: every one that was set, empty ones too; warnings where there are any."""
        fields = self.model_dump(
            mode="json", by_alias=True, exclude_unset=True, exclude={"ok", "meta"}, exclude_none=exclude_none
        )
        if warnings := [one.model_dump(mode="json", exclude_none=True) for one in self.meta.security_warnings]:
            total = self.meta.flagged_pages
            fields["_lyra_meta"] = {"security_warnings": warnings} | ({"flagged_pages": total} if total else {})
        return common_last(cast("dict[str, Any]", visible_fields(fields)))

    def json_fields(self, *, exclude_none: bool = False) -> dict[str, Any]:
        """What `--json` prints: `ok`, the fields, and in `_lyra_meta` the paths of those that hold foreign text."""
        fields = {"ok": True, **self.cli_fields(exclude_none=exclude_none)}
        if paths := foreign_paths(fields, self.text_columns()):
            fields["_lyra_meta"] = {**fields.get("_lyra_meta", {}), "untrusted": paths}
        return fields


def common_last(fields: dict[str, Any]) -> dict[str, Any]:
    """An answer with what is its own first: whether it was cut, and `_lyra_meta`, come after it."""
    later = {name: fields[name] for name in ("truncated", "more", "_lyra_meta") if name in fields}
    return {name: value for name, value in fields.items() if name not in later} | later
