"""Nobody but the studio's own page gets an answer; nothing makes the server fail."""

from __future__ import annotations

import json
import random
import string
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.websockets import WebSocketDisconnect

from ceiba.studio.security import MAX_BODY_BYTES, new_token
from ceiba.studio.server import ROUTES, make_app
from ceiba.studio.service import Service
from tests.marks import examples
from tests.studio.random_work import opened
from tests.studio.serving import HOST, TOKEN, Talk, TestClient, client


@pytest.fixture(scope="module")
def talk() -> Talk:
    return Talk(opened(0))


ADDRESSES = [
    (method, address.replace("{node:int}", "0").replace("{name:path}", "city"))
    for method, address, _ in ROUTES
] + [("GET", "/"), ("GET", "/api/download/script")]  # fmt: skip


@pytest.mark.parametrize(("method", "address"), ADDRESSES)
def test_every_route_wants_the_token(method: str, address: str) -> None:
    stranger = client(opened(0), token=None)
    for query, headers in (
        ("", {}),
        ("?token=", {}),
        (f"?token={TOKEN[:-1]}", {}),
        (f"?token={TOKEN}&token={TOKEN}", {}),
        ("", {"X-Ceiba-Token": "wrong"}),
        ("", {"X-Ceiba-Token": ""}),
        ("", {"Cookie": f"token={TOKEN}"}),
    ):
        answer = stranger.request(method, address + query, headers=headers)
        assert answer.status_code == 403, (query, headers)
        assert answer.json()["error"]["code"] == "token"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "null"},
        {"Host": "evil.example:8000"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:9999"},
        {"Host": "127.0.0.1:8000.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=lambda one: " ".join(one.values()),
)
def test_foreign_hosts_and_origins_are_refused(talk: Talk, headers: dict[str, str]) -> None:
    for method, address in (("GET", "/api/state"), ("GET", "/"), ("POST", "/api/close")):
        assert talk.client.request(method, address, headers=headers).status_code == 403


def test_private_page_leads_to_the_studio_only(talk: Talk) -> None:
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert talk.client.get("/", headers=visit).status_code == 200
    assert talk.client.get("/", headers={**visit, "X-Ceiba-Token": "no"}).status_code == 403
    assert talk.client.get("/", headers={**visit, "Sec-Fetch-Mode": "cors"}).status_code == 403
    for method, address in (("GET", "/api/state"), ("POST", "/api/close")):
        assert talk.client.request(method, address, headers=visit).status_code == 403


def test_own_origin_is_welcome(talk: Talk) -> None:
    for host in ("127.0.0.1:8000", "localhost:8000"):
        headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        assert talk.client.get("/api/state", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {}),
        ("?token=wrong", {}),
        (f"?token={TOKEN}", {"Origin": "http://evil.example"}),
        (f"?token={TOKEN}", {"Host": "evil.example"}),
    ],
    ids=range(4),
)
def test_websocket_is_guarded_too(query: str, headers: dict[str, str]) -> None:
    headers = {"Host": HOST, **headers}
    stranger = client(opened(0), token=None)
    with (
        pytest.raises(WebSocketDisconnect) as ended,
        stranger.websocket_connect(f"/api/changes{query}", headers=headers),
    ):
        pass
    assert ended.value.code == 1008


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize(
    "address",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/download/..%2f..%2fetc%2fpasswd",
        "/api/node/-1/rivals", "/api/node/99999999999999999999/rivals", "/api/node/x/rivals",
        "/api/node/0/column/..%2f..%2fsecret", "/api/node/0/column/x?revision=-1", "/api/nothing",
        "/api/node/0/rivals?revision=%00", "/api/node/0/rivals?revision=1e9", "/api/compare?a=../x",
        "/api/lesson/0?column=x&measure=y", "/api/download/export?format=../x", "//api/state",
    ],
)  # fmt: skip
def test_strange_addresses_are_refused(talk: Talk, method: str, address: str) -> None:
    answer = talk.client.request(method, address)
    assert 400 <= answer.status_code < 500, answer.status_code


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"7", b'"x"', b"\xff\xfe\x00", b"{}", b'{"action": 7}',
        b'{"action": "take", "arguments": []}', b'{"action": "take", "arguments": {"node": {}}}',
        b'{"action": "take", "arguments": {"node": 1e400}}',
        b'{"action": "take", "arguments": {"node": NaN}}',
        b'{"action": "take", "arguments": {"desk": 1, "node": 0, "split": ""}}',
        b'{"action": "take", "arguments": {"node": 0, "split": {"column": "city"}}}',
        b'{"action": "take", "arguments": {"node": 0, "split": {"column": [], "cut": 1}}}',
        b'{"action": "take", "arguments": {"node": 0, "split": {"column": "count", "cuts": "a"}}}',
        b'{"action": "undo", "arguments": {"self": 1}}',
        b'{"action": "__class__"}', b'{"action": "answer", "arguments": {"node": 0}}',
        b'{"action": "set_options", "arguments": {"options": {"criterion": {"a": 1}}}}',
        b'{"action": "set_options", "arguments": {"options": {"max_depth": "deep"}}}',
        b'{"action": "set_options", "arguments": {"cost_matrix": [[1, "x"], [0, 0]]}}',
        b'{"action": "override", "arguments": {"node": 0, "answer": {"a": []}}}',
        b'{"action": "override", "arguments": {"node": 0, "answer": "no", "reason": 7}}',
        b'{"action": "set_held_out", "arguments": {"share": "much"}}',
        b'{"action": "snapshot", "arguments": {"name": {}}}',
        b'{"action": "restore", "arguments": {"name": []}}',
        b'{"action": "prune", "arguments": {"alpha": "x"}}',
        b'{"action": "copy", "arguments": {"node": 0, "to": null}}',
        b'{"action": "grow", "arguments": {"node": 0, "levels": 1.5}}',
        b'{"action": "note", "arguments": {"node": 0, "note": 9}}',
        b"[" * 100_000, b'{"a":' * 50_000,
    ],
    ids=range(34),
)  # fmt: skip
@pytest.mark.parametrize(
    "address",
    [
        "/api/action", "/api/node/0/preview", "/api/node/0/further-cut",
        "/api/lesson/0", "/api/cross-validation",
    ],
)  # fmt: skip
def test_malformed_bodies_are_refused(talk: Talk, address: str, body: bytes) -> None:
    if address == "/api/cross-validation" and (body in (b"", b"{}") or b'"action"' in body):
        return  # ten folds are meant where nothing is said
    answer = talk.client.post(address, content=body)
    assert 400 <= answer.status_code < 500, answer.text
    assert set(answer.json()) == {"error"}


