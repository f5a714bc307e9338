"""The programs that a shell script, a Python script or a Swift test calls, as far as its text shows.

For a shell script these are the first words of the simple commands, including those in substitutions, here-documents
and traps, and after programs that run another command (`exec`, `env`, `timeout`, `xargs`, `find -exec` …). A variable
stands for the value that the script assigns to it. What only a run would show is left out.
"""

import ast
import dataclasses
import re

RESERVED = {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time"}
# Programs and builtins that run the command after their options, each with the options that take an argument.
WRAPPERS = {
    "exec": "a", "command": "", "builtin": "", "nohup": "", "setsid": "", "sudo": "ugC", "env": "uCS", "nice": "n",
    "ionice": "cn", "timeout": "sk", "xargs": "nILPsdaE", "unshare": "", "stdbuf": "ioe", "strace": "eoPpsS", "faketime": "",
}
LONG_OPTIONS = {"--propagation", "--signal", "--kill-after", "--chdir", "--unset", "--user"}
# The number of words between the options and the command.
POSITIONAL = {"timeout": 1, "faketime": 1}
EXPANSION = re.compile(r"\0(\w*)\0")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*\])?\+?=")


@dataclasses.dataclass(frozen=True, order=True)
class Call:
    """A call of a program, and its line."""

    line: int
    program: str


