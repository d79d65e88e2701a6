"""WebSockets and test sessions against a service that answers by a script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import voice_agents  # noqa: E402
from voice_agents._live import listen  # noqa: E402
from voice_agents._playback import Playback  # noqa: E402
from voice_agents._test_session import TestSession  # noqa: E402
from voice_agents._websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, WebSocket, masked  # noqa: E402

Frame = tuple[bool, int, bytes]


class Peer:
    """The service's end of a connection, frame by frame."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.reader = connection.makefile("rb")
        self.request = b""
        while not self.request.endswith(b"\r\n\r\n"):
            self.request += self.reader.readline()

    def header(self, name: str) -> str:
        lines = self.request.decode().split("\r\n")
        return next(line.split(": ", 1)[1] for line in lines if line.lower().startswith(f"{name}: "))

    def answer(self, accept: str | None = None) -> None:
        key = self.header("sec-websocket-key").encode()
        digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        accept = accept or base64.b64encode(digest).decode()
        head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        self.connection.sendall("\r\n".join([*head, f"Sec-WebSocket-Accept: {accept}", "", ""]).encode())

    def send(self, opcode: int, payload: bytes = b"", final: bool = True, bits: int = 0) -> None:
        length = len(payload)
        if length < 126:
            size = bytes([length])
        else:
            size = b"\x7e" + struct.pack("!H", length) if length < 65536 else b"\x7f" + struct.pack("!Q", length)
        self.connection.sendall(bytes([(0x80 if final else 0) | bits | opcode]) + size + payload)

    def read(self) -> Frame:
        """Reads a frame; what is not masked is an error."""
        first, second = self.reader.read(2)
        assert second & 0x80, "a client masks its frames"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self.reader.read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.reader.read(8))
        mask = self.reader.read(4)
        return bool(first & 0x80), first & 0x0F, masked(self.reader.read(length), mask)


class Service:
    """Serves one connection by a script; what the script raises fails the test."""

    def __init__(
        self, script: Callable[[Peer], None], accepts: bool = True, secure: ssl.SSLContext | None = None
    ) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws{'s' if secure else ''}://127.0.0.1:{self._server.getsockname()[1]}/streams"
        self.error: BaseException | None = None

        def serve() -> None:
            connection, _ = self._server.accept()
            connection.settimeout(10)
            if secure:
                try:
                    connection = secure.wrap_socket(connection, server_side=True)
                except OSError as error:
                    self.error = error
                    return
            with connection:
                try:
                    peer = Peer(connection)
                    if accepts:
                        peer.answer()
                    script(peer)
                except BaseException as error:
                    self.error = error
                    # A failed script must not leave the client waiting.
                    connection.shutdown(socket.SHUT_RDWR)

        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._thread.join(10)
        self._server.close()
        if self.error is not None:
            raise self.error


def closed(peer: Peer, code: int = 1000, reason: bytes = b"") -> None:
    peer.send(CLOSE, struct.pack("!H", code) + reason)