def test_huge_bodies_and_addresses_are_refused(talk: Talk) -> None:
    large = b'{"action": "' + b"x" * MAX_BODY_BYTES + b'"}'
    assert talk.client.post("/api/action", content=large).status_code == 413

    def pieces() -> Any:
        for _ in range(40):
            yield b" " * 50_000

    assert talk.client.post("/api/action", content=pieces()).status_code == 413
    assert talk.client.get(f"/api/compare?a={'x' * 5000}").status_code == 414
    wrong_length = {"Content-Length": "many"}
    assert talk.client.post("/api/action", content=b"{}", headers=wrong_length).status_code == 413


def test_random_nonsense_never_breaks_the_server(talk: Talk) -> None:
    draw = random.Random(0)

    def value(depth: int = 0) -> Any:
        kind = draw.randrange(8 if depth < 3 else 6)
        if kind < 6:
            text = "".join(draw.choices(string.printable, k=draw.randrange(8)))
            return [None, True, draw.randrange(-5, 10**6), draw.random() * 1e9, text, "city"][kind]
        if kind == 6:
            return [value(depth + 1) for _ in range(draw.randrange(4))]
        keys = ["node", "split", "column", "cut", "branches", "levels", "name", "options", "file"]
        return {draw.choice(keys): value(depth + 1) for _ in range(draw.randrange(4))}

    actions = ["take", "grow", "cut", "seal", "forbid", "prefer", "copy", "note", "override",
               "prune", "set_column", "set_options", "set_held_out", "undo", "restore"]  # fmt: skip
    names = ["node", "split", "column", "kind", "levels", "columns", "to", "name", "answer",
             "alpha", "options", "share", "file", "steps", "role", "order", "cost"]  # fmt: skip
    for _ in range(examples(400)):
        arguments = {name: value() for name in draw.sample(names, 3)}
        if draw.random() < 0.6:
            arguments["node"] = 0
        body = {"action": draw.choice(actions), "arguments": arguments}
        answer = talk.client.post("/api/action", json=body)
        assert answer.status_code in (200, 400, 404), (body, answer.text)
        split = {"split": value()}
        assert talk.client.post("/api/node/0/preview", json=split).status_code in (200, 400, 404)
        further = {"column": value(), "cuts": value()}
        answer = talk.client.post("/api/node/0/further-cut", json=further)
        assert answer.status_code in (200, 400, 404), (further, answer.text)


def test_answers_forbid_framing_sniffing_and_other_sources(talk: Talk) -> None:
    for address in ("/", "/api/state", "/api/nothing", "/api/download/script"):
        headers = talk.client.get(address).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http:" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("listens", "host", "status"),
    [
        ("0.0.0.0", "192.168.1.5:8000", 200),
        ("192.168.1.5", "192.168.1.5:8000", 200),
        ("192.168.1.5", "evil.example:8000", 403),
        ("fe80::1", "[fe80::1]:8000", 200),
        ("127.0.0.1", "192.168.1.5:8000", 403),
    ],
)
def test_other_addresses_are_answered_only_where_they_were_asked_for(
    listens: str, host: str, status: int
) -> None:
    talk = TestClient(make_app(Service(opened(0)), TOKEN, listens, 8000))
    headers = {"Host": host, "X-Ceiba-Token": TOKEN}
    assert talk.get("/api/state", headers=headers).status_code == status
    assert talk.get("/api/state", headers={"Host": host}).status_code == 403
    foreign = {**headers, "Origin": "http://evil.example"}
    assert talk.get("/api/state", headers=foreign).status_code == 403


def test_tokens_are_long_and_differ() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 43


def test_error_texts_do_not_show_paths_of_the_machine(talk: Talk) -> None:
    body = {"action": "set_held_out", "arguments": {"file": "../../x"}}
    text = json.dumps(talk.client.post("/api/action", json=body).json())
    assert "/tmp" not in text
    assert "site-packages" not in text
