"""Calls to the gateway's REST API."""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

from muster_cli.failure import Failure


class NotFound(Failure):
    """The gateway answered 404."""


class Unavailable(Failure):
    """Nobody answered, or a part of Muster is away or overloaded: the same question may be answered later."""


AWAY = (429, 502, 503, 504)
ASK_AGAIN_SECONDS = 1.0
WATCHING_SECONDS = 120.0


class Api:
    """
    The gateway of a system, with a key from MUSTER_API_KEY or the system's own administrator key. Whoever only watches
    has patience: a question that nobody answers is asked again for so many seconds; what changes something never is.
    """

    def __init__(self, home, patience=0.0):
        self._patience = patience
        self._url = os.environ.get("MUSTER_URL")
        if not self._url:
            self._url = home.require_running()["gateway"]
        self._key = os.environ.get("MUSTER_API_KEY")
        if not self._key:
            try:
                self._key = home.secret("admin.key").read_text().strip()
            except OSError as failure:
                raise Failure(f"no API key: set MUSTER_API_KEY, or start a system whose key is in {home.secret('admin.key')} ({failure.strerror})") from failure

    def get(self, path, **query):
        return self._call("GET", path, query)

    def get_if_any(self, path, **query):
        """Like get; None where there is nothing (404)."""
        try:
            return self.get(path, **query)
        except NotFound:
            return None

    def post(self, path, body=None, **query):
        return self._call("POST", path, query, body)

    def put(self, path, body=None):
        return self._call("PUT", path, {}, body)

    def delete(self, path):
        return self._call("DELETE", path, {})

    def stream(self, path, **query):
        """The lines of a text answer as they come."""
        with self._asked(lambda: self._open("GET", path, query, None, None)) as answer:
            for line in answer:
                yield line.decode("utf-8", "replace")

    def _call(self, method, path, query, body=None):
        if method == "GET":
            return self._asked(lambda: self._once(method, path, query, body))
        return self._once(method, path, query, body)

    def _asked(self, question):
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return question()
            except Unavailable:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(ASK_AGAIN_SECONDS)

    def _once(self, method, path, query, body):
        with self._open(method, path, query, body, 30) as answer:
            try:
                text = answer.read().decode("utf-8")
            except OSError as cut:
                raise Unavailable(f"{self._url} did not answer to the end ({cut}); see `./muster status`") from cut
        return json.loads(text) if text else None

    def _open(self, method, path, query, body, timeout):
        query = {name: value for name, value in query.items() if value is not None}
        url = self._url + "/api/v1" + path + ("?" + urllib.parse.urlencode(query) if query else "")
        data = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode("utf-8"))
        request = urllib.request.Request(url, data=data, method=method)
        request.add_header("Authorization", "Bearer " + self._key)
        request.add_header("Accept", "application/json, text/plain")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as refusal:
            kind = NotFound if refusal.code == 404 else Unavailable if refusal.code in AWAY else Failure
            raise kind(describe(refusal.code, refusal.read())) from refusal
        except (urllib.error.URLError, OSError) as failure:
            reason = getattr(failure, "reason", failure)
            raise Unavailable(f"{self._url} does not answer ({reason}); see `./muster status`") from failure


def describe(status, body):
    """A problem document as one line."""
    try:
        problem = json.loads(body)
    except ValueError:
        return f"the gateway answered {status} without a reason"
    parts = [f"{problem.get('title') or problem.get('code') or status}: {problem.get('detail') or ''}".strip()]
    for violation in problem.get("violations") or []:
        allowed = f" (allowed: {violation['allowed']})" if violation.get("allowed") else ""
        parts.append(f"{violation.get('pointer') or '/'}: {violation.get('message')}{allowed}")
    if problem.get("hint"):
        parts.append(problem["hint"])
    return "; ".join(parts)
