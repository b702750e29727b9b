"""Settings of the user's own language models: where they answer, and what they are asked for."""

import ipaddress
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


LlmProfile = Literal["ollama", "llama.cpp", "lm-studio", "vllm"]
LLM_PROFILES: dict[LlmProfile, str] = {
    "ollama": "http://127.0.0.1:11434/v1",
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "lm-studio": "http://127.0.0.1:1234/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
# The name of the endpoint that `llm.endpoint` itself describes.
DEFAULT_LLM = "default"


class LlmEndpoint(_Section):
    """One OpenAI-compatible server of language models; without `url`, where its profile's server listens."""

    profile: LlmProfile = Field("ollama", description="Which server it is: ollama, llama.cpp, lm-studio or vllm.")
    url: str | None = Field(None, description="Its address, such as https://gpu.example.org/v1; by profile if unset.")
    model: str = Field("qwen2.5:3b", min_length=1, description="Name under which the server knows the model.")
    api_key: str | None = Field(None, description="Key that the server asks for; it is written nowhere else.")
    allow_remote: bool = Field(False, description="The server may be another machine: prompts leave this one, by TLS.")
    insecure: bool = Field(False, description="With allow_remote: without TLS too, where the network between is yours.")
    library_text: bool = Field(False, description="Text of your own documents may go to this other machine.")
    context_tokens: int = Field(
        8192, ge=1024, le=1_048_576, description="Room of the model, question and answer, in tokens."
    )
    timeout_s: float = Field(
        120.0, gt=0, le=3600, description="Longest time for one answer, and for all about one paper, in seconds."
    )
    max_tokens: int = Field(512, ge=16, le=32_768, description="Longest answer, in tokens.")

    @model_validator(mode="after")
    def _not_in_a_cloud(self) -> "LlmEndpoint":
        # Ollama passes questions to models of such names on to its makers' servers.
        if self.model.lower().endswith(("-cloud", ":cloud")) and not self.allow_remote:
            raise ValueError("must run on this machine, not in a cloud: prompts do not leave it")
        return self

    @property
    def address(self) -> str:
        """Where it answers, below /v1 where the address names no path."""
        address = (self.url or LLM_PROFILES[self.profile]).strip().rstrip("/").removesuffix("/chat/completions")
        return address if urlsplit(address).path else f"{address}/v1"


class LlmUses(_Section):
    """What the language model is asked for: true asks `llm.endpoint`, a name the endpoint of that name, false none.

    What made the graph no better in the trial of docs/how-to/local-llm.md is off unless switched on.
    """

    quality: bool | str = Field(True, description="Pages whose quality the rules put between 0.4 and 0.6.")
    citations: bool | str = Field(True, description="Relevance of papers that cite or are cited.")
    mirrors: bool | str = Field(False, description="Translating queries that the dictionary cannot, ja and en.")
    claims: bool | str = Field(False, description="Rewriting claims so that they can be understood alone.")
    summaries: bool | str = Field(False, description="Summaries of pages, each sentence with its quote.")
    entities: bool | str = Field(False, description="Names of persons, bodies, places and products in pages.")

    @field_validator("*", mode="before")
    @classmethod
    def _switch(cls, chosen: object) -> object:
        # The environment gives every value as text.
        return {"true": True, "false": False}.get(chosen.lower(), chosen) if isinstance(chosen, str) else chosen


class Llm(_Section):
    """The user's own language model, asked where rules are in doubt; optional (SPEC §1 decision 14)."""

    endpoint: str | None = Field(
        None,
        description="OpenAI-compatible server on this machine, such as http://127.0.0.1:11434/v1; unset, none asked.",
    )
    model: str = Field("qwen2.5:3b", min_length=1, description="Name under which the server knows the model.")
    timeout_s: float = Field(
        120.0, gt=0, le=3600, description="Longest time for one answer, and for all about one paper, in seconds."
    )
    max_tokens: int = Field(512, ge=16, le=32_768, description="Longest answer, in tokens.")
    context_tokens: int = Field(
        8192, ge=1024, le=1_048_576, description="Room of the model, question and answer, in tokens."
    )
    budget_share: float = Field(
        0.3,
        gt=0,
        le=1,
        description="Largest share of a search's time that language models may take; 1 lifts the limit.",
    )
    uses: LlmUses = LlmUses()
    endpoints: dict[str, LlmEndpoint] = Field(
        {}, description="Further endpoints by name; `llm.uses` says which serves what."
    )

    @field_validator("endpoint")
    @classmethod
    def _on_this_machine(cls, address: str | None) -> str | None:
        return None if address is None else _loopback_base(address)

    @field_validator("model")
    @classmethod
    def _not_in_a_cloud(cls, name: str) -> str:
        # Ollama passes questions to models of such names on to its makers' servers.
        if name.lower().endswith(("-cloud", ":cloud")):
            raise ValueError("must run on this machine, not in a cloud: prompts do not leave it")
        return name

    @model_validator(mode="after")
    def _names_are_known(self) -> "Llm":
        if DEFAULT_LLM in self.endpoints:
            raise ValueError(f"llm.endpoints: {DEFAULT_LLM!r} is the name of llm.endpoint itself")
        for use, chosen in self.uses.model_dump().items():
            if isinstance(chosen, str) and chosen not in self.servers:
                known = ", ".join(self.servers) or "none"
                raise ValueError(f"llm.uses.{use}: there is no endpoint {chosen[:60]!r} (known: {known})")
        return self

    @property
    def servers(self) -> dict[str, LlmEndpoint]:
        """Every endpoint by name, that of `llm.endpoint` first."""
        if self.endpoint is None:
            return dict(self.endpoints)
        common = self.model_dump(include={"model", "timeout_s", "max_tokens", "context_tokens"})
        return {DEFAULT_LLM: LlmEndpoint(url=self.endpoint, **common), **self.endpoints}

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all endpoints, which are written nowhere."""
        return tuple(one.api_key for one in self.endpoints.values() if one.api_key)

    def server_for(self, use: str) -> str | None:
        """The name of the endpoint that serves a use; None where it is off or there is none."""
        chosen = getattr(self.uses, use)
        if isinstance(chosen, str):
            return chosen
        return next(iter(self.servers), None) if chosen else None


def _loopback_base(address: str) -> str:
    """The address without a slash at its end, below /v1 where it names no path; ValueError where it leads elsewhere."""
    parts = urlsplit(address.strip())
    host, _ = parts.hostname or "", parts.port  # a port out of range is a ValueError
    if parts.scheme != "http" or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must look like http://127.0.0.1:11434/v1")
    try:
        is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    if not is_here:
        raise ValueError("must be on this machine (127.0.0.1, ::1 or localhost): prompts do not leave it")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return f"http://{parts.netloc}{path or '/v1'}"
