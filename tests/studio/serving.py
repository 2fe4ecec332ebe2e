"""A client of the studio's server, without a network."""

from __future__ import annotations

import warnings
from typing import Any

with warnings.catch_warnings():  # newer versions would like another package than httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from ceiba.studio.server import make_app
from ceiba.studio.service import Service
from ceiba.studio.work.workspace import Workspace

TOKEN = "t" * 43
HOST = "127.0.0.1:8000"


def client(workspace: Workspace, *, token: str | None = TOKEN, **options: Any) -> TestClient:
    """A client that knows the token, unless it is said otherwise."""
    app = make_app(Service(workspace), TOKEN, "127.0.0.1", 8000)
    headers = {} if token is None else {"X-Ceiba-Token": token}
    options = {"base_url": f"http://{HOST}", "headers": headers, **options}
    return TestClient(app, raise_server_exceptions=False, **options)


class Talk:
    """A client whose answers must be successes."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.client = workspace, client(workspace)

    def get(self, address: str) -> Any:
        return self._checked(self.client.get(address))

    def post(self, address: str, **body: Any) -> Any:
        return self._checked(self.client.post(address, json=body))

    def act(self, action: str, **arguments: Any) -> Any:
        return self.post("/api/action", action=action, arguments=arguments)

    @staticmethod
    def _checked(answer: Any) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()
