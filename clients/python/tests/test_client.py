"""The client against a service that answers by a script."""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_type_hints

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import voice_agents  # noqa: E402
from voice_agents._transport import Transport  # noqa: E402


class Service:
    """Answers requests in turn by (status, headers, body), the last one for ever; a callable body writes by itself.

    Its client's clock goes on by its pauses alone.
    """

    def __init__(self, *answers: tuple[int, dict[str, str], Any], path: str = "") -> None:
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        service, left = self, list(answers)

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def _answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                names = {name.lower(): value for name, value in self.headers.items()}
                service.requests.append((self.command, self.path, names, self.rfile.read(length)))
                status, headers, body = left.pop(0) if len(left) > 1 else left[0]
                if status == 0:  # the connection breaks
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if callable(body):
                    self.end_headers()
                    body(self.wfile)
                    self.close_connection = True
                    return
                data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _answer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.pauses: list[float] = []
        self.voice = voice_agents.Voice(
            transport=Transport(
                "sk_test_1",
                f"http://127.0.0.1:{self._server.server_address[1]}{path}",
                timeout=5,
                sleep=self.pauses.append,
                chance=lambda: 1.0,
                now=lambda: sum(self.pauses),
            )
        )

    def __enter__(self) -> "Service":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def refusal(status: int, code: str, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], Any]:
    return status, headers or {}, {"detail": f"It is {code}.", "code": code, "request_id": "r-1"}


BROKEN: tuple[int, dict[str, str], Any] = (0, {}, None)


class Requests(unittest.TestCase):
    def test_carry_the_key_the_query_and_json(self) -> None:
        with Service((201, {}, {"id": "a-1"}), (200, {}, {"agents": [], "next_cursor": None})) as service:
            service.voice.agents.create(name="Ada", system_prompt="Be kind.")
            service.voice.agents.list(active_only=True).first()
        (verb, path, headers, body), (_, listed, _, _) = service.requests
        self.assertEqual((verb, path, json.loads(body)), ("POST", "/api/v1/agents", {"name": "Ada", "system_prompt": "Be kind."}))
        self.assertEqual(headers["authorization"], "Bearer sk_test_1")
        self.assertEqual(listed, "/api/v1/agents?active_only=true")

    def test_cannot_leave_their_path_by_an_id(self) -> None:
        with Service((200, {}, {})) as service:
            service.voice.calls.get("../keys?x=1")
            for none in ("", ".", ".."):
                with self.subTest(none), self.assertRaises(ValueError):
                    service.voice.calls.get(none)
        self.assertEqual([path for _, path, _, _ in service.requests], ["/api/v1/calls/..%2Fkeys%3Fx%3D1"])

    def test_go_to_the_address_of_the_service_also_where_it_is_given_with_the_path_of_the_api(self) -> None:
        for path in ("", "/", "/api/v1", "/api/v1/"):
            with Service((200, {}, {}), path=path) as service:
                service.voice.agents.get("a-1")
            self.assertEqual(service.requests[0][1], "/api/v1/agents/a-1", path)

    def test_are_not_sent_to_what_is_no_address(self) -> None:
        for address in ("voice.example", "localhost:8080", "http://"):
            with self.subTest(address), self.assertRaisesRegex(voice_agents.VoiceError, "is no address of the service"):
                Transport("sk_test_1", address)

    def test_have_types_that_mean_the_same_in_their_class(self) -> None:
        methods = {name: method for name, method in vars(Transport).items() if callable(method)}
        for name, method in methods.items():
            # As type checkers resolve names: a method hides a type of its name.
            found = get_type_hints(method, localns=vars(Transport))
            self.assertEqual(found, get_type_hints(method), name)

    def test_need_a_key(self) -> None:
        with self.assertRaises(voice_agents.VoiceError):
            Transport("", "http://localhost", sleep=lambda _: None)

    def test_send_a_file_as_a_form(self) -> None:
        with Service((201, {}, {"campaign_id": "k-1"})) as service:
            service.voice.campaigns.upload("phone\n+15005550006\n", agent_id="a-1", campaign_name="May")
        _, path, headers, body = service.requests[0]
        self.assertEqual(path, "/api/v1/campaigns/upload?agent_id=a-1&campaign_name=May")
        self.assertTrue(headers["content-type"].startswith("multipart/form-data; boundary="))
        self.assertIn(b'name="file"; filename="contacts.csv"\r\nContent-Type: text/csv\r\n\r\nphone\n+15005550006\n\r\n--', body)