class WebSockets(unittest.TestCase):
    def test_give_messages_however_they_are_framed_and_answer_pings_between(self) -> None:
        def script(peer: Peer) -> None:
            self.assertIn(b"GET /streams?t=1 HTTP/1.1\r\n", peer.request)
            peer.send(TEXT, "Zo".encode(), final=False)
            peer.send(PING, b"still there?")
            peer.send(CONTINUATION, "ë".encode()[:1], final=False)
            peer.send(CONTINUATION, "ë".encode()[1:])
            self.assertEqual(peer.read(), (True, PONG, b"still there?"))
            for length in (0, 125, 126, 65535, 65536):
                peer.send(BINARY, b"x" * length)
            closed(peer)
            self.assertEqual(peer.read(), (True, CLOSE, struct.pack("!H", 1000)))

        with Service(script) as service:
            socket = WebSocket(f"{service.url}?t=1")
            messages = list(socket)
        self.assertEqual(messages[0], "Zoë")
        self.assertEqual([len(message) for message in messages[1:]], [0, 125, 126, 65535, 65536])
        self.assertEqual(socket.close_code, 1000)

    def test_mask_what_they_send_whatever_its_length(self) -> None:
        sent = [bytes(range(256)) * (length // 256 + 1) for length in (0, 1, 125, 126, 65535, 65536)]
        sent = [data[:length] for data, length in zip(sent, (0, 1, 125, 126, 65535, 65536))]

        def script(peer: Peer) -> None:
            self.assertEqual(peer.read(), (True, TEXT, "Zoë".encode()))
            for data in sent:
                self.assertEqual(peer.read(), (True, BINARY, data))
            self.assertEqual(peer.read(), (True, CLOSE, struct.pack("!H", 1000)))
            closed(peer)

        with Service(script) as service:
            socket = WebSocket(service.url)
            socket.send("Zoë")
            for data in sent:
                socket.send(data)
            socket.close()
            self.assertEqual(list(socket), [])
            with self.assertRaises(voice_agents.ConnectionFailedError):
                socket.send("late")

    def test_raise_what_ends_them_but_for_a_close_in_order(self) -> None:
        broken = {
            "closed with 1013 (too slow)": lambda peer: closed(peer, 1013, b"too slow"),
            "without a close": lambda peer: peer.connection.shutdown(socket.SHUT_RDWR),
            "bits that were not agreed on": lambda peer: peer.send(TEXT, b"x", bits=0x40),
            "a frame out of its place": lambda peer: peer.send(CONTINUATION, b"x"),
            "a control frame that is none": lambda peer: peer.send(PING, b"x", final=False),
            "text that is no UTF-8": lambda peer: peer.send(TEXT, b"\xff"),
            "half a close code": lambda peer: peer.send(CLOSE, b"x"),
            "too big": lambda peer: peer.connection.sendall(b"\x82\x7f" + struct.pack("!Q", 2**40)),
        }
        for words, script in broken.items():
            with self.subTest(words), Service(script) as service:
                with self.assertRaises(voice_agents.ConnectionFailedError) as caught:
                    list(WebSocket(service.url))
                self.assertIn(words, str(caught.exception))

    def test_say_which_error_of_the_protocol_it_was(self) -> None:
        def script(peer: Peer) -> None:
            peer.send(TEXT, b"\xff")
            self.assertEqual(peer.read(), (True, CLOSE, struct.pack("!H", 1007)))

        with Service(script) as service, self.assertRaises(voice_agents.ConnectionFailedError):
            list(WebSocket(service.url))

    def test_that_are_refused_raise_the_error_of_the_answer(self) -> None:
        def script(peer: Peer) -> None:
            body = json.dumps({"detail": "It is over.", "code": "call_not_active", "request_id": "r-1"})
            peer.connection.sendall(f"HTTP/1.1 409 Conflict\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())

        with Service(script, accepts=False) as service:
            with self.assertRaises(voice_agents.ConflictError) as caught:
                WebSocket(service.url)
        self.assertEqual((caught.exception.code, caught.exception.request_id), ("call_not_active", "r-1"))

    def test_take_no_answer_that_was_not_made_for_their_key(self) -> None:
        with Service(lambda peer: peer.answer("bm90IGl0"), accepts=False) as service:
            with self.assertRaises(voice_agents.ConnectionFailedError):
                WebSocket(service.url)
        with self.assertRaises(voice_agents.ConnectionFailedError):
            WebSocket("ws://127.0.0.1:1/?t=secret")


class SecureWebSockets(unittest.TestCase):
    """Those of production: what is sent and what comes share one state of TLS."""

    def setUp(self) -> None:
        if shutil.which("openssl") is None:
            self.skipTest("!!! no openssl: WebSockets over TLS are SKIPPED")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate, key = f"{folder.name}/certificate.pem", f"{folder.name}/key.pem"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        files = ["-keyout", key, "-out", self.certificate]
        subprocess.run(["openssl", "req", "-x509", *curve, *names, *files], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)

    def test_send_and_receive_at_the_same_time(self) -> None:
        count = 300
        received: list[bytes] = []

        def script(peer: Peer) -> None:
            for number in range(count):
                peer.send(BINARY, struct.pack("!H", number) * 320)
                received.append(peer.read()[2])
            closed(peer)

        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": self.certificate}), Service(script, secure=self.context) as service:
            socket = WebSocket(service.url)

            def speak() -> None:
                for number in range(count):
                    socket.send(struct.pack("!H", number) * 320)

            speaker = threading.Thread(target=speak)
            speaker.start()
            heard = [message for message in socket if isinstance(message, bytes)]
            speaker.join()
        sent = [struct.pack("!H", number) * 320 for number in range(count)]
        self.assertEqual((received, heard), (sent, sent))

    def test_end_at_once_when_another_thread_ends_them(self) -> None:
        over = threading.Event()
        environment = mock.patch.dict(os.environ, {"SSL_CERT_FILE": self.certificate})
        with environment, Service(lambda _: over.wait(10) and None, secure=self.context) as service:
            socket = WebSocket(service.url)
            threading.Timer(0.02, socket.terminate).start()
            self.assertEqual(list(socket), [])
            over.set()

    def test_take_no_certificate_that_nobody_vouches_for(self) -> None:
        def script(_: Peer) -> None:
            raise AssertionError("it came through")

        with self.assertRaises((ssl.SSLError, ConnectionError)), Service(script, secure=self.context) as service:
            with self.assertRaises(voice_agents.ConnectionFailedError):
                WebSocket(service.url)


class ListeningToACall(unittest.TestCase):
    def test_gives_the_audio_with_its_format(self) -> None:
        def script(peer: Peer) -> None:
            self.assertIn(b"?t=1&channels=stereo ", peer.request)
            peer.send(TEXT, b'{"type":"format","encoding":"l16","sample_rate":8000,"channels":2}')
            peer.send(BINARY, b"\x01\x00" * 2)
            closed(peer)

        with Service(script) as service:
            audio = list(listen(f"{service.url}?t=1", "stereo"))
        self.assertEqual(audio, [voice_agents.ListenedAudio(b"\x01\x00" * 2, 8000, 2)])


class Marks(unittest.TestCase):
    def test_are_due_when_the_audio_before_them_has_been_played(self) -> None:
        playback = Playback(32_000)
        playback.audio(3200, 1.0)
        playback.mark("a", 1.0)
        playback.audio(1600, 1.01)
        playback.mark("b", 1.01)
        self.assertEqual(playback.due(1.099), [])
        self.assertAlmostEqual(playback.next_due_in(1.099) or 0, 0.001)
        self.assertEqual(playback.due(1.1), ["a"])
        self.assertEqual(playback.due(1.151), ["b"])
        self.assertIsNone(playback.next_due_in(1.151))

    def test_are_due_at_once_when_the_audio_before_them_is_dropped(self) -> None:
        playback = Playback(32_000)
        playback.audio(32_000, 0)
        playback.mark("a", 0)
        playback.clear(0.2)
        self.assertEqual(playback.due(0.2), ["a"])


def session_of(service: Service) -> TestSession:
    return TestSession({"session_id": "s-1", "stream_url": service.url, "token": "t&1", "expires_at": ""}, 16000)


class TestSessions(unittest.TestCase):
    def test_give_audio_and_events_and_answer_marks_when_they_were_heard(self) -> None:
        waited: list[float] = []

        def script(peer: Peer) -> None:
            self.assertIn(b"/streams?t=t%261&encoding=pcm16&sample_rate=16000 ", peer.request)
            self.assertEqual(peer.read(), (True, BINARY, b"\x00" * 640))
            peer.send(TEXT, b'{"type":"started","session_id":"s-1"}')
            sent_at = time.monotonic()
            peer.send(BINARY, b"\x01\x00" * 800)  # 50 ms
            peer.send(TEXT, b'{"type":"mark","name":"turn-1"}')
            self.assertEqual(json.loads(peer.read()[2]), {"type": "mark", "name": "turn-1"})
            waited.append(time.monotonic() - sent_at)
            peer.send(BINARY, b"\x01\x00" * 16_000 * 60)  # a minute, which is interrupted
            peer.send(TEXT, b'{"type":"mark","name":"turn-2"}')
            peer.send(TEXT, b'{"type":"clear"}')
            messages = [json.loads(peer.read()[2]) for _ in range(3)]
            # The mark is answered beside what the reader does.
            messages.remove({"type": "mark", "name": "turn-2"})
            self.assertEqual(messages, [{"type": "dtmf", "digit": "5"}, {"type": "stop"}])
            peer.send(TEXT, b'{"type":"ended","end_reason":"caller_hangup"}')
            closed(peer)

        with Service(script) as service, session_of(service) as session:
            session.send(b"\x00" * 640)
            types = []
            for event in session:
                types.append(event["type"])
                if event["type"] == "clear":
                    session.press("5")
                    session.stop()
            self.assertEqual(list(session), [])
        self.assertEqual(types, ["started", "audio", "audio", "clear", "ended"])
        self.assertEqual((session.id, session.sample_rate), ("s-1", 16000))
        self.assertGreaterEqual(waited[0], 0.049)

    def test_raise_what_ended_them_and_again_for_who_reads_again(self) -> None:
        with Service(lambda peer: closed(peer, 1011, b"no worker")) as service, session_of(service) as session:
            for _ in range(2):
                with self.assertRaises(voice_agents.ConnectionFailedError) as caught:
                    list(session)
                self.assertIn("1011 (no worker)", str(caught.exception))

    def test_end_at_once_when_they_are_closed(self) -> None:
        over = threading.Event()
        with Service(lambda _: over.wait(10) and None) as service:
            session = session_of(service)
            session.close()
            self.assertEqual(list(session), [])
            over.set()


if __name__ == "__main__":
    unittest.main()
