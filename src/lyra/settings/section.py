"""What every section of the settings has in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Frozen; a name that no field has is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
