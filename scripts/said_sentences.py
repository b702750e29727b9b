"""The English sentences for people in the source of Lyra and of its bench package, found without running it.

- the first argument of `say`, in Jinja templates also every text of `say` and `plural` that has no name;
- message and remedy of every `LyraError`, and what is passed on to them by functions and constants;
- name, detail and remedy of the checks of `lyra doctor` and `lyra browser` (dataclasses with `is_fine` and `detail`);
- what is wrong with a page of a replay or with a pack (dataclasses with `problem` and `is_missing` or `quote`);
- why an answer is no page or no answer of an API, and what curl's errors mean;
- what is wrong with a registry's answer (`ValueError` there);
- help of metrics (dataclasses with `help` and `why_unknown`);
- titles and headings of `print_table`, `print_rows` and `print_fields`;
- reasons, remarks and warnings (arguments of that name, and f-strings of the functions that make them);
- the constants of modules that hold nothing else;
- states such as verdicts, and descriptions of settings (`lyra settings` shows them).

An f-string becomes a sentence with one `{name}` for each expression in it: the last identifier of the expression in
small letters (`task.id` is `{id}`, `len(rows)` is `{rows}`, `name[:60]!r` is `{name}`); another expression with the
same name becomes `{name_2}`. Constants and both sides of a condition are written out, also of a variable that is
set once to a condition. A part that another function passes in, such as the reason in `f"It cannot be read: {why}."`,
is a sentence of its own if it has more than one word.
"""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "src", ROOT / "packages" / "bench" / "src")
_PLACE = re.compile(r"\{[a-z_0-9]+\}")
_TEXT = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_SAID_IN_TEMPLATE = re.compile(rf"\b(?:say|plural)\(((?:[^()\"']|{_TEXT}|\([^()]*\))*)\)")
_UNNAMED_TEXT = re.compile(rf"(?<![=\w])({_TEXT})")
_COMMAND = re.compile(r"(lyra|pip|sudo) [a-z]+ \S|https?://|, *$")
_WORD = re.compile("[A-Za-z]{2}")
_MAX_DEPTH = 8
_CLEANING = ("strip_control_chars", "escape", "say", "translate")
_ONLY_MCP = ("lyra.mcp.tools", "lyra.mcp.boundary", "lyra.mcp.opening")  # clients read English
_SHOWN_WORDS = (
    "AdoptionStatus",
    "BreakerState",
    "CheckStatus",
    "HandoffStatus",
    "ProofStatus",
    "QuestionStatus",
    "Relation",
    "SearchPhase",
    "SearchStatus",
    "TaskStatus",
    "TimelineEventKind",
    "TrustLevel",
    "Verdict",
    "VerificationStatus",
    "WorkStatus",
)
# Tables of sentences and of names that stand in them, within other modules.
_TABLES_OF_SENTENCES = (("lyra.fetch.network_errors", "_CURL_SENTENCES"), ("lyra.extract.office", "_KINDS"))
# Modules whose constants are sentences, filled in with `format`.
_OF_SENTENCES = ("lyra.claims.rules", "lyra.report.check.messages", "lyra.report.audit.messages")
_SHOWN_FIELDS = (
    ({"is_fine", "detail"}, ("name", "detail", "remedy")),
    ({"help", "why_unknown"}, ("help", "why_unknown")),
    ({"reason", "is_pause"}, ("reason",)),
    ({"reason", "page_state"}, ("reason",)),
    ({"problem", "is_missing"}, ("problem",)),
    ({"problem", "quote"}, ("problem",)),
    ({"knows", "key_setting"}, ("knows",)),
    ({"receiver", "switch_off"}, ("part", "receiver", "sends", "why", "switch_off")),
)
_SPEAKING = (
    "warnings",
    "port_warnings",
    "summarise_candidates",
    "given_up_texts",
    "partly_judged_text",
    "sentence",
    "_verify",
    "rejection_remedies",
    "served_text",
    "problem_texts",
    "problem_text",
    "_end_reason",
    "other_text",
)
_REASONS = ("reason", "first_reason", "remark", "why", "warning", "note")
_TABLES = {
    "print_table": ("title", "columns"),
    "print_rows": ("title", "columns", "headings"),
    "print_fields": ("title", "name"),
}


