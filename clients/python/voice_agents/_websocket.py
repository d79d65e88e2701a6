"""A client of WebSockets (RFC 6455). The standard library alone: no extensions, no subprotocols."""

from __future__ import annotations

import base64
import hashlib
import os
import selectors
import socket
import ssl
import struct
import threading
from collections.abc import Iterator, Mapping
from typing import NoReturn
from urllib.parse import urlsplit

from .errors import ConnectionFailedError, RequestTimeoutError, api_error_of

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
NORMAL, PROTOCOL_ERROR, INVALID_TEXT, TOO_BIG, NO_STATUS, ABNORMAL = 1000, 1002, 1007, 1009, 1005, 1006

_ACCEPT_KEY = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
CONNECT_TIMEOUT_S = 30.0
# The service pings a silent connection every 15 s; one that says nothing for this long is lost.
SILENCE_S = 45.0


class WebSocket:
    """A connection: iterate over its messages (text is `str`, binary `bytes`); send from any thread.

    The iteration ends when the service closes with 1000, or when this side has closed; otherwise it raises a
    `ConnectionFailedError`. Pings are answered while it is read.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        """Connects. Raises an `ApiError` where the service refuses, else a `ConnectionFailedError`."""
        self.close_code: int | None = None
        self.close_reason = ""
        self._sending = threading.Lock()
        self._close_sent = False
        self._is_read = False
        try:
            self._socket = _connected(url)
            try:
                self._buffer = bytearray(_handshake(self._socket, url, headers or {}))
            except BaseException:
                self._socket.close()
                raise
        except TimeoutError as error:
            raise RequestTimeoutError(f"{_place(url)}: no answer within {CONNECT_TIMEOUT_S:g} s.") from error
        except OSError as error:
            raise ConnectionFailedError(f"{_place(url)} cannot be reached: {error}") from error
        self._socket.settimeout(SILENCE_S)

    def send(self, message: str | bytes) -> None:
        """Sends a message. Raises a `ConnectionFailedError` when the connection is gone."""
        opcode, payload = (TEXT, message.encode()) if isinstance(message, str) else (BINARY, bytes(message))
        with self._sending:
            if self._close_sent:
                raise ConnectionFailedError("The connection is closed.")
            self._send_frame(opcode, payload)

    def close(self, code: int = NORMAL) -> None:
        """Begins the end: the iteration goes on until the service has closed, too."""
        with self._sending:
            if self._close_sent:
                return
            self._close_sent = True
            try:
                self._send_frame(CLOSE, struct.pack("!H", code))
            except ConnectionFailedError:
                pass

    def terminate(self) -> None:
        """Ends it at once."""
        self._close_sent = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        # A thread that waits for a socket does not notice that it is closed: it is woken, and closes it itself.
        if not self._is_read:
            self._socket.close()

    def __iter__(self) -> Iterator[str | bytes]:
        self._is_read = True
        try:
            yield from self._messages()
        except TimeoutError as error:
            raise ConnectionFailedError(f"The service said nothing for {SILENCE_S:g} s.") from error
        except (OSError, ValueError) as error:  # a socket that another thread has closed is a ValueError
            if not self._close_sent:
                raise ConnectionFailedError(f"The connection broke: {error}") from error
        finally:
            self._is_read = False
            self.terminate()

    def _messages(self) -> Iterator[str | bytes]:
        parts: list[bytes] = []
        kind: int | None = None
        while True:
            final, opcode, payload = self._frame()
            if opcode >= CLOSE:
                if self._control(final, opcode, payload):
                    return
                continue
            if (opcode == CONTINUATION) != (kind is not None) or opcode > BINARY:
                self._fail(PROTOCOL_ERROR, "a frame out of its place")
            kind = kind or opcode
            parts.append(payload)
            if sum(map(len, parts)) > _MAX_MESSAGE_BYTES:
                self._fail(TOO_BIG, "a message that is too big")
            if not final:
                continue
            message = b"".join(parts)
            is_text, parts, kind = kind == TEXT, [], None
            if not is_text:
                yield message
                continue
            try:
                text = message.decode("utf-8")
            except UnicodeDecodeError:
                self._fail(INVALID_TEXT, "text that is no UTF-8")
            yield text

    def _control(self, final: bool, opcode: int, payload: bytes) -> bool:
        """Answers a control frame; returns whether it was the end."""
        if not final or len(payload) > 125 or opcode > PONG:
            self._fail(PROTOCOL_ERROR, "a control frame that is none")
        if opcode == PING:
            with self._sending:
                if not self._close_sent:
                    self._send_frame(PONG, payload)
        if opcode != CLOSE:
            return False
        if len(payload) == 1:
            self._fail(PROTOCOL_ERROR, "half a close code")
        self.close_code = struct.unpack("!H", payload[:2])[0] if payload else NO_STATUS
        self.close_reason = payload[2:].decode("utf-8", "replace")
        was_ours = self._close_sent
        self.close(NORMAL if self.close_code == NO_STATUS else self.close_code)
        if not was_ours and self.close_code != NORMAL:
            reason = f" ({self.close_reason})" if self.close_reason else ""
            raise ConnectionFailedError(f"The connection was closed with {self.close_code}{reason}.")
        return True

    def _fail(self, code: int, what: str) -> NoReturn:
        """Ends the connection that is none by the protocol."""
        self.close_code = code
        self.close(code)
        raise ConnectionFailedError(f"The service sent {what}.")

    def _frame(self) -> tuple[bool, int, bytes]:
        first, second = self._read(2)
        if first & 0x70 or second & 0x80:
            self._fail(PROTOCOL_ERROR, "a frame with bits that were not agreed on")
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self._read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self._read(8))
        if length > _MAX_MESSAGE_BYTES:
            self._fail(TOO_BIG, "a message that is too big")
        return bool(first & 0x80), first & 0x0F, self._read(length)

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            received = self._receive()
            if not received:
                self.close_code = ABNORMAL
                raise ConnectionResetError("the service ended it without a close")
            self._buffer += received
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _receive(self) -> bytes:
        if not isinstance(self._socket, ssl.SSLSocket):
            return self._socket.recv(65536)
        # OpenSSL takes no reading and writing at the same time: what waits, waits without the lock.
        while True:
            with self._sending:
                self._socket.settimeout(0)
                try:
                    return self._socket.recv(65536)
                except ssl.SSLWantReadError:
                    pass
                finally:
                    self._socket.settimeout(SILENCE_S)
            with selectors.DefaultSelector() as waiting:
                waiting.register(self._socket, selectors.EVENT_READ)
                if not waiting.select(SILENCE_S):
                    raise TimeoutError

    def _send_frame(self, opcode: int, payload: bytes) -> None:
        """Sends one masked frame; the caller holds the lock."""
        length, header = len(payload), bytes([0x80 | opcode])
        if length < 126:
            header += bytes([0x80 | length])
        elif length < 65536:
            header += bytes([0x80 | 126]) + struct.pack("!H", length)
        else:
            header += bytes([0x80 | 127]) + struct.pack("!Q", length)
        mask = os.urandom(4)
        try:
            self._socket.sendall(header + mask + masked(payload, mask))
        except (OSError, ValueError) as error:
            raise ConnectionFailedError(f"The connection broke: {error}") from error


def masked(payload: bytes, mask: bytes) -> bytes:
    """Returns the payload with the mask laid over it, or taken off again."""
    length = len(payload)
    repeated = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")


def _place(url: str) -> str:
    """Returns where it goes, without the token."""
    return url.split("?", 1)[0]


def _connected(url: str) -> socket.socket:
    parts = urlsplit(url)
    is_secure = parts.scheme == "wss"
    connection = socket.create_connection(
        (parts.hostname or "", parts.port or (443 if is_secure else 80)), timeout=CONNECT_TIMEOUT_S
    )
    # Audio is many small messages: none waits for the acknowledgement of the one before it.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not is_secure:
        return connection
    return ssl.create_default_context().wrap_socket(connection, server_hostname=parts.hostname)


def _handshake(connection: socket.socket, url: str, headers: Mapping[str, str]) -> bytes:
    """Asks for the WebSocket; returns what came after the answer. Raises an `ApiError` for a refusal."""
    parts = urlsplit(url)
    key = base64.b64encode(os.urandom(16)).decode()
    sent = {
        "Host": parts.netloc.rsplit("@", 1)[-1],
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    lines = [f"GET {parts.path or '/'}{f'?{parts.query}' if parts.query else ''} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in sent.items()]
    connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
    data = b""
    while b"\r\n\r\n" not in data:
        received = connection.recv(4096)
        if not received or len(data) > 65536:
            raise ConnectionResetError("no answer to the handshake")
        data += received
    head, rest = data.split(b"\r\n\r\n", 1)
    status_line, *header_lines = head.decode("latin-1").split("\r\n")
    status = int((status_line.split(" ", 2) + ["0", "0"])[1])
    names = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in header_lines)}
    if status != 101:
        length = int(names.get("content-length", "0"))
        while len(rest) < length and (received := connection.recv(4096)):
            rest += received
        raise api_error_of(status, names, rest)
    expected = base64.b64encode(hashlib.sha1(key.encode() + _ACCEPT_KEY).digest()).decode()
    if names.get("upgrade", "").lower() != "websocket" or names.get("sec-websocket-accept") != expected:
        raise ConnectionResetError("the answer to the handshake is none")
    return rest
