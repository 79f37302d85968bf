"""Secrets are found wherever they lie in a file, however they are escaped, and never shown."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof.check_secrets import LEAST, MOST, Hit, Search, Secrets, secrets_in
from askproof.errors import InputError, UsageError

SECRET = "hunter2"


def hits(data: bytes, *secrets: str, block: int = 1 << 20) -> list[Hit]:
    search = Search(Secrets(secrets))
    blocks = (data[at : at + block] for at in range(0, len(data), block))
    return [hit for each in blocks for hit in search.search(each)]


@pytest.mark.parametrize(
    ("secret", "spelled"),
    [
        (SECRET, b"hunter2"),
        (SECRET, b"\\u0068unter\\u0032"),
        (SECRET, "".join(f"\\u{ord(char):04x}" for char in SECRET).encode()),
        (SECRET, b"\\\\u0068unter2"),
        ("Kölner", "Kölner".encode()),
        ("Kölner", b"K\\u00f6lner"),
        ("Kölner", b"K\\u00F6lner"),
        ("x😀y", b"x\\ud83d\\uDE00y"),
        ("a/b/c", b"a\\/b\\u002fc"),
        ('"a"\n\t\\', b'\\"a\\"\\n\\t\\\\'),
        ('"a"\n\t\\', b'\\\\\\"a\\\\\\"\\\\n\\\\t\\\\\\\\'),
        ("a\\\\nb", b"a\\\\\\\\nb"),
        ("a\\\\\u0001b", b"a\\\\\\\\\\u0001b"),
        ("abc\udcff\udcfe", b"abc\xff\xfe"),
    ],
)
def test_secret_is_found_however_it_is_spelled(secret: str, spelled: bytes) -> None:
    assert hits(b"ab\ncd" + spelled + b"\n", secret) == [(5, 2, 1)]
    assert hits(b"ab\ncd" + spelled, "other", secret) == [(5, 2, 2)]


@pytest.mark.parametrize(
    "text", [b"hunter", b"HUNTER2", b"hunter\\2", b"hunteru0032", b"hunter\\u0033", b"h\nunter2"]
)
def test_what_is_no_secret_is_not_found(text: bytes) -> None:
    assert hits(text, SECRET) == []


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)


@given(secret=TEXT, text=TEXT, ascii_only=st.booleans(), block=st.integers(1, 9))
def test_secret_in_json_is_found_across_blocks(
    *, secret: str, text: str, ascii_only: bool, block: int
) -> None:
    secret = f"<{secret}{LEAST}>..."
    line = json.dumps({"a": text + secret}, ensure_ascii=ascii_only)
    inside = json.dumps(line, ensure_ascii=ascii_only)
    for each in (line, inside, json.dumps(inside, ensure_ascii=ascii_only)):
        data = b"\n\n" + each.encode() + b"\n"
        [(offset, number, which)] = hits(data, secret, block=block)
        assert data[offset] in b"<\\"
        assert (number, which) == (3, 1)


def test_every_place_is_told_once_with_line_and_offset() -> None:
    data = b"hunter2 hunter2\n\nswordfish hunter2\n" * 2
    expected = [(0, 1, 1), (8, 1, 1), (17, 3, 2), (27, 3, 1)]
    expected += [(offset + 35, line + 3, number) for offset, line, number in expected]
    for block in (1, 3, 16, 100):
        assert hits(data, SECRET, "swordfish", block=block) == expected


@pytest.mark.parametrize("secret", ['\\"' * 20 + "x", "\\" * 30 + "x", "\n" * 20 + "x", "a" * 4096])
@pytest.mark.parametrize("data", [b"\\" * 300_000, b'\\\\\\\\\\"' * 50_000, b"a" * 300_000])
def test_no_file_makes_the_search_slow(secret: str, data: bytes) -> None:
    assert len(hits(data, secret)) == 73 * (secret + data.decode() == "a" * 304_096)


@pytest.mark.parametrize("secret", ["", "abcd", "éé", "x" * (MOST + 1)])
def test_secret_that_is_too_short_or_too_long(secret: str) -> None:
    with pytest.raises(UsageError, match="secret 2 has fewer than 5 or more than 4096 b"):
        Secrets([SECRET, secret])


def test_secrets_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secrets"
    file.write_bytes(b"hunter2\r\n\n  with spaces \nno-utf-8 \xff")
    assert secrets_in(file) == ["hunter2", "  with spaces ", "no-utf-8 \udcff"]
    with pytest.raises(InputError, match="No such file"):
        secrets_in(tmp_path / "none")


def test_a_file_without_secrets_searches_for_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "blank").write_bytes(b"\n \r\n")
    with pytest.raises(UsageError, match="holds no secret"):
        secrets_in(tmp_path / "blank")


def test_secrets_are_hidden_in_what_is_shown() -> None:
    secrets = Secrets([SECRET, "tab\there"])
    assert secrets.hide("a hunter2, a tab\\there") == "a [secret 1], a [secret 2]"


def test_the_mark_of_the_first_line_is_no_part_of_a_secret(tmp_path: Path) -> None:
    (tmp_path / "secrets").write_bytes(b"\xef\xbb\xbfhunter2\n")
    assert secrets_in(tmp_path / "secrets") == ["hunter2"]


def test_a_secret_within_another_does_not_give_it_away() -> None:
    secrets = Secrets(["hunter2", "my-hunter2-passphrase"])
    assert secrets.hide("my-hunter2-passphrase, hunter2") == "[secret 2], [secret 1]"