@dataclass(frozen=True)
class Place:
    """What is filled in: `key` tells expressions apart, `name` is what the sentence calls it."""

    key: str
    name: str


Parts = tuple[str | Place, ...]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Sink:
    """A parameter whose value a person reads; `is_phrase` where it is only a part of a sentence."""

    module: str
    function: str
    parameter: str
    is_phrase: bool


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: its module, the function around it, and whether it is only a part of a sentence."""

    module: "Module"
    function: Function | None
    is_phrase: bool = False
    depth: int = 0

    def deeper(self, module: "Module | None" = None, function: Function | None = None) -> "Scope":
        """A scope one step further, by default the same place."""
        where = (self.module, self.function) if module is None else (module, function)
        return Scope(*where, self.is_phrase, self.depth + 1)


@dataclass(eq=False)
class Module:
    """A source file, with what its names stand for."""

    name: str
    tree: ast.Module
    constants: dict[str, ast.expr] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)  # name here: full dotted name
    attributes: dict[str, list[tuple[ast.expr, Function]]] = field(default_factory=dict)
    enclosing: dict[ast.AST, Function] = field(default_factory=dict)
    classes_of: dict[Function, ast.ClassDef] = field(default_factory=dict)


def code_sentences(sources: Iterable[Path] = SOURCES) -> dict[str, str]:
    """Every sentence of the code with the module that says it."""
    modules = {one.name: one for source in sources for one in _modules(source)}
    return (
        _Collector(modules).collect()
        | _template_sentences(sources)
        | _enum_words(modules.values())
        | _constants(modules)
    )


class _Collector:
    """Follows what people read from where it is shown back to where it is written."""

    def __init__(self, modules: dict[str, Module]) -> None:
        self._modules = modules
        self._errors = self._error_classes()
        self._sentences: dict[str, str] = {}
        self._sinks: set[Sink] = set()
        self._waiting: list[Sink] = []
        self._taken: set[tuple[ast.expr, bool]] = set()

    def collect(self) -> dict[str, str]:
        calls: dict[tuple[str, str], list[tuple[Module, ast.Call]]] = {}
        for module in self._modules.values():
            for node in ast.walk(module.tree):
                if isinstance(node, ast.JoinedStr | ast.Return) and _is_spoken(module, node):
                    value = node.value if isinstance(node, ast.Return) else node
                    for one in self._items(module, value, module.enclosing[node]):
                        self._take(Scope(module, module.enclosing[node]), one)
                if isinstance(node, ast.Call) and not module.name.startswith(_ONLY_MCP):
                    calls.setdefault(self._target(module, node), []).append((module, node))
                    self._first_call(module, node)
        while self._waiting:
            sink = self._waiting.pop()
            for module, call in calls.get((sink.module, sink.function), ()):
                scope = Scope(module, module.enclosing.get(call), sink.is_phrase)
                self._take(scope, self._argument(call, sink))
        return self._sentences

    def _error_classes(self) -> set[str]:
        """Names of LyraError and of every class below it."""
        bases = {
            name: {_last_name(base) for base in node.bases}
            for module in self._modules.values()
            for name, node in module.classes.items()
        }
        found = {"LyraError"}
        while more := {name for name, above in bases.items() if above & found and name not in found}:
            found |= more
        return found

    def _first_call(self, module: Module, call: ast.Call) -> None:
        """A call that shows its arguments to people, whatever the caller."""
        scope = Scope(module, module.enclosing.get(call))
        for node in self._shown(module, call):
            self._take(scope, node)

    def _shown(self, module: Module, call: ast.Call) -> Iterator[ast.expr | None]:
        name = _last_name(call.func)
        function = module.enclosing.get(call)
        first = call.args[0] if call.args else None
        is_error_init = name == "__init__" and _class_name(module, function) in self._errors
        if name in ("say", "translate", "label"):
            yield first
        elif name == "map" and _last_name(call.args[0]) in ("say", "translate"):
            yield from self._items(module, call.args[1], function)
        elif is_error_init or (name in self._errors and not self._has_own_init(module, name)):
            yield from (first or _keyword(call, "message"), _keyword(call, "remedy"))
        elif name == "ValueError" and module.name.startswith("lyra.registries"):
            yield first  # what is wrong with an answer, within a sentence
        elif name in _TABLES:
            for argument in _table_arguments(call, name):
                yield from self._items(module, argument, function)
        elif name == "Field" and f"{module.name}.".startswith(("lyra.settings.", "lyra.llm_settings.")):
            yield _keyword(call, "description")
        else:
            yield from self._shown_fields(module, call)
            yield from (one.value for one in call.keywords if one.arg in _REASONS)

    def _shown_fields(self, module: Module, call: ast.Call) -> Iterator[ast.expr | None]:
        """What people read of a check or a metric."""
        where, name = self._target(module, call)
        node = self._modules[where].classes.get(name) if where in self._modules else None
        fields = _field_names(node) if node else []
        given = dict(zip(fields, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
        shown = next((shown for marks, shown in _SHOWN_FIELDS if marks <= set(fields)), ())
        yield from (given.get(parameter) for parameter in shown)

    def _has_own_init(self, module: Module, name: str) -> bool:
        where = module.imported.get(name, f"{module.name}.{name}").rpartition(".")[0]
        node = self._modules[where].classes.get(name) if where in self._modules else None
        return node is not None and any(
            isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in node.body
        )

    def _items(self, module: Module, node: ast.expr | None, function: Function | None) -> list[ast.expr]:
        """The elements of a tuple, also by name; or the expression itself."""
        if isinstance(node, ast.Tuple | ast.List):
            return [one for item in node.elts for one in self._items(module, item, function)]
        if isinstance(node, ast.Starred):
            return self._items(module, node.value, function)
        if isinstance(node, ast.Call) and _last_name(node.func) in ("tuple", "list") and node.args:
            return _row_keys(function, node.args[0]) or self._items(module, node.args[0], function)
        if isinstance(node, ast.Call) and _last_name(node.func) == "values" and isinstance(node.func, ast.Attribute):
            held = module.constants.get(_last_name(node.func.value))
            return list(held.values) if isinstance(held, ast.Dict) else []
        if isinstance(node, ast.Name):
            held = module.constants.get(node.id) or next(iter(_assigned(function, node.id)), None)
            if isinstance(held, ast.Tuple | ast.List | ast.Dict):
                return held.elts if not isinstance(held, ast.Dict) else [one for one in held.keys if one]
        return [node] if node is not None else []

    def _take(self, scope: Scope, node: ast.expr | None) -> None:
        """Note the sentences of an expression; a parameter is followed to those who pass it."""
        if node is None or (node, scope.is_phrase) in self._taken:
            return
        self._taken.add((node, scope.is_phrase))
        for parts in self._resolve(scope, node) or ():
            sentence = _sentence(parts)
            if _needs_translation(sentence, is_phrase=scope.is_phrase):
                self._sentences.setdefault(sentence, scope.module.name)

    def _resolve(self, scope: Scope, node: ast.expr) -> list[Parts] | None:
        """What an expression can say; None where that is not written in the code."""
        inner = scope.deeper()
        if scope.depth > _MAX_DEPTH:
            return None
        if isinstance(node, ast.Constant):
            return [(node.value,)] if isinstance(node.value, str) else []
        if isinstance(node, ast.JoinedStr):
            places = [self._filled(inner, one) for one in node.values]
            return [tuple(itertools.chain(*chosen)) for chosen in itertools.product(*places)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(inner, node)
        if isinstance(node, ast.IfExp):
            return self._any(inner, (node.body, node.orelse))
        if isinstance(node, ast.BoolOp):
            return self._any(inner, node.values)
        if isinstance(node, ast.Name):
            return self._named(inner, node.id)
        if isinstance(node, ast.Attribute):
            return self._attribute(inner, node)
        if isinstance(node, ast.Subscript):
            held = scope.module.constants.get(_last_name(node.value))
            return self._any(inner, held.values) if isinstance(held, ast.Dict) else None
        return self._returned(inner, node) if isinstance(node, ast.Call) else None

    def _sum(self, scope: Scope, node: ast.BinOp) -> list[Parts] | None:
        sides = [self._resolve(scope, side) for side in (node.left, node.right)]
        if sides == [None, None]:
            return None
        left, right = (
            [(Place(ast.dump(side), _place_name(side)),)] if found is None else found
            for side, found in zip((node.left, node.right), sides, strict=True)
        )
        return [one + other for one in left for other in right]

    def _any(self, scope: Scope, nodes: Iterable[ast.expr]) -> list[Parts] | None:
        found = [self._resolve(scope, one) for one in nodes]
        known = [parts for one in found if one is not None for parts in one]
        return known if any(one is not None for one in found) else None

    def _named(self, scope: Scope, name: str) -> list[Parts] | None:
        if scope.function is not None and name in _parameters(scope.function):
            self._follow(scope, name)
            return None
        assigned = _assigned(scope.function, name)
        return self._any(scope, assigned) if assigned else self._constant(scope, scope.module, name)

    def _constant(self, scope: Scope, module: Module, name: str) -> list[Parts] | None:
        if name.startswith("__"):
            return None
        if name in module.constants:
            return self._resolve(scope.deeper(module), module.constants[name])
        where, _, original = module.imported.get(name, "").rpartition(".")
        return self._constant(scope, self._modules[where], original) if where in self._modules else None

    def _attribute(self, scope: Scope, node: ast.Attribute) -> list[Parts] | None:
        holder = _last_name(node.value)
        imported = self._modules.get(scope.module.imported.get(holder, ""))
        if imported is not None:
            return self._constant(scope, imported, node.attr)
        given = scope.module.attributes.get(node.attr, []) if holder == "self" else []
        found = [self._resolve(scope.deeper(scope.module, function), one) for one, function in given]
        return [parts for one in found if one for parts in one] or None

    def _returned(self, scope: Scope, call: ast.Call) -> list[Parts] | None:
        """What a function of the same module returns; what only cleans a text is passed over."""
        name = _last_name(call.func)
        if name in _CLEANING and call.args:
            return self._resolve(scope, call.args[0])
        called = scope.module.functions.get(name)
        if called is None or called is scope.function:
            return None
        returned = [one.value for one in ast.walk(called) if isinstance(one, ast.Return) and one.value is not None]
        return self._any(scope.deeper(scope.module, called), returned)

    def _filled(self, scope: Scope, node: ast.expr) -> list[Parts]:
        """A piece of an f-string: its words, or the place of what is filled in."""
        if isinstance(node, ast.Constant):
            return [(str(node.value),)]
        assert isinstance(node, ast.FormattedValue)
        choice = _choice(scope.function, node.value)
        value = choice or node.value
        if not isinstance(value, ast.IfExp | ast.BoolOp):
            return self._words_of(scope, value) or [(Place(ast.dump(node), _place_name(value)),)]
        found: list[Parts] = []
        for side in (value.body, value.orelse) if isinstance(value, ast.IfExp) else value.values:
            known = self._words_of(scope, side)
            named = node.value if choice else side
            found += known if known is not None else [(Place(ast.dump(side), _place_name(named)),)]
        return list(dict.fromkeys(found))

    def _words_of(self, scope: Scope, node: ast.expr) -> list[Parts] | None:
        """Constants, written out; variables are places, and what they hold is noted as phrases."""
        if isinstance(node, ast.Constant):
            is_text = isinstance(node.value, str) and (node.value == "" or re.search("[A-Za-z]", node.value))
            return [(node.value,)] if is_text else None
        if isinstance(node, ast.JoinedStr | ast.IfExp):
            return self._resolve(scope, node)
        function = scope.function
        is_variable = isinstance(node, ast.Name) and (
            _assigned(function, node.id) or (function is not None and node.id in _parameters(function))
        )
        if isinstance(node, ast.Name) and not is_variable:
            return self._constant(scope, scope.module, node.id) or None
        if isinstance(node, ast.Attribute) and _last_name(node.value) in scope.module.imported:
            return self._attribute(scope, node) or None
        if isinstance(node, ast.Name | ast.Call | ast.Subscript):
            self._take(Scope(scope.module, function, is_phrase=True), node)
        return None

    def _follow(self, scope: Scope, parameter: str) -> None:
        function = scope.function
        assert function is not None
        owner = scope.module.classes_of.get(function)
        name = owner.name if owner is not None and function.name == "__init__" else function.name
        sink = Sink(scope.module.name, name, parameter, scope.is_phrase)
        if sink not in self._sinks:
            self._sinks.add(sink)
            self._waiting.append(sink)

    def _target(self, module: Module, call: ast.Call) -> tuple[str, str]:
        """Module and name of what is called."""
        name = _last_name(call.func)
        if isinstance(call.func, ast.Attribute):
            holder = module.imported.get(_last_name(call.func.value))
            return (holder, name) if holder in self._modules else (module.name, name)
        where, _, original = module.imported.get(name, f"{module.name}.{name}").rpartition(".")
        return where, original

    def _argument(self, call: ast.Call, sink: Sink) -> ast.expr | None:
        where = self._modules[sink.module]
        owner = where.classes.get(sink.function)
        function = where.functions.get(sink.function) if owner is None else _init_of(owner)
        if function is None:
            return None
        names = [one for one in _parameters(function) if one not in ("self", "cls")]
        given = dict(zip(names, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
        defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
        return given.get(sink.parameter, defaults.get(sink.parameter))


def has_words(sentence: str) -> bool:
    """Whether a sentence has words besides what is filled in."""
    return any(map(_WORD.search, _PLACE.sub(" ", sentence).split()))


def _needs_translation(sentence: str, *, is_phrase: bool) -> bool:
    """Whether it has words for people: no command or address to copy, no bare name within a sentence."""
    words = _PLACE.sub(" ", sentence).split()
    is_command = bool(_COMMAND.match(sentence))
    return not is_command and has_words(sentence) and (len(words) > 1 or not is_phrase)


def _is_spoken(module: Module, node: ast.AST) -> bool:
    """Whether it stands in a function that makes reasons or warnings."""
    function = module.enclosing.get(node)
    if function is None or function.name not in _SPEAKING:
        return False
    choices = [one.value for one in ast.walk(function) if isinstance(one, ast.Assign)]
    parts = [side for one in choices if isinstance(one, ast.IfExp) for side in (one.body, one.orelse)]
    return node not in parts  # which are written out where the variable is filled in


def _class_name(module: Module, function: Function | None) -> str:
    owner = module.classes_of.get(function) if function else None
    return owner.name if owner else ""


def _sentence(parts: Parts) -> str:
    """The parts as one sentence; equal names of different expressions get a number."""
    names: dict[str, str] = {}
    written = []
    for part in parts:
        if isinstance(part, str):
            written.append(part)
            continue
        if part.key not in names:
            taken = sum(name == part.name or name.startswith(f"{part.name}_") for name in names.values())
            names[part.key] = part.name if not taken else f"{part.name}_{taken + 1}"
        written.append(f"{{{names[part.key]}}}")
    return "".join(written)


def _place_name(node: ast.expr) -> str:
    return (_identifier(node) or "value").lower().strip("_") or "value"


def _identifier(node: ast.AST) -> str | None:
    """The last identifier of an expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr if node.attr != "value" else _identifier(node.value)
    if isinstance(node, ast.Subscript):
        key = node.slice
        is_key = isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()
        return key.value if is_key else _identifier(node.value)
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) and hasattr(str, node.func.attr) else None
        named = [_identifier(one) for one in (inner, *node.args) if one is not None]
        return next((one for one in named if one), None) or _identifier(node.func)
    if isinstance(node, ast.BinOp):
        return _identifier(node.left)
    if isinstance(node, ast.BoolOp):
        return _identifier(node.values[0])
    if isinstance(node, ast.IfExp):
        return _identifier(node.body) or _identifier(node.orelse)
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return _identifier(node.generators[0].iter)
    if isinstance(node, ast.Await):
        return _identifier(node.value)
    return None


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == name), None)


