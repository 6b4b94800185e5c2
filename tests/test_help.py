"""Help that fits a terminal of 80 columns, can be copied from, and says what is so."""

from __future__ import annotations

import re
import shlex
import sys

import pytest

import zeroply as zp
from test_cli import EVERY, PARTED, TARGETS
from zeroply.cli.main import contents, main
from zeroply.cli.parsing import options_of
from zeroply.cli.texts import shortened, wrapped
from zeroply.learning.coevolution.lin_white import LinWhiteConfig

BORDERS = (" ", "│", "╭", "╰")
"""How the lines of a box begin, with or without its border."""


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def help_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit, match="0"):
        main([*words, "--help"])
    return capsys.readouterr().out.replace("│", " ")


def examples_of(text: str) -> list[str]:
    """The commands of the examples, each on one line as a shell reads it."""
    joined = re.sub(r" \\\n +", " ", text)
    return [line.removeprefix("Example: ") for line in joined.splitlines() if line.startswith("Example: ")]


@pytest.mark.parametrize("words", [*EVERY, *((name,) for name in PARTED)], ids=" ".join)
def test_no_line_is_wider_than_the_terminal(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    lines = help_of(capsys, *words).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(BORDERS) for line in lines)


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_example_stands_alone_and_can_be_copied(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    text = help_of(capsys, *words)
    above = [line for line in text.splitlines() if not line.startswith(BORDERS)]
    assert all(line.startswith("Example: ") for line in above if "Example:" in line)
    for example in examples_of(text):
        assert shlex.split(example)[:2] == ["zeroply", words[0]]


def test_two_examples_stand_on_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert examples_of(help_of(capsys, "bench", "moves")) == [
        'zeroply bench moves "engine(depth=5)" "engine(depth=8)" --games 10',
        'zeroply bench moves "net(othello)" --games 256 --batch 256',
    ]
    assert len(examples_of(help_of(capsys, "bench", "web"))) == 3


def test_an_example_is_broken_where_a_shell_goes_on_and_never_within_a_word() -> None:
    line = 'Example: zeroply train "conv4(width=0.25, output=value)" --data data/sets --run runs/conv4 --seed 1'
    broken = wrapped(line, 60).split("\n")
    assert len(broken) > 1
    assert all(part.endswith(" \\") for part in broken[:-1])
    assert all(len(part) <= 60 for part in broken)
    assert '"conv4(width=0.25, output=value)"' in broken[0]
    assert any("--data data/sets" in part for part in broken)
    assert shlex.split("\n".join(broken).replace("\\\n", "")) == shlex.split(line)


def test_usage_is_broken_between_options_and_colours_do_not_count() -> None:
    line = "\x1b[1musage:\x1b[0m zeroply play [-h] [OPPONENT] [--game STR] [--colour {black,white}] [--seed INT]"
    broken = wrapped(line, 60).split("\n")
    assert [part for part in broken if part.count("[-") != part.count("]") - part.count("[O")] == []
    assert broken[1].startswith("       [")
    fits = "\x1b[1m" + "x" * 60 + "\x1b[0m"
    assert wrapped(fits, 60) == fits


def test_help_has_the_width_of_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = help_of(capsys, "records", "convert")
    monkeypatch.setenv("COLUMNS", "120")
    wide = help_of(capsys, "records", "convert")
    assert 80 < max(map(len, wide.splitlines())) <= 120
    assert len(wide.splitlines()) < len(narrow.splitlines())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["league"], "PLAYER PLAYER ..."),
        (["ladder"], "PLAYER ..."),
        (["bench", "moves"], "PLAYER ..."),
        (["solve"], "[FILE ...]"),
        (["records", "stats"], "FILE ..."),
        (["records", "check"], "FILE ..."),
        (["records", "convert"], "IN ... OUT"),
        (["nets"], "[NET ...]"),
    ],
)
def test_usage_tells_how_many_are_wanted(capsys: pytest.CaptureFixture[str], words: list[str], wanted: str) -> None:
    text = help_of(capsys, *words)
    usage, _, rest = text.partition("\n\n")
    assert f" {wanted}" in usage
    assert f"  {wanted} " in rest
    positional = rest.partition(" options ")[0]
    assert "default:" not in positional
    assert ("(required" in positional) == (words != ["nets"])


def test_no_option_reads_as_its_opposite(capsys: pytest.CaptureFixture[str]) -> None:
    """An option that turns something off says what it does, not what is so without it."""
    for words in EVERY:
        target = TARGETS[words[0]]
        target = target[words[1]] if words[0] in PARTED else target
        if hasattr(target, "pick"):
            target = target.pick(list(words[1:]))[0]
        text = " ".join(help_of(capsys, *words).split())
        for option in options_of(target):
            if option.startswith("--no-"):
                said = text.partition(f" {option} ")[2].partition(" --")[0]
                assert said
                assert "(default: True)" not in said, (words, option)
                assert not said.startswith("Whether"), (words, option)
    assert "--no-elitist Replace the parents" in " ".join(help_of(capsys, "coevolve").split())


def test_the_sentence_of_an_argument_is_broken_by_the_box_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Where a docstring goes on in its next line, help does not."""
    import zeroply.cli.perft as command

    before = command.perft.__doc__
    assert before is not None
    command.perft.__doc__ = before.replace("Number of plies.", "Number of\n            plies.")
    try:
        assert "Number of plies." in help_of(capsys, "perft")
    finally:
        command.perft.__doc__ = before


def test_help_says_which_champions_are_saved(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(help_of(capsys, "champion").split())
    assert f"coevolve --preset lin-white save one every {LinWhiteConfig().save_every} generations" in text
    assert "any generation" not in contents()
    assert "the best net of a generation" in contents()


def test_what_runs_meanwhile_is_not_held_back_unless_it_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout
    main(["perft", "othello", "--depth", "2"])
    assert sys.stdout is before
    assert capsys.readouterr().out.startswith("12\n")


# Words without an end


def test_only_endless_words_are_shortened() -> None:
    layer = "-".join(["00000000000000ff"] * 60)
    short = shortened(f'net spatial(layer="{layer}", discs=false) is not trained this way')
    assert (
        short == 'net spatial(layer="00000000000000ff-000...0ff-00000000000000ff", discs=false) is not trained this way'
    )
    for kept in ("a sentence " * 40, "runs/" + "long" * 40 + "/net.safetensors", "x" * 99):
        assert shortened(kept) == kept


def test_an_error_has_no_endless_word(capsys: pytest.CaptureFixture[str]) -> None:
    layer = "-".join(["00000000000000ff"] * 60)
    with pytest.raises(SystemExit, match="2"):
        main(["train-td", f'spatial(layer="{layer}")', "--run", "r"])
    said = capsys.readouterr().err
    assert "is evolved, not trained by gradient descent" in said
    assert len(said) < 200


# Threads


@pytest.mark.parametrize("count", [-5, 0, 1025])
def test_threads_are_checked_in_python_as_on_the_command_line(count: int) -> None:
    before = zp.threads()
    with pytest.raises(zp.ZeroplyError, match=f"threads must be from 1 to 1024, not {count}"):
        zp.set_threads(count)
    assert zp.threads() == before
    assert "set_threads" in zp.__all__
