"""What a process that runs searches tells the server that started it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class ProcessState:
    """What is wrong with its models, and by kind of request how many texts or pairs they had and the seconds taken."""

    troubles: tuple[str, ...] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    def line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def from_line(cls, line: str | bytes) -> "ProcessState":
        """What `line` made; ValueError where it is something else."""
        try:
            fields = json.loads(line)
            return cls(tuple(fields["troubles"]), dict(fields["items"]), dict(fields["seconds"]))
        except (KeyError, TypeError) as exc:
            raise ValueError("not the state of a process") from exc

    def combined_with(self, other: "ProcessState") -> "ProcessState":
        """Both together."""
        return ProcessState(
            tuple(dict.fromkeys((*self.troubles, *other.troubles))),
            {op: self.items.get(op, 0) + other.items.get(op, 0) for op in {**self.items, **other.items}},
            {op: self.seconds.get(op, 0.0) + other.seconds.get(op, 0.0) for op in {**self.seconds, **other.seconds}},
        )
