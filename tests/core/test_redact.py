"""Secrets are taken out of texts in every spelling that is promised."""

from __future__ import annotations

import base64
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from firmground.core.redact import MARK, Redaction, secrets_in, shown_address

SECRETS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=["Cc", "Cs"]),
    min_size=6, max_size=40,
)  # fmt: skip


@given(SECRETS, st.text(max_size=30), st.text(max_size=30))
def test_no_text_keeps_the_secret(secret: str, before: str, after: str) -> None:
    clean = Redaction([f"Bearer {secret}"])
    encoded = base64.b64encode(secret.encode()).decode()
    for spelled in (secret, f"Bearer {secret}", quote(secret, safe=""), encoded):
        told = clean(f"{before}{spelled}{after}")
        assert MARK in told
        assert spelled not in told.replace(MARK, "\0")


@given(st.binary(max_size=8), SECRETS, st.binary(max_size=8))
def test_base64_of_something_longer_does_not_keep_it_either(
    before: bytes, secret: str, after: bytes
) -> None:
    encoded = base64.b64encode(before + secret.encode() + after).decode()
    assert MARK in Redaction([secret])(encoded)


@given(st.text(max_size=200))
def test_without_secrets_nothing_changes(text: str) -> None:
    assert Redaction([])(text) == text
    assert Redaction(["abc"])(text) == text
    assert not Redaction(["abc"])


def test_the_beginning_of_a_secret_at_a_cut_is_taken_out() -> None:
    clean = Redaction(["hunter2-hunter2"])
    assert clean("it is hunter2-hu", cut=True) == f"it is {MARK}"
    assert clean("it is hunter2-hu") == "it is hunter2-hu"


def test_addresses_are_told_without_what_they_hide() -> None:
    url = "https://bob:hunter2@api.example/x?api_key=K3yK3yK3y&format=json#part"
    assert shown_address(url) == "https://api.example/x?api_key=…&format=…#part"
    assert set(secrets_in(url)) == {"bob:hunter2", "hunter2", "K3yK3yK3y"}
    assert secrets_in("https://api.example/x?format=json") == ()
    assert shown_address("https://api.example/x") == "https://api.example/x"
