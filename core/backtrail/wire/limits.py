"""How long and how much: every bound of the wire in one value.

Owns numbers only. Who waits longer than these, or holds more, is dropped or told so; nothing on the wire waits for
ever. Tests pass their own. Source: design page "house", processes.
"""

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds, in seconds, bytes and pieces.

    hello_s: until a new client has said who it is. alive_s: between two signs of life of the Host. silent_s: without
    any sign of the Host until it counts as not answering. stall_s: one write that nobody reads. close_s: to hand over
    at the end what is queued. retry_s: before new clients are taken again after the system had no descriptor left.
    queue: how many frames may wait for a client that has taken nothing for grace_s; a burst that is only faster than
    threads take turns is no reason to drop one that reads. queue_bytes: what may wait in any case. clients: at one
    time. requests: under way for one client.
    """

    hello_s: float = 3.0
    alive_s: float = 2.0
    silent_s: float = 6.0
    stall_s: float = 10.0
    close_s: float = 1.0
    retry_s: float = 1.0
    queue: int = 1_000
    grace_s: float = 0.5
    queue_bytes: int = 32 << 20
    clients: int = 256
    requests: int = 64


LIMITS = Limits()