def _table_arguments(call: ast.Call, name: str) -> Iterator[ast.expr | None]:
    order = {"print_table": (0, 1), "print_rows": (0, 1, 3), "print_fields": (0, 2)}[name]
    has_headings = name == "print_rows" and (len(call.args) > 3 or _keyword(call, "headings") is not None)
    for parameter, position in zip(_TABLES[name], order, strict=True):
        if not (has_headings and parameter == "columns"):
            yield call.args[position] if len(call.args) > position else _keyword(call, parameter)


def _field_names(node: ast.ClassDef) -> list[str]:
    return [one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]


def _parameters(function: Function) -> list[str]:
    held = function.args
    return [one.arg for one in (*held.posonlyargs, *held.args, *held.kwonlyargs)]


def _init_of(node: ast.ClassDef) -> Function | None:
    return next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)


def _assigned(function: Function | None, name: str) -> list[ast.expr]:
    """Everything a function gives to a variable."""
    found: list[ast.expr] = []
    for node in ast.walk(function) if function else ():
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            for target in targets:
                if isinstance(target, ast.Name) and target.id == name:
                    found.append(node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = zip(target.elts, node.value.elts, strict=False)
                    found += [value for one, value in pairs if isinstance(one, ast.Name) and one.id == name]
    return found


def _choice(function: Function | None, node: ast.expr) -> ast.IfExp | None:
    """What a variable holds that is set once, to one text or another."""
    assigned = _assigned(function, node.id) if isinstance(node, ast.Name) else []
    return assigned[0] if len(assigned) == 1 and isinstance(assigned[0], ast.IfExp) else None


def _row_keys(function: Function | None, node: ast.expr) -> list[ast.expr]:
    """The keys of rows that a function lists as dictionaries, of an expression such as `rows[0]`."""
    name = node.value.id if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else ""
    made = next(iter(_assigned(function, name)), None)
    return (
        [one for one in made.elt.keys if one]
        if isinstance(made, ast.ListComp) and isinstance(made.elt, ast.Dict)
        else []
    )


def _modules(source: Path) -> Iterator[Module]:
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source).with_suffix("")
        parts = relative.parts[:-1] if relative.name == "__init__" else relative.parts
        yield _read(".".join(parts), ast.parse(path.read_text("utf-8")))


