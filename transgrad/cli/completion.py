"""Completion scripts for shells, generated from the parser."""
from __future__ import annotations

import argparse

__all__ = ["SHELLS", "script"]

SHELLS = ("bash", "zsh", "fish")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script for a shell, to be evaluated in its startup file."""
    commands = _commands(parser)
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[str, dict[str, list[str]]]]:
    """Return the help of each command, and its options with their choices."""
    subparsers = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {a.dest: a.help or "" for a in subparsers._choices_actions}
    found = {}
    for name, sub in subparsers.choices.items():
        options = {option: [str(c) for c in action.choices or ()] for action in sub._actions for option in action.option_strings}
        found[name] = helps.get(name, ""), options
    return found


def _bash(commands: dict[str, tuple[str, dict[str, list[str]]]]) -> str:
    cases = []
    for name, (_, options) in commands.items():
        cases.append(f'        {name}) words="{" ".join(options)}" ;;')
    values = {option: choices for _, options in commands.values() for option, choices in options.items() if choices}
    chosen = [f'        {option}) COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$word")); return ;;'
              for option, choices in values.items()]
    return "\n".join([
        "_transgrad() {", '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
        '    case "$before" in', *chosen, "    esac", '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f'        words="{" ".join(commands)} --version --help"',
        '    else', '    case "${COMP_WORDS[1]}" in', *cases, "    esac", "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '    [ -n "${COMPREPLY[0]}" ] || COMPREPLY=($(compgen -f -- "$word"))', "}", "complete -F _transgrad transgrad"]) + "\n"


def _zsh(commands: dict[str, tuple[str, dict[str, list[str]]]]) -> str:
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash(commands)


def _fish(commands: dict[str, tuple[str, dict[str, list[str]]]]) -> str:
    lines = ["complete -c transgrad -n __fish_use_subcommand -l version -d 'Print the version'"]
    for name, (what, options) in commands.items():
        lines.append(f"complete -c transgrad -n __fish_use_subcommand -f -a {name} -d {what!r}")
        for option, choices in options.items():
            kind = "-l" if option.startswith("--") else "-s"
            given = f" -x -a '{' '.join(choices)}'" if choices else ""
            lines.append(f"complete -c transgrad -n '__fish_seen_subcommand_from {name}' {kind} {option.lstrip('-')}{given}")
    return "\n".join(lines) + "\n"
