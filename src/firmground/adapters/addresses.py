"""Which addresses a check may connect to: the open internet, and nothing behind it.

``ipaddress.is_private`` and its siblings are not a filter: they call NAT64, 6to4, site-local and
multicast forms global. So every range that is not plain global unicast is listed, and addresses
that carry another address inside are judged by that one too.
"""

from __future__ import annotations

import ipaddress
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_CLOSED_4: Final = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
_OPEN_6: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_6: Final = tuple(
    ipaddress.IPv6Network(text)
    for text in (
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20",
        "5f00::/16",
    )
)
_NAT64: Final = (
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
)

_NEVER_BY_NAME: Final[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "192.0.0.192/32",
        "224.0.0.0/3",
        "::/128",
        "fd00:ec2::/32",
        "fd20:ce::/32",
        "fe80::/10",
        "ff00::/8",
    )
)
"""Names never resolved: cloud metadata services, and addresses that belong to no single machine."""


def why_never_by_name(address: Address) -> str:
    """Why a name must not lead here even inside the own network; empty where it may."""
    inner = _carried(address) if isinstance(address, ipaddress.IPv6Address) else None
    if inner is not None and int(address) > 1:
        return why_never_by_name(inner)
    inside = next((net for net in _NEVER_BY_NAME if address in net), None)
    if inside is None:
        return ""
    return f"{address} lies in {inside}, which only the address itself on the list opens"


def why_closed(address: Address) -> str:
    """Why nothing may connect to this address; empty when it is plainly on the open internet."""
    if isinstance(address, ipaddress.IPv4Address):
        inside = next((net for net in _CLOSED_4 if address in net), None)
        return f"{address} lies in {inside}" if inside else ""
    if address.scope_id:
        return f"{address} is bound to an interface"
    carried = _carried(address)
    if carried is not None:
        return why_closed(carried) or f"{address} carries {carried} inside"
    if address not in _OPEN_6:
        return f"{address} is not global unicast"
    inside6 = next((net for net in _CLOSED_6 if address in net), None)
    return f"{address} lies in {inside6}" if inside6 else ""


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address inside a mapped, compatible, NAT64, 6to4 or Teredo address."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    low = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if any(address in net for net in _NAT64) or int(address) >> 32 == 0:
        return low
    # IPv4-translated (RFC 2765): ::ffff:0:a.b.c.d
    return low if int(address) >> 32 == 0xFFFF << 16 else None
