"""The settings file: every mistake names the file, the line and the key."""

from __future__ import annotations

import hashlib
import itertools
import re
from pathlib import Path

import pytest

from firmground.adapters.hooks.build import KINDS
from firmground.adapters.hooks.file_checksum import FileChecksumHook
from firmground.config.document import read_document
from firmground.config.settings import Settings, load_settings
from firmground.engine.hook_settings import built, hooks_from
from firmground.errors import ConfigError
from firmground.hooks import Phase, Registered

DIGEST = hashlib.sha256(b"x").hexdigest()
GOOD = f"""
[preflight]
profile = "default"
block_below = 0
partial_below = "off"
reject_broad = true

[preflight.max_penalty]
role_play = 0.5
temporal_urgency = "off"

[hooks]
deadline_seconds = 12
most_workers = 2

[hooks.breaker]
threshold = 5

[[hooks.use]]
type = "file_checksum"
name = "artefacts"
root = "out"
timeout_seconds = 3
expected = {{ "report.txt" = "sha256:{DIGEST}" }}

[[hooks.use]]
type = "regex"
phase = "before"
source = "question"
must_not = ['''
password
''']
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path


def load(folder: Path, text: str, name: str = "firmground.toml") -> Settings:
    path = folder / name
    path.write_text(text)
    return load_settings(path)


def build(settings: Settings) -> list[Registered]:
    return list(built(settings))


def complaint(folder: Path, text: str, name: str = "firmground.toml") -> str:
    with pytest.raises(ConfigError) as refusal:
        build(load(folder, text, name))
    return str(refusal.value).replace(str(folder) + "/", "")


def test_a_good_file_is_read_whole(folder: Path) -> None:
    settings = load(folder, GOOD)
    assert settings.preflight.block_threshold() == 0.0
    assert settings.preflight.partial_threshold() is None
    assert settings.preflight.off == {"temporal_urgency"}
    assert settings.preflight.caps == {"role_play": 0.5}
    assert settings.preflight.reject_broad is True
    assert settings.preflight.block_on_contradiction is None
    assert settings.hooks is not None
    assert (settings.hooks.deadline_seconds, settings.hooks.breaker.threshold) == (12.0, 5)
    first, second = build(settings)
    assert (first.name, first.timeout_seconds, first.phase) == ("artefacts", 3.0, Phase.AFTER)
    assert isinstance(first.hook, FileChecksumHook)
    assert first.hook.root == str(folder / "out")
    assert (second.name, second.phase, second.inline) == ("regex", Phase.BEFORE, True)


def test_a_file_that_says_nothing_about_hooks_has_none(folder: Path) -> None:
    assert load(folder, "").hooks is None


USE = "[hooks]\n[[hooks.use]]\n"
MISTAKES = [
    ("[hoks]", "line 1: hoks: unknown key; did you mean hooks?"),
    ("[hooks]", "line 1: hooks.use: is empty: hooks are required"),
    ("[hooks]\nuse = []", "line 2: hooks.use: is empty"),
    ("[hooks]\ndeadline = 3\n[[hooks.use]]\ntype='citation'", "line 2: hooks.deadline: unknown key"),
    ("[hooks]\ndeadline_seconds = 0\n[[hooks.use]]\ntype='citation'", "line 2: hooks.deadline_seconds: must be above 0"),
    ("[hooks]\ndeadline_seconds = true\n[[hooks.use]]\ntype='citation'", "line 2: hooks.deadline_seconds: must be a number"),
    ("[hooks.breaker]\nthreshold = 0\n[[hooks.use]]\ntype='citation'", "hooks.breaker.threshold: breaker.threshold must be at least 1"),
    (USE, "line 2: hooks.use[0].type: is missing"),
    (USE + "type = 'file_chekcsum'", "line 3: hooks.use[0].type: 'file_chekcsum' is unknown"),
    (USE + "type = 'citation'\n[[hooks.use]]\ntype = 'citation'\nrequird = true", "line 6: hooks.use[1].requird: unknown key; did you mean required?"),
    (USE + "type = 'citation'\nphase = 'afterwards'", "line 4: hooks.use[0].phase: 'afterwards' is unknown"),
    (USE + "type = 'citation'\ntimeout_seconds = -1", "hook timeout_seconds must be above 0"),
    (USE + f"type = 'file_checksum'\nexpected = {{ f = '{DIGEST}' }}", "line 2: hooks.use[0].root: is missing"),
    (USE + f"type = 'file_checksum'\nroot = 'nowhere'\nexpected = {{ f = '{DIGEST}' }}", "line 4: hooks.use[0].root: there is no folder"),
    (USE + "type = 'file_checksum'\nroot = 'out'\nexpected = {}", "expected is empty"),
    (USE + "type = 'file_checksum'\nroot = 'out'\nexpected = { f = 3 }", "line 5: hooks.use[0].expected: must be a table of texts"),
    (USE + "type = 'regex'\nmust = 'x'", "line 4: hooks.use[0].must: must be a list of texts"),
    (USE + "type = 'regex'", "no pattern"),
    (USE + "type = 'sqlite'\npath = 'x.db'\nquery = 'SELECT 1'", "line 4: hooks.use[0].path: there is no file"),
    (USE + "type = 'json_schema'\nschema = 'none.json'", "line 4: hooks.use[0].schema:"),
    (USE + "type = 'http_api'\nurl = 'http://example.org/'\nallow = []", "allow is empty"),
    (USE + "type = 'python'\nfactory = 'nowhere'", "line 4: hooks.use[0].factory: 'nowhere' must be module:name"),
    (USE + "type = 'python'\nfactory = 'nowhere:x'", "line 4: hooks.use[0].factory: nowhere:x cannot be imported"),
    (USE + "type = 'python'\nfactory = 'builtins:dict'", "which has no name and ask"),
    ("[preflight]\nprofile = 'strict'", "line 2: preflight.profile: 'strict' is unknown"),
    ("[preflight]\nblock_below = true", "line 2: preflight.block_below: must be a number in [0, 1]"),
    ("[preflight]\nblock_below = 'none'", 'or "off", got'),
    ("[preflight.max_penalty]\nrole_plai = 0", "line 2: preflight.max_penalty.role_plai: unknown key; did you mean role_play?"),
    ("[preflight]\nreject_broad = 'yes'", "line 2: preflight.reject_broad: must be true or false"),
    ("[preflight", "is not TOML"),
    ("a = 1\na = 2", "is not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), MISTAKES, ids=range(len(MISTAKES)))
def test_every_mistake_names_file_line_and_key(folder: Path, text: str, words: str) -> None:
    said = complaint(folder, text)
    assert said.startswith("firmground.toml")
    assert words in said


def test_an_empty_list_is_allowed_where_hooks_are_not_required(folder: Path) -> None:
    settings = load(folder, "[hooks]\nrequired = false\nuse = []")
    assert settings.hooks is not None
    assert settings.hooks.use == ()


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        load_settings(tmp_path / "none.toml")


def test_lines_are_found_behind_long_texts_and_lists(folder: Path) -> None:
    path = folder / "x.toml"
    path.write_text(
        'a = """\nb = 1\n[c]\n"""\nd = [\n  1, # ]\n  "]",\n]\n[e]\nf = "[[g]]"\nh = 1\n'
    )
    lines = read_document(path).lines
    assert lines == {"a": 1, "d": 5, "e": 9, "e.f": 10, "e.h": 11}


def test_yaml_says_the_same(folder: Path) -> None:
    text = f"""