class ShellReader:
    """Reads the text of a shell script once, from start to end."""

    def __init__(self, text, first_line=1):
        self.text, self.at, self.first_line = text, 0, first_line
        self.documents, self.simple = [], []
        self.functions, self.values = set(), {}

    def line(self):
        return self.first_line + self.text.count("\n", 0, self.at)

    def sees(self, word):
        return self.text.startswith(word, self.at)

    def read_commands(self, end=None):
        """Reads commands to the end of the text, or past `)`, `` ` ``, `;;` or `esac`, whichever is the `end`; returns
        what ended it."""
        words, is_begun = [], False
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in " \t" or self.sees("\\\n"):
                self.at += 2 if character == "\\" else 1
            elif character == "#":
                self.skip_line()
            elif character == "\n":
                self.at += 1
                self.read_documents()
                words, is_begun = self.finish(words), False
            elif character == "`" and end == "`" or character == ")" and end == ")":
                self.at += 1
                self.finish(words)
                return character
            elif self.sees("<(") or self.sees(">("):
                self.at += 2
                self.read_commands(")")
            elif character in "<>" or self.sees("&>"):
                self.read_redirection()
            elif self.sees("((") and not is_begun:
                self.at = self.text.find("))", self.at) + 2
            elif character in ";&|()":
                is_case = self.sees(";;") or self.sees(";&")
                self.at += 2 if is_case else 1
                words, is_begun = self.finish(words), False
                if is_case and end == ";;":
                    return ";;"
            else:
                line, word = self.line(), self.read_word()
                if word.isdigit() and self.at < len(self.text) and self.text[self.at] in "<>":
                    continue
                if is_begun or words:
                    words.append((line, word))
                    is_begun = True
                elif word == "esac" and end == ";;":
                    return "esac"
                elif word == "[[":
                    self.skip_condition()
                    is_begun = True
                elif word == "case":
                    self.read_case()
                elif word in ("for", "select"):
                    is_begun = True
                    words = [(line, ":")]
                elif word == "function":
                    self.skip_blanks()
                    self.functions.add(self.read_word())
                elif re.match(r"[ \t]*\([ \t]*\)", self.text[self.at :]):
                    self.functions.add(word)
                    self.at = self.text.index(")", self.at) + 1
                elif word not in RESERVED:
                    words.append((line, word))
                    is_begun = ASSIGNMENT.match(word) is None
                    words = [] if not is_begun and self.assign(word) else words
        self.finish(words)
        return None

    def assign(self, word):
        name, _, value = word.partition("=")
        self.values.setdefault(name, set()).add(value)
        return True

    def finish(self, words):
        if words:
            self.simple.append(words)
        return []

    def skip_line(self):
        self.at = (self.text + "\n").index("\n", self.at)

    def skip_blanks(self):
        while self.at < len(self.text) and (self.text[self.at] in " \t\n" or self.sees("\\\n") or self.sees("#")):
            if self.sees("#"):
                self.skip_line()
            else:
                self.at += 2 if self.sees("\\") else 1

    def skip_condition(self):
        while self.at < len(self.text):
            self.skip_blanks()
            if self.at < len(self.text) and self.text[self.at] in "()|&<>;":
                self.at += 1
            elif self.read_word() in ("]]", ""):
                return

    def read_case(self):
        self.skip_blanks()
        self.read_word()
        self.skip_blanks()
        self.read_word()
        while self.at < len(self.text):
            self.skip_blanks()
            if re.match(r"esac\b", self.text[self.at :]):
                self.at += 4
                return
            # The pattern.
            while self.at < len(self.text) and self.text[self.at] != ")":
                if self.text[self.at] in " \t(|\n":
                    self.at += 1
                elif not self.read_word():
                    self.at += 1
            self.at += 1
            if self.read_commands(";;") != ";;":
                return

    def read_redirection(self):
        operator = re.match(r"&?(<<<|<<-?|[<>][>&|]?)", self.text[self.at :]).group()
        self.at += len(operator)
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1
        begin = self.at
        word = self.read_word()
        if operator in ("<<", "<<-"):
            self.documents.append((word, self.text[begin] in "'\"\\"))

    def read_documents(self):
        for end, is_literal in self.documents:
            match = re.compile(rf"^\t*{re.escape(end)}$", re.MULTILINE).search(self.text, self.at)
            if match is None:
                continue
            body = ShellReader(self.text[self.at : match.start()], self.line())
            if not is_literal:
                body.read_quoted(None)
            self.simple += body.simple
            self.at = match.end()
        self.documents = []

    def read_word(self):
        """A word without its quotation marks; the value of a variable becomes \\0NAME\\0, that of a command \\0\\0."""
        word = ""
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "(" and ASSIGNMENT.fullmatch(word):
                self.at += 1
                self.read_array()
                return word + "\0\0"
            if character == "(" and word[-1:] in tuple("@?*+!"):
                self.at = self.text.index(")", self.at) + 1
            elif character in " \t\n;&|()<>" or character == "`" and self.is_in_backquotes():
                return word
            elif character == "\\":
                word += self.text[self.at + 1 : self.at + 2].replace("\n", "")
                self.at += 2
            elif character == "'" or self.sees("$'"):
                self.at += 1 if character == "'" else 2
                end = re.compile(r"'" if character == "'" else r"(?<!\\)'").search(self.text, self.at).start()
                word += self.text[self.at : end]
                self.at = end + 1
            elif character == '"':
                self.at += 1
                word += self.read_quoted('"')
            elif character in "$`":
                word += self.read_expansion()
            else:
                word += character
                self.at += 1
        return word

    backquotes = 0

    def is_in_backquotes(self):
        return self.backquotes > 0

    def read_array(self):
        while self.at < len(self.text):
            self.skip_blanks()
            if self.sees(")"):
                self.at += 1
                return
            if not self.read_word():
                self.at += 1

    def read_quoted(self, end):
        word = ""
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == end:
                self.at += 1
                return word
            if character == "\\":
                word += self.text[self.at + 1 : self.at + 2]
                self.at += 2
            elif character in "$`":
                word += self.read_expansion()
            else:
                word += character
                self.at += 1
        return word

    def read_expansion(self):
        if self.sees("$(("):
            depth, self.at = 2, self.at + 3
            while depth and self.at < len(self.text):
                if self.sees("$("):
                    self.read_expansion()
                    continue
                depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
                self.at += 1
            return "\0\0"
        if self.sees("$("):
            self.at += 2
            self.read_commands(")")
            return "\0\0"
        if self.sees("`"):
            self.at += 1
            if not self.backquotes:
                self.backquotes += 1
                self.read_commands("`")
                self.backquotes -= 1
            return "\0\0"
        if self.sees("${"):
            begin = self.at
            self.at += 2
            while self.at < len(self.text) and not self.sees("}"):
                if self.sees("\\"):
                    self.at += 2
                elif self.sees("'") and '"' not in self.text[begin : self.at] and self.text[begin - 1 : begin] != '"':
                    self.at = self.text.index("'", self.at + 1) + 1
                elif self.sees('"'):
                    self.at += 1
                    self.read_quoted('"')
                elif self.text[self.at] in "$`":
                    self.read_expansion()
                else:
                    self.at += 1
            self.at += 1
            inside = self.text[begin + 2 : self.at - 1]
            default = re.fullmatch(r"\w+:?-([\w./+-]*)", inside)
            return default.group(1) if default else f"\0{inside}\0" if inside.isidentifier() else "\0\0"
        name = re.match(r"\$(\w+|[@*#?$!-])?", self.text[self.at :])
        self.at += len(name.group())
        return f"\0{name.group(1) or ''}\0" if (name.group(1) or "").isidentifier() else ("\0\0" if name.group(1) else "$")