class FailuresForAWhile(unittest.TestCase):
    def test_are_tried_again_with_the_same_idempotency_key(self) -> None:
        with Service(BROKEN, refusal(503, "draining"), (202, {}, {"id": "c-1"})) as service:
            call = service.voice.calls.create(agent_id="a", from_number="+1", to_number="+2")
        self.assertEqual(call["id"], "c-1")
        self.assertEqual(len({headers["idempotency-key"] for _, _, headers, _ in service.requests}), 1)
        self.assertEqual(service.pauses, [0.5, 1.0])

    def test_wait_as_long_as_the_service_asks_for(self) -> None:
        with Service(refusal(429, "rate_limited", {"retry-after": "7"}), (200, {}, {})) as service:
            service.voice.calls.get("c-1")
        self.assertEqual(service.pauses, [7.0])

    def test_are_given_up_at_once_where_the_service_asks_for_more_than_a_minute(self) -> None:
        with Service(refusal(429, "rate_limited", {"retry-after": "3600"})) as service:
            with self.assertRaises(voice_agents.RateLimitError) as caught:
                service.voice.calls.get("c-1")
        self.assertEqual(caught.exception.retry_after, 3600)

    def test_are_given_up_after_the_tries_that_are_allowed(self) -> None:
        with Service(*[refusal(500, "internal")] * 3) as service:
            with self.assertRaises(voice_agents.ServerError):
                service.voice.calls.get("c-1")
        self.assertEqual(len(service.requests), 3)


class Refusals(unittest.TestCase):
    def test_have_a_class_a_code_and_the_id_of_the_request(self) -> None:
        with Service(refusal(404, "call_not_found")) as service:
            with self.assertRaises(voice_agents.NotFoundError) as caught:
                service.voice.calls.get("c-1")
        error = caught.exception
        self.assertEqual((error.status, error.code, error.request_id, str(error)), (404, "call_not_found", "r-1", "It is call_not_found."))

    def test_name_each_field_that_does_not_fit(self) -> None:
        detail = [{"loc": ["body", "tools", 0, "url"], "msg": "is no URL", "type": "invalid"}]
        with Service((422, {}, {"detail": detail, "code": "validation_error", "request_id": "r-2"})) as service:
            with self.assertRaises(voice_agents.InvalidRequestError) as caught:
                service.voice.agents.create(name="")
        self.assertEqual(caught.exception.fields, [voice_agents.FieldError("tools.0.url", "is no URL")])

    def test_are_redirects_too_and_no_answers(self) -> None:
        with Service((302, {"location": "https://elsewhere.test/"}, b"<html>")) as service:
            with self.assertRaises(voice_agents.ApiError) as caught:
                service.voice.calls.get("c-1")
        self.assertEqual((caught.exception.status, len(service.requests)), (302, 1))

    def test_of_a_proxy_are_errors_all_the_same(self) -> None:
        with Service(*[(502, {"x-request-id": "r-3"}, b"<html>")] * 3) as service:
            with self.assertRaises(voice_agents.ServerError) as caught:
                service.voice.calls.get("c-1")
        self.assertEqual((caught.exception.code, caught.exception.request_id), ("unknown", "r-3"))

    def test_are_answers_that_came_as_no_json(self) -> None:
        with Service(*[(200, {}, b"<html>")] * 3) as service:
            with self.assertRaises(voice_agents.ConnectionFailedError):
                service.voice.calls.get("c-1")
        self.assertEqual(len(service.requests), 3)


