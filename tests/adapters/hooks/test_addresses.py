"""Every spelling of an inside address is refused, and nothing connects to it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.adapters.addresses import why_closed, why_never_by_name
from firmground.adapters.safe_http import (
    HttpTarget,
    NoResponse,
    NotAllowed,
    Origin,
    SafeHttp,
    TooMuch,
)
from firmground.errors import InputError

INSIDE = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1",
    "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
    "240.0.0.1", "255.255.255.255",
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::",
    "2001:db8::1", "2001:10::1", "2001:20::1", "2002:7f00:1::", "2002:a9fe:a9fe::", "3fff::1",
    "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%1", "fec0::1", "ff02::1", "ff0e::1",
    "4000::1",
]  # fmt: skip
OUTSIDE = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e"]


@pytest.mark.parametrize("text", INSIDE)
def test_an_inside_address_is_closed(text: str) -> None:
    assert why_closed(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", OUTSIDE)
def test_an_address_on_the_open_internet_is_open(text: str) -> None:
    assert why_closed(ipaddress.ip_address(text)) == ""


@given(st.ip_addresses(v=4))
def test_every_ipv4_address_carried_in_ipv6_is_closed(address: ipaddress.IPv4Address) -> None:
    low = int(address)
    for wrapped in (
        ipaddress.IPv6Address((0xFFFF << 32) | low),
        ipaddress.IPv6Address(low),
        ipaddress.IPv6Address((0x64FF9B << 96) | low),
        ipaddress.IPv6Address((0x2002 << 112) | (low << 80)),
    ):
        assert why_closed(wrapped)


class Canary:
    """Listens on loopback and counts who comes."""

    def __init__(self) -> None:
        self.visits = 0
        self._sockets: list[socket.socket] = []
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            listener = socket.socket(family, socket.SOCK_STREAM)
            port = self._sockets[0].getsockname()[1] if self._sockets else 0
            try:
                listener.bind((host, port))
            except OSError:
                listener.close()
                continue
            listener.listen(64)
            listener.settimeout(0.05)
            self._sockets.append(listener)
        self.port: int = self._sockets[0].getsockname()[1]
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._watch, args=(s,), daemon=True) for s in self._sockets
        ]
        for thread in self._threads:
            thread.start()

    def _watch(self, listener: socket.socket) -> None:
        while not self._over.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            self.visits += 1
            connection.close()

    def close(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        for listener in self._sockets:
            listener.close()


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    bird = Canary()
    yield bird
    bird.close()


def loopback_spellings() -> list[str]:
    """Hosts that some client or other takes for 127.0.0.1 or for another inside address."""
    octets = [("127", "0177", "0x7f", "0x7F", "00000177"), ("0", "00", "0x0"), ("1", "01", "0x1")]
    dotted = [f"{a}.{b}.{b}.{c}" for a, b, c in product(*octets)]
    short = [f"{a}.{c}" for a, c in product(octets[0], octets[2])]
    short += [f"{a}.{b}.{c}" for a, b, c in product(*octets)]
    whole = ["2130706433", "0x7f000001", "0x7F000001", "017700000001", "0177000001", "127.0x1"]
    names = [
        "localhost", "LOCALHOST", "LocalHost", "localhost.", "localhost.localdomain",
        "ip6-localhost", "ip6-loopback", "127.0.0.1.nip.io", "127.0.0.1.", "127。0。0。1",
        "①②⑦.⓪.⓪.①", "127．0．0．1",
        "lоcalhost", "ⓛocalhost", "%31%32%37.0.0.1", "127.0.0.1%00", "127.0.0.1%2f", "0", "0.0.0.0",
        "0x0", "127.1", "127.0.1", "127.00.0.1", "127.000.000.001", "1.1.1.1@127.0.0.1",
        "example.org@127.0.0.1", "example.org:80@127.0.0.1", "127.0.0.1#@example.org",
        "127.0.0.1?@example.org", "127.0.0.1\\@example.org", "example.org\\@127.0.0.1",
        "example.org#@127.0.0.1", "127.0.0.1 ", " 127.0.0.1", "127.0.0.1\t", "\t127.0.0.1",
        "127.0.0.1\r\nHost: x", "127.0.0.1\n", "example.org 127.0.0.1", "127.0.0.1,example.org",
        "127.0.0.1;example.org", "-127.0.0.1", "127.0.0.1-", "user:pw@127.0.0.1", "@127.0.0.1",
        ":@127.0.0.1", "metadata.google.internal", "169.254.169.254", "0xa9fea9fe", "2852039166",
        "0251.0376.0251.0376", "169.254.43518", "metadata", "kubernetes.default.svc", "10.0.0.1",
        "192.168.0.1", "172.16.0.1", "100.100.100.200", "instance-data", "router.local",
    ]  # fmt: skip
    six = [
        "::1", "0:0:0:0:0:0:0:1", "0000::0001", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1",
        "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2002:7f00:0001::1", "::", "fe80::1", "fe80::1%25lo", "fe80::1%lo", "::1%lo", "::1%25lo",
        "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "::FFFF:127.0.0.1", "::ffff:0x7f.0.0.1",
        "0:0:0:0:0:ffff:127.0.0.1", "2001:0:7f00:1::", "100::1", "::1]", "[::1", "::1].example.org",
    ]  # fmt: skip
    return [*dotted, *short, *whole, *names, *(f"[{text}]" for text in six)]


def corpus(port: int) -> list[str]:
    hosts = loopback_spellings()
    urls = [f"http://{host}:{port}/x" for host in hosts]
    urls += [f"https://{host}:{port}/" for host in hosts]
    urls += [f"http://{host}/" for host in hosts]
    odd = [
        f"HTTP://127.0.0.1:{port}/", f"http:127.0.0.1:{port}", f"http:/127.0.0.1:{port}/",
        f"http:///127.0.0.1:{port}/", f"//127.0.0.1:{port}/", f"127.0.0.1:{port}",
        f"http:\\\\127.0.0.1:{port}",
        f"http://127.0.0.1:{port}:80/", f"http://127.0.0.1:0{port}/", f"http://127.0.0.1:{port} /",
        f"http://127.0.0.1:+{port}/", "http://127.0.0.1:/", f"file://127.0.0.1:{port}/etc/passwd",
        "file:///etc/passwd", f"gopher://127.0.0.1:{port}/_x", f"ftp://127.0.0.1:{port}/",
        f"dict://127.0.0.1:{port}/", f"unix://127.0.0.1:{port}", f"ws://127.0.0.1:{port}/",
        f"jar:http://127.0.0.1:{port}/!/", f"view-source:http://127.0.0.1:{port}/",
        "javascript:alert(1)",
        "data:text/plain,x", "http://", "https://", "http://:80/", "http://@/", "http://[]/", "http://./",
        "http://../", "http://?/", "http://#/", "http:// /", "", " ", "\n", "http://example.org:99999/",
        "http://example.org:0/", "http://exa mple.org/", "http://example.org\x00.evil/",
        "http://éxample.org/",
    ]  # fmt: skip
    return urls + odd


ALLOWED = Origin(scheme="https", host="example.org", port=443)


def test_there_are_enough_forms() -> None:
    assert len(set(corpus(1))) >= 300


def test_no_form_of_an_inside_address_is_ever_connected_to(canary: Canary) -> None:
    """Even when the list itself names the form, which only a mistake could do."""

    async def one(url: str) -> None:
        allow: tuple[Origin, ...] = (ALLOWED,)
        with suppress(InputError):
            allow = (ALLOWED, HttpTarget.parse(url).origin)
        http = SafeHttp(allow=allow, resolve=pretend)
        with pytest.raises((NotAllowed, NoResponse, TooMuch)):
            await asyncio.wait_for(http.fetch(url), 5)

    async def pretend(host: str, port: int) -> tuple[str, ...]:
        """Names resolve to loopback, as a hostile name server would have it."""
        try:
            return (str(ipaddress.ip_address(host)),)
        except ValueError:
            return ("127.0.0.1",)

    async def everything() -> None:
        for url in corpus(canary.port):
            await one(url)

    before = canary.visits
    asyncio.run(everything())
    assert canary.visits == before == 0


def test_the_canary_sings_when_somebody_does_come(canary: Canary) -> None:
    allow = (Origin(scheme="http", host="127.0.0.1", port=canary.port),)
    with pytest.raises(NoResponse):
        asyncio.run(SafeHttp(allow=allow, private=True).fetch(f"http://127.0.0.1:{canary.port}/"))
    assert canary.visits >= 1
    canary.visits = 0


def test_a_name_with_one_inside_address_among_good_ones_is_refused() -> None:
    async def mixed(host: str, port: int) -> tuple[str, ...]:
        return ("1.1.1.1", "10.0.0.1")

    http = SafeHttp(allow=(ALLOWED,), resolve=mixed)
    with pytest.raises(NotAllowed, match=r"10\.0\.0\.0/8"):
        asyncio.run(http.fetch("https://example.org/"))


@pytest.mark.parametrize(
    "inside",
    [
        "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::",
        "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "0.0.0.0", "::", "fe80::1%1",
        "224.0.0.1", "255.255.255.255", "ff02::1",
    ],
)  # fmt: skip
def test_no_name_inside_leads_to_where_clouds_keep_their_keys(inside: str) -> None:
    async def rebound(host: str, port: int) -> tuple[str, ...]:
        return ("10.0.0.7", inside)

    origin = Origin(scheme="http", host="build.internal", port=80)
    http = SafeHttp(allow=(origin,), private=True, resolve=rebound)
    with pytest.raises(NotAllowed, match="only the address itself on the list opens"):
        asyncio.run(http.fetch("http://build.internal/"))


@pytest.mark.parametrize("text", ["10.0.0.7", "192.168.1.1", "127.0.0.1", "::1", "fd12::1"])
def test_the_own_network_is_open_to_names_that_are_meant(text: str) -> None:
    assert why_never_by_name(ipaddress.ip_address(text)) == ""


def test_an_address_that_the_list_names_is_meant() -> None:
    http = SafeHttp(allow=(Origin.parse("http://169.254.1.1:9"),), private=True)

    async def admitted() -> str:
        return (await http._admitted("http://169.254.1.1:9/"))[1]

    assert asyncio.run(admitted()) == "169.254.1.1"


def test_a_name_is_resolved_once_so_a_second_reply_changes_nothing(canary: Canary) -> None:
    asked = []

    async def rebinding(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        return ("8.8.8.8",) if len(asked) == 1 else ("127.0.0.1",)

    origin = Origin(scheme="http", host="example.org", port=canary.port)
    http = SafeHttp(allow=(origin,), resolve=rebinding)
    with pytest.raises(NoResponse):
        asyncio.run(asyncio.wait_for(http.fetch(f"http://example.org:{canary.port}/"), 5))
    assert (asked, canary.visits) == (["example.org"], 0)


@pytest.mark.parametrize("text", ["https://example.org/path", "example.org", "ftp://example.org"])
def test_an_origin_is_scheme_host_and_port_and_no_more(text: str) -> None:
    with pytest.raises(InputError):
        Origin.parse(text)


def test_an_empty_list_is_an_error() -> None:
    with pytest.raises(InputError, match="allow is empty"):
        SafeHttp(allow=())


@given(st.text(max_size=60))
def test_any_text_is_taken_apart_or_refused(text: str) -> None:
    try:
        target = HttpTarget.parse(text)
    except InputError:
        return
    assert HttpTarget.parse(str(target)) == HttpTarget(
        origin=target.origin, path=target.path or "/"
    )