def _read(name: str, tree: ast.Module) -> Module:
    module = Module(name, tree)
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and node.value is not None:
            module.constants[target.id] = node.value
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            module.imported |= {one.asname or one.name: one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            module.imported |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
            module.classes_of |= {one: node for one in node.body if isinstance(one, Function)}
    _enclose(module, tree, None)
    return module


def _enclose(module: Module, node: ast.AST, function: Function | None) -> None:
    """Note the innermost function around every node, and what is assigned to attributes."""
    for child in ast.iter_child_nodes(node):
        inside = child if isinstance(child, Function) else function
        if isinstance(child, Function):
            module.functions.setdefault(child.name, child)
        if function is not None:
            module.enclosing[child] = function
        if isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Attribute) and function is not None:
            module.attributes.setdefault(child.targets[0].attr, []).append((child.value, function))
        _enclose(module, child, inside)


def _constants(modules: dict[str, Module]) -> dict[str, str]:
    """The texts that modules of sentences hold."""
    found: dict[str, str] = {}
    for name in _OF_SENTENCES:
        for value in modules[name].tree.body[1:] if name in modules else ():
            texts = (one for one in ast.walk(value) if isinstance(one, ast.Constant) and isinstance(one.value, str))
            found |= {str(one.value): name for one in texts}
    for name, table in _TABLES_OF_SENTENCES:
        held = ast.walk(modules[name].constants[table]) if name in modules else ()
        texts = [str(one.value) for one in held if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        found |= {one: name for one in texts if " " in one}
    return found


def _enum_words(modules: Iterable[Module]) -> dict[str, str]:
    """The states that tables and lines show."""
    bodies = [
        (module.name, module.classes[name].body)
        for module in modules
        for name in sorted(module.classes.keys() & set(_SHOWN_WORDS))
    ]
    return {
        str(one.value.value): where
        for where, body in bodies
        for one in body
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
    }


def _template_sentences(sources: Iterable[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in (one for source in sources for one in sorted(source.rglob("*.j2")) + sorted(source.rglob("*.html"))):
        for arguments in _SAID_IN_TEMPLATE.findall(path.read_text("utf-8")):
            for text in _UNNAMED_TEXT.findall(arguments):
                found.setdefault(re.sub(r"\\(.)", r"\1", text[1:-1]), path.name)
    return found
