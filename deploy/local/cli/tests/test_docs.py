"""The documents are true: what they name exists in the code, and what the code offers is in them."""

import argparse
import functools
import pathlib
import re
import unittest

from muster_cli import __main__ as cli
from muster_cli.layout import ROOT

MADE_ON_THE_SPOT = ("deploy/compose/secrets",)
NOT_OURS = {".git", ".muster", "target", "shared", "node_modules", "__pycache__"}
NOT_A_SERVICE = ("deploy/test-infrastructure/",)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")


@functools.cache
def files(suffix):
    """Files of the checkout by their path from its root."""
    found = {}
    folders = [ROOT]
    while folders:
        for entry in folders.pop().iterdir():
            if entry.is_dir():
                if entry.name not in NOT_OURS and not entry.name.startswith("."):
                    folders.append(entry)
            elif entry.name.endswith(suffix):
                found[entry.relative_to(ROOT).as_posix()] = entry
    return dict(sorted(found.items()))


@functools.cache
def main_sources(suffix):
    """Text of what ships; what only helps tests is left out."""
    return {
        path: file.read_text(encoding="utf-8")
        for path, file in files(suffix).items()
        if "/src/main/" in path and not path.startswith(NOT_A_SERVICE)
    }


@functools.cache
def document(path):
    return (ROOT / path).read_text(encoding="utf-8")


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def section(text, heading):
    """What stands below a heading, up to the next one that is not deeper."""
    start = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    if not start:
        raise AssertionError(f"there is no heading '{heading}'")
    rest = text[start.end() :]
    end = re.search(rf"^#{{1,{len(start.group(1))}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def rows(text):
    """Cells of the table rows of a text, without headings and rulers."""
    for line in text.splitlines():
        if line.startswith("| `") or line.startswith("| [`"):
            # a bar inside of a cell is written as \|
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", without_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def kebab(name):
    return re.sub(r"([A-Z])", lambda letter: "-" + letter.group(1).lower(), name)


def components(text, record):
    """Names, types and defaults of a record's components."""
    header = re.search(rf"record {record}\(", text)
    depth, at = 1, header.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    parameters = re.sub(r"/\*\*.*?\*/", "", text[header.end() : at - 1], flags=re.DOTALL)
    for parameter in re.split(r",(?![^(<]*[)>])", parameters):
        default = re.search(r'@DefaultValue\("([^"]*)"\)', parameter)
        words = re.sub(r"@\w+(\([^)]*\))?", "", parameter).split()
        if words:
            yield words[-1], words[-2], default.group(1) if default else None


def settings_of_code():
    """Every muster.* key that a service reads, with its default; None where the code has none."""
    found = {}
    for text in main_sources(".java").values():
        for prefix in re.findall(r'^@ConfigurationProperties\("(muster[^"]*)"\)', text, re.MULTILINE):
            record = re.search(r"@ConfigurationProperties[^{]*?\brecord (\w+)\(", text, re.DOTALL)
            if not record:
                raise AssertionError(f"the settings {prefix} are no record; this test reads records only")
            for name, kind, default in components(text, record.group(1)):
                if re.search(rf"\brecord {kind}\(", text):
                    for part, _, inner in components(text, kind):
                        found[f"{prefix}.{kebab(name)}.{kebab(part)}"] = inner
                else:
                    found[f"{prefix}.{kebab(name)}"] = default
        for key, default in re.findall(r'"\$\{(muster\.[a-z.-]+)(?::([^}]*))?\}"', text):
            found[key] = default or None
        for key in re.findall(r'(?:getProperty|getRequiredProperty|ConditionalOnProperty)\(\s*"(muster\.[a-z.-]+)"', text):
            found.setdefault(key, None)
    return found


def variables_of_code():
    """Environment variables that agents, services and the command line read."""
    found = set()
    reader = "node-agent/src/main/java/io/muster/agent/settings/SettingsReader.java"
    found.update(re.findall(r'"(MUSTER_[A-Z_]+)"', main_sources(".java")[reader]))
    for text in main_sources(".yml").values():
        found.update(re.findall(r"\$\{(MUSTER_[A-Z_]+)", text))
    for path, file in files(".py").items():
        if path.startswith("deploy/local/cli/muster_cli/"):
            found.update(re.findall(r'environ\.get\("(MUSTER_[A-Z_]+)"', file.read_text(encoding="utf-8")))
    return found


METRIC = re.compile(r'\b(?:(\w+)\s*\.\s*builder|(counter|gauge|timer|summary))\(\s*"(muster[._][a-z._]+)"')


def metrics_of_code():
    """Names as Prometheus has them, without the ending that says the kind."""
    found = set()
    for text in main_sources(".java").values():
        for _, _, name in METRIC.findall(text):
            found.add(plain(name.replace(".", "_")))
    return found


def plain(metric):
    return re.sub(r"_(total|seconds)$", "", metric)


def operations_of_code():
    """(method, path) of every public path of a controller, and the service that has it."""
    found = {}
    for path, text in main_sources(".java").items():
        if not re.search(r"^@RestController", text, re.MULTILINE):
            continue
        shared = re.search(r'^@RequestMapping\("([^"]+)"\)', text, re.MULTILINE)
        begin = shared.group(1) if shared else ""
        for method, arguments in re.findall(r"^    @(Get|Post|Put|Patch|Delete)Mapping(\([^)]*\))?", text, re.MULTILINE):
            end = re.search(r'"(/[^"]*)"', arguments or "")
            whole = begin + (end.group(1) if end else "")
            if whole.startswith(("/api/", "/problems/")):
                found[(method.upper(), nameless(whole))] = path.split("/")[0]
    return found


def nameless(path):
    return re.sub(r"\{[^}]*\}", "{}", path)


class DocumentsTest(unittest.TestCase):
    def test_every_relative_link_leads_to_a_file_and_a_heading(self):
        broken = []
        for path in files(".md"):
            text = document(path)
            for target in LINK.findall(without_blocks(text)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                file = (ROOT / path).parent / name if name else ROOT / path
                if not file.exists():
                    broken.append(f"{path}: {target}")
                elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
                    broken.append(f"{path}: {target} has no such heading")
        self.assertEqual([], broken)

    def test_every_path_of_the_repository_that_a_document_names_exists(self):
        tops = "|".join(re.escape(entry.name) for entry in ROOT.iterdir() if entry.is_dir() and entry.name not in NOT_OURS)
        named = re.compile(rf"(?<![\w./$-])((?:{tops})/[\w.…*/-]*[\w…*/])")
        missing = []
        count = 0
        for path in files(".md"):
            for name in named.findall(document(path)):
                if name.startswith(MADE_ON_THE_SPOT):
                    continue
                count += 1
                # … stands for folders that are left out
                pattern = re.sub(r"/…/", "/**/", name).rstrip("/")
                if not any("/target/" not in str(found) for found in ROOT.glob(pattern)):
                    missing.append(f"{path}: {name}")
        self.assertEqual([], missing)
        self.assertGreater(count, 50)

    def test_every_command_that_a_document_names_is_one(self):
        commands = next(action for action in cli.parser()._actions if isinstance(action, argparse._SubParsersAction)).choices
        unknown = []
        for path in files(".md"):
            for command in re.findall(r"\./muster ([a-z]+)", document(path)):
                if command not in commands:
                    unknown.append(f"{path}: ./muster {command}")
        self.assertEqual([], unknown)


class SettingsTest(unittest.TestCase):
    def setUp(self):
        self.text = section(document("docs/operations.md"), "Settings")
        self.rows = {CODE.match(row[0]).group(1): row for row in rows(self.text)}

    def test_every_setting_of_the_code_is_in_the_table_and_the_other_way_round(self):
        self.assertEqual(sorted(settings_of_code()), sorted(key for key in self.rows if key.startswith("muster.")))

    def test_the_defaults_are_those_of_the_code(self):
        told = {key: self.rows[key][1] for key, default in settings_of_code().items() if default is not None}
        real = {key: f"`{default}`" for key, default in settings_of_code().items() if default is not None}
        self.assertEqual(real, told)

    def test_every_environment_variable_of_the_code_is_told_of_and_the_other_way_round(self):
        # any setting of a service may also be given as a variable
        relaxed = {key.replace("-", "").replace(".", "_").upper() for key in settings_of_code()}
        told = set(re.findall(r"`(MUSTER_[A-Z_]+)`", self.text))
        self.assertEqual(sorted(variables_of_code()), sorted(told - (relaxed - variables_of_code())))


class MetricsTest(unittest.TestCase):
    def test_every_metric_of_the_code_is_told_of_and_the_other_way_round(self):
        text = section(document("docs/operations.md"), "Metrics")
        told = {plain(name) for name in re.findall(r"`(muster_[a-z_]+)", text)}
        self.assertEqual(sorted(metrics_of_code()), sorted(told))


class ApiGuideTest(unittest.TestCase):
    HEADING = re.compile(r"^### `([A-Z]+) (/[^`]*)`$", re.MULTILINE)

    def setUp(self):
        self.text = document("docs/api-guide.md")
        self.headings = [(method, nameless(path)) for method, path in self.HEADING.findall(self.text)]

    def test_every_public_path_has_one_heading_and_the_other_way_round(self):
        self.assertEqual(sorted(operations_of_code()), sorted(self.headings))

    def test_every_path_is_routed_or_said_not_to_be(self):
        table = main_sources(".java")["gateway/src/main/java/io/muster/gateway/routing/RouteTable.java"]
        routed = {
            ("GET" if method == "streamed" else method.upper(), nameless(path))
            for method, path in re.findall(r'\b(get|post|put|delete|patch|streamed)\("(/api/[^"]+)", Target', table)
        }
        self.assertGreater(len(routed), 20)
        for (method, path), service in operations_of_code().items():
            if service != "gateway":
                heading = next(found for found in self.HEADING.finditer(self.text) if (found[1], nameless(found[2])) == (method, path))
                said = "not routed" in section(self.text, heading.group(0).removeprefix("### "))
                self.assertEqual((method, path) in routed, not said, f"{method} {path}")
        self.assertEqual(set(), routed - set(operations_of_code()))

    def test_every_path_shows_how_it_is_asked_and_what_it_answers(self):
        for method, path in self.HEADING.findall(self.text):
            with self.subTest(operation=f"{method} {path}"):
                part = section(self.text, f"`{method} {path}`")
                self.assertIn("curl", part)
                self.assertRegex(part, r"(?m)^\| 20[0-4]\b")

    def test_no_field_of_an_example_is_invented(self):
        words = set()
        for text in main_sources(".java").values():
            words.update(re.findall(r"\w+", text))
        fields = set(re.findall(r'"(\w+)":', self.text))
        self.assertGreater(len(fields), 100)
        self.assertEqual([], sorted(fields - words))

    def test_every_code_of_a_refusal_is_in_the_table_and_the_other_way_round(self):
        thrown = set()
        for text in main_sources(".java").values():
            thrown.update(re.findall(r'(?:Problem\.of|\bconflict)\(\s*(?:\w+(?:\s*>=[^,"]*)?,\s*)?"([A-Z][A-Z_]+)"', text))
        told = {CODE.match(row[0]).group(1) for row in rows(section(self.text, "All codes"))}
        self.assertEqual(sorted(thrown), sorted(told))

    def test_every_code_that_a_path_names_is_in_the_table(self):
        told = {CODE.match(row[0]).group(1) for row in rows(section(self.text, "All codes"))}
        for line in re.findall(r"^\| [45]\d\d.*$", self.text, re.MULTILINE):
            for code in re.findall(r"`([A-Z][A-Z_]+)`", line.split("|")[2]):
                self.assertIn(code, told, line)


if __name__ == "__main__":
    unittest.main()