preflight:
  reject_broad: true
hooks:
  deadline_seconds: 12
  use:
    - type: file_checksum
      root: out
      expected:
        report.txt: sha256:{DIGEST}
"""
    settings = load(folder, text, "firmground.yaml")
    (hook,) = build(settings)
    assert hook.name == "file_checksum"
    assert settings.preflight.reject_broad is True


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hooks:\n  use: []\n", "firmground.yaml, line 2: hooks.use: is empty"),
        (
            "hooks:\n  use:\n    - type: citation\n      requird: true\n",
            "line 4: hooks.use[0].requird",
        ),
        ("a: 1\na: 2\n", "line 2: a stands twice"),
        ("- 1\n", "must be a table at the top"),
        ("a: [1\n", "is not YAML"),
        ("a: !!python/object/apply:os.system ['true']\n", "is not YAML"),
    ],
)
def test_yaml_mistakes_name_file_line_and_key_too(folder: Path, text: str, words: str) -> None:
    assert words in complaint(folder, text, "firmground.yaml")


PARENT = f"""
grounding:
  enabled: true
  timeout_seconds: 7.5
  fail_on_grounding_failure: true
  escalate_on_failure: true
  hooks:
    - type: file_checksum
      name: artefacts
      checksum_algorithm: sha256
      allowed_root: out
      expected_checksums:
        report.txt: "{DIGEST}"