class Lists(unittest.TestCase):
    def test_fetch_pages_as_they_are_needed(self) -> None:
        pages = [
            (200, {}, {"calls": [{"id": "1"}, {"id": "2"}], "has_more": True, "next_cursor": "n2"}),
            (200, {}, {"calls": [{"id": "3"}], "has_more": False, "next_cursor": None}),
        ]
        with Service(*pages) as service:
            self.assertEqual([call["id"] for call in service.voice.calls.list(status="COMPLETED")], ["1", "2", "3"])
        self.assertEqual(
            [path for _, path, _, _ in service.requests],
            ["/api/v1/calls?status=COMPLETED", "/api/v1/calls?status=COMPLETED&cursor=n2"],
        )

    def test_end_where_a_list_goes_on_where_it_was(self) -> None:
        again = (200, {}, {"calls": [{"id": "1"}], "has_more": True, "next_cursor": "again"})
        with Service(again, again) as service:
            with self.assertRaises(voice_agents.VoiceError):
                service.voice.calls.list().all()
            self.assertEqual(2, len(service.requests))

    def test_fetch_no_page_that_nobody_reads(self) -> None:
        with Service((200, {}, {"calls": [{"id": "1"}, {"id": "2"}], "has_more": True, "next_cursor": "n2"})) as service:
            self.assertEqual(len(service.voice.calls.list().all(2)), 2)

    def test_go_by_offset_where_there_is_no_cursor(self) -> None:
        pages = [
            (200, {}, {"contacts": [{"id": "1"}, {"id": "2"}], "has_more": True}),
            (200, {}, {"contacts": [{"id": "3"}], "has_more": False}),
        ]
        with Service(*pages) as service:
            self.assertEqual([contact["id"] for contact in service.voice.campaigns.contacts("k-1")], ["1", "2", "3"])
        self.assertTrue(service.requests[1][1].endswith("?offset=2"))