def shell_calls(text, known=frozenset(), first_line=1):
    """What a shell script calls. `known` are programs that also count as arguments of the script's own functions."""
    reader = ShellReader(text, first_line)
    reader.read_commands()
    calls = set()

    def values(word):
        found = EXPANSION.fullmatch(word)
        if found:
            return {value for value in reader.values.get(found.group(1), ()) if "\0" not in value and " " not in value}
        return set() if "\0" in word else {word}

    def add(words):
        while words and ASSIGNMENT.match(words[0][1]):
            words = words[1:]
        if not words:
            return
        line, rest = words[0][0], words[1:]
        for program in values(words[0][1]):
            judge(line, program, rest)

    def judge(line, program, rest):
        literal = [word for _, word in rest]
        if program in reader.functions:
            for where, word in rest:
                if word in known:
                    calls.add(Call(where, word))
            return
        program = re.sub(r"^/(usr/)?s?bin/", "", program)
        if not program or "/" in program:
            return
        calls.add(Call(line, program))
        if program == "command" and literal[:1] in (["-v"], ["-V"]):
            return
        if program in WRAPPERS:
            count = POSITIONAL.get(program, 0)
            while rest and (rest[0][1].startswith("-") or ASSIGNMENT.match(rest[0][1])):
                option = rest[0][1]
                takes_word = re.fullmatch(rf"-\w*[{WRAPPERS[program] or '-'}]", option) and len(option) == 2
                rest = rest[2:] if takes_word or option in LONG_OPTIONS else rest[1:]
            add(rest[count:])
        elif program == "find":
            for place, word in enumerate(literal):
                if word in ("-exec", "-execdir", "-ok"):
                    add(rest[place + 1 :])
        elif program in ("trap", "eval") and rest:
            calls.update(shell_calls(literal[0], known, line))
        elif program in ("sh", "bash", "dash", "su") and "-c" in literal[:-1]:
            calls.update(shell_calls(literal[literal.index("-c") + 1], known, line))

    for words in reader.simple:
        add(words)
    return {call for call in calls if call.program not in reader.functions}


def swift_calls(text):
    """What a Swift test calls: paths of programs in strings."""
    return {Call(number, program) for number, line in enumerate(text.splitlines(), 1)
            for program in re.findall(r'"/(?:usr/)?s?bin/([\w.+-]+)"', line.partition("//")[0])}


def python_calls(text, known=frozenset()):
    """What a Python script calls: the first words of lists that are passed to `subprocess` or are in `known`."""
    calls = set()

    def add(list_, is_command):
        words = [element for element in list_.elts if not isinstance(element, ast.Starred)]
        if not words or not isinstance(words[0], ast.Constant) or not isinstance(words[0].value, str):
            return
        if is_command and words[0] is not list_.elts[0]:
            return
        program = re.sub(r"^/(usr/)?s?bin/", "", words[0].value)
        if "/" not in program and (program in known or is_command):
            calls.add(Call(list_.lineno, program))
            literal = [word.value if isinstance(word, ast.Constant) else None for word in words]
            if program in ("sh", "bash") and "-c" in literal[:-1]:
                inner = literal[literal.index("-c") + 1]
                calls.update(shell_calls(inner, known, list_.lineno) if isinstance(inner, str) else ())

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.List, ast.Tuple)):
            add(node, is_command=False)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of = node.func.value
            if isinstance(of, ast.Name) and of.id == "subprocess" and isinstance(node.args[0], (ast.List, ast.Tuple)):
                add(node.args[0], is_command=True)
    return calls