"""


def test_the_parents_own_yaml_is_understood(folder: Path) -> None:
    settings = load(folder, PARENT, "job.yaml")
    (hook,) = build(settings)
    assert (hook.name, hook.timeout_seconds) == ("artefacts", 7.5)
    assert isinstance(hook.hook, FileChecksumHook)
    assert hook.hook.root == str(folder / "out")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("      allowed_root: out\n", "", "line 8: grounding.hooks[0].allowed_root: is missing"),
        ("escalate_on_failure: true", "escalate_on_failure: false", "is a policy"),
        ("fail_on_grounding_failure: true", "fail_on_grounding_failure: false", "that is a policy"),
        ("type: file_checksum", "type: api_validator", "grounding.hooks[0].type"),
        ("timeout_seconds: 7.5", "timeout: 7.5", "line 4: grounding.timeout: unknown key"),
        ("expected_checksums", "expected_checksum", "hooks.use[0].expected: is missing"),
    ],
)
def test_what_the_parent_left_open_is_asked_for(
    folder: Path, old: str, new: str, words: str
) -> None:
    assert old in PARENT
    assert words in complaint(folder, PARENT.replace(old, new), "job.yaml")


def test_the_parents_switch_turns_its_hooks_off(folder: Path) -> None:
    assert load(folder, PARENT.replace("enabled: true", "enabled: false"), "j.yml").hooks is None


def test_every_kind_lists_exactly_the_keys_it_reads(folder: Path) -> None:
    """What ``explain`` prints and what the builder reads are the same."""
    import ast
    import inspect

    for kind in KINDS.values():
        tree = ast.parse(inspect.getsource(kind.build))
        called = {
            node.args[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr
            in ("text", "texts", "pairs", "flag", "whole", "number", "raw", "plain")
            and isinstance(node.args[0], ast.Constant)
        }
        source = inspect.getsource(kind.build)
        called |= set(re.findall(r"_folder\(options, \"(\w+)\"", source))
        if "_expectation(" in source:
            called |= {"expect", "equals"}
        called |= set(re.findall(r"_from_environment\(options, \"(\w+)\"", source))
        if "_argv(" in source:
            called.add("argv")
        if "_text_or_file(" in source:
            called.add("schema")
        assert called == set(kind.options), kind.name


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("c.yaml", "hooks:\n  use: []\n  use: []\n", "line 3: use stands twice"),
        ("c.yaml", "? [a, b]\n: c\n", "line 1: a key must be a plain text"),
        ("c.yaml", "hooks:\n  use:\n  - {type: arithmetic, 5: x}\n", "line 3: a key must be"),
        ("c.yaml", "hooks:\n  deadline_seconds: 2020-13-41\n", "is not YAML"),
        ("c.yaml", "hooks:\n  deadline_seconds: " + "9" * 5000, "is not YAML"),
        ("c.yaml", "a: " + "[" * 5000 + "]" * 5000, "nested too deep"),
        ("c.yaml", "hooks: &a\n  use: [*a]\n", "nested too deep"),
        ("c.yaml", "hooks: !!python/object/apply:os.system ['id']\n", "is not YAML"),
        ("c.toml", "a = " + "[" * 5000 + "]" * 5000, "nested too deep"),
        ("c.toml", "[hooks]\ndeadline_seconds = " + "9" * 5000, "is not TOML"),
        (
            "c.toml",
            "[hooks]\ndeadline_seconds = inf\nuse = [{type='citation'}]",
            "line 2: hooks.deadline_seconds: must be a",
        ),
        (
            "c.toml",
            "[hooks.breaker]\ncool_down_seconds = nan\n[[hooks.use]]\ntype='citation'",
            "line 2: hooks.breaker.cool_down",
        ),
    ],
    ids=lambda text: text[:40].replace("\n", " "),
)
def test_a_file_made_to_hurt_is_an_error_like_any_other(
    folder: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(ConfigError) as error:
        load(folder, text, name)
    assert str(error.value).startswith(str(folder / name))
    assert said in str(error.value)


def test_a_few_lines_of_aliases_do_not_become_millions_of_keys(folder: Path) -> None:
    names = "abcdefghij"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in itertools.pairwise(names):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    with pytest.raises(ConfigError, match="more than 10000 keys"):
        load(folder, "\n".join(lines), "c.yaml")


USE = "[[hooks.use]]\ntype = "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hooks = { use = [ { type = 'regex', musst = ['x'] } ] }", "line 1: hooks.use[0].musst"),
        ("hooks.use = [\n {type='regex', musst=['x']},\n]", "line 1: hooks.use[0].musst"),
        ("[[hooks.'use']]\ntype='regex'\n\"musst\"=['x']", "line 3: hooks.use[0].musst"),
        (USE + "'regex'\nmust = ['(']", "line 3: hooks.use[0].must: "),
        (USE + "'regex'\nmust = ['']", "line 3: hooks.use[0].must: "),
        (USE + "'file_checksum'\nroot='out'\nexpected={a='b'}", "line 4: hooks.use[0].expected: "),
        (USE + "'file_checksum'\nroot='out'\nexpected={'../a'='b'}", "line 4: hooks.use[0].exp"),
        (
            USE + "'http_api'\nurl='https://a.b/'\nallow=['https://a.c']",
            "line 3: hooks.use[0].url: ",
        ),
        (USE + "'ledger_record'\nroot='out'\nkeys=['z']", "line 4: hooks.use[0].keys: "),
        (
            USE + "'ledger_record'\nroot='out'\nkeys=['z']\nfile='../{run}'",
            "line 5: hooks.use[0].f",
        ),
        (USE + "'command'\nargv=['/bin/true']\nfolder='nope'", "line 4: hooks.use[0].folder: "),
        (USE + "'command'\nargv=['/bin/true']\ncpu_seconds=-1", "line 4: hooks.use[0].cpu_seconds"),
        (
            USE + "'sqlite'\npath='out/x'\nquery='SELECT 1'\nmost_rows=0",
            "line 5: hooks.use[0].most",
        ),
        (USE + "'sqlite'\npath='out/x'\nquery='DELETE'", "line 4: hooks.use[0].query: "),
        (USE + "'citation'\n" + USE + "'citation'\nname='citation'", "line 5: hooks.use[1].name: "),
        (USE + "'arithmetic'\ntimeout_seconds=inf", "line 3: hooks.use[0].timeout_seconds: "),
    ],
)
def test_a_mistake_inside_a_hook_names_its_line_and_key(folder: Path, text: str, said: str) -> None:
    (folder / "out/x").write_bytes(b"")
    with pytest.raises(ConfigError) as error:
        built(load(folder, text))
    assert said in str(error.value)


def test_hooks_without_names_are_numbered_by_their_kind(folder: Path) -> None:
    text = "".join(USE + f"'{kind}'\n" for kind in ("arithmetic", "citation", "citation"))
    names = [hook.name for hook in built(load(folder, text))]
    assert names == ["arithmetic", "citation", "citation_2"]


def test_hooks_that_are_not_required_may_be_none_and_only_then(folder: Path) -> None:
    path = folder / "firmground.toml"
    path.write_text("[hooks]\nrequired = false\n")
    assert hooks_from(load_settings(path)) is None
    path.write_text("[hooks]\n")
    with pytest.raises(ConfigError, match="hooks are required"):
        hooks_from(load_settings(path))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[hooks]\n[hooks.breaker]\n\nthreshold = 0\n", "line 4: hooks.breaker.threshold: "),
        ("[hooks.breaker]\ncool_down_seconds = -1\n", "line 2: hooks.breaker.cool_down_seconds: "),
        ("[hooks.worker]\nreply_bytes = 0\n", "line 2: hooks.worker.reply_bytes: "),
    ],
)
def test_a_value_out_of_range_is_told_with_its_own_line(
    tmp_path: Path, text: str, where: str
) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(text + "[[hooks.use]]\ntype = 'arithmetic'\n")
    with pytest.raises(ConfigError) as refusal:
        load_settings(path)
    assert f"{path}, {where}" in str(refusal.value)


def test_a_file_without_end_is_refused_and_not_read_to_it() -> None:
    with pytest.raises(ConfigError, match="longer than"):
        load_settings("/dev/zero")


def test_a_long_yaml_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "firmground.yaml"
    path.write_text("a: " + "x" * 300_000)
    with pytest.raises(ConfigError, match="longer than 262144 bytes"):
        load_settings(path)


def test_a_renamed_key_still_works_for_one_release_with_a_warning_that_names_the_place(
    tmp_path: Path,
) -> None:
    file = tmp_path / "firmground.toml"
    file.write_text("[preflight.most]\nrole_play = 0.1\n")
    with pytest.warns(
        FutureWarning, match=r"firmground\.toml, line 1: preflight\.most: .*max_penalty"
    ):
        settings = load_settings(file)
    assert settings.preflight.max_penalty == (("role_play", 0.1),)