class FollowingACall(unittest.TestCase):
    @staticmethod
    def cut(out: Any) -> None:
        """One event, and then the stream ends before the call."""
        out.write(b': heartbeat\n\nid: 7\nevent: notice\ndata: {"type":"notice","code":"a","message":""}\n\n')

    @staticmethod
    def last(out: Any) -> None:
        out.write(b'data: {"type":"status","status":"COMPLETED","end_reason":"caller_hangup"}\n\n')

    def followed(self, service: Service, **options: Any) -> list[str]:
        return [event["type"] for event in service.voice.calls.follow("c-1", **options)]

    def test_comes_back_after_the_last_durable_event(self) -> None:
        with Service((200, {}, self.cut), (200, {}, self.last)) as service:
            self.assertEqual(self.followed(service), ["notice", "status"])
        self.assertEqual([headers.get("last-event-id") for _, _, headers, _ in service.requests], [None, "7"])

    def test_comes_back_where_a_chunk_breaks_off(self) -> None:
        broken = (200, {"transfer-encoding": "chunked"}, lambda out: out.write(b"ff\r\nid: 8\nda"))
        with Service(broken, (200, {}, self.last)) as service:
            self.assertEqual(self.followed(service), ["status"])

    def test_asks_once_more_for_what_came_as_no_json(self) -> None:
        def first(out: Any) -> None:
            out.write(b'id: 7\ndata: {"type":"notice"}\n\nid: 8\ndata: <html>\n\n')

        with Service((200, {}, first), (200, {}, self.last)) as service:
            self.assertEqual(self.followed(service), ["notice", "status"])
        self.assertEqual([headers.get("last-event-id") for _, _, headers, _ in service.requests], [None, "7"])

    def test_comes_back_with_growing_pauses_while_the_service_restarts(self) -> None:
        away = [refusal(status, "draining") for status in (503, 502, 504, 503, 503)]
        with Service((200, {}, self.cut), *away, (200, {}, self.last)) as service:
            self.assertEqual(self.followed(service), ["notice", "status"])
        self.assertEqual(service.pauses, [1, 2, 4, 8, 8, 8])

    def test_waits_for_as_long_as_the_service_asks_for_before_it_comes_back(self) -> None:
        full = refusal(429, "stream_limit", {"retry-after": "90"})
        with Service((200, {}, self.cut), full, (200, {}, self.last)) as service:
            self.assertEqual(self.followed(service), ["notice", "status"])
        self.assertEqual(service.pauses, [1, 90])

    def test_begins_with_a_short_pause_again_once_something_came(self) -> None:
        cut = (200, {}, self.cut)
        with Service(cut, refusal(503, "draining"), cut, (200, {}, self.last)) as service:
            self.followed(service)
        self.assertEqual(service.pauses, [1, 2, 1])

    def test_ends_with_the_last_failure_once_its_patience_is_at_an_end(self) -> None:
        with Service((200, {}, self.cut), refusal(503, "draining")) as service:
            with self.assertRaises(voice_agents.ServerError):
                self.followed(service, patience=20)
        self.assertEqual(service.pauses, [1, 2, 4, 8])

    def test_takes_an_answer_without_any_event_for_no_way_back(self) -> None:
        with Service((200, {}, self.cut), (200, {}, b"<html>Maintenance</html>")) as service:
            with self.assertRaises(voice_agents.ConnectionFailedError):
                self.followed(service, patience=20)

    def test_gives_a_first_connection_up_after_the_usual_tries(self) -> None:
        with Service(BROKEN) as service:
            with self.assertRaises(voice_agents.ConnectionFailedError):
                self.followed(service)
        self.assertEqual((len(service.requests), service.pauses), (3, [0.5, 1.0]))

    def test_ends_with_the_refusal_where_the_call_is_gone_when_it_comes_back(self) -> None:
        with Service((200, {}, self.cut), refusal(404, "call_not_found")) as service:
            with self.assertRaises(voice_agents.NotFoundError):
                self.followed(service)


class Webhooks(unittest.TestCase):
    BODY = '{"event_type":"call.started","event_id":"e-1","data":{"name":"Zoë"}}'
    NOW = 1_767_571_200.0

    def signed(self, body: str, at: float = NOW, secret: str = "whsec_1") -> str:
        digest = hmac.new(secret.encode(), f"{at:.0f}.{body}".encode(), hashlib.sha256).hexdigest()
        return f"t={at:.0f},v1={digest}"

    def test_that_were_signed_are_their_event(self) -> None:
        for body in (self.BODY, self.BODY.encode()):
            event = voice_agents.verify_webhook(body, self.signed(self.BODY), "whsec_1", now=self.NOW)
            self.assertEqual(event["event_type"], "call.started")

    def test_are_refused_otherwise(self) -> None:
        signatures = {
            "missing": None,
            "of another form": "v1=abc",
            "of another body": self.signed("{}"),
            "by another secret": self.signed(self.BODY, secret="whsec_2"),
            "of six minutes ago": self.signed(self.BODY, self.NOW - 360),
            "of six minutes ahead": self.signed(self.BODY, self.NOW + 360),
        }
        for name, signature in signatures.items():
            with self.subTest(name), self.assertRaises(voice_agents.SignatureError):
                voice_agents.verify_webhook(self.BODY, signature, "whsec_1", now=self.NOW)

    def test_are_refused_without_a_secret_by_which_anybody_could_sign(self) -> None:
        for secret in ("", None):
            with self.subTest(secret), self.assertRaisesRegex(voice_agents.SignatureError, "There is no secret"):
                voice_agents.verify_webhook(self.BODY, self.signed(self.BODY, secret=""), secret, now=self.NOW)


if __name__ == "__main__":
    unittest.main()
