"""An agent's socket for tests: real frames on a real Unix socket, scripted answers."""

import json
import os
import socket
import struct
import tempfile
import threading
import time


class FakeAgent:
    """Answers each request with handler(header, payload) -> (answer, payload); records what it got."""

    def __init__(self, handler):
        self._folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self._folder.name, "agent.sock")
        self.requests = []
        self._handler = handler
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def environment(self, rank=0):
        return {"MUSTER_AGENT_SOCKET": self.path, "RANK": str(rank), "LOCAL_RANK": "0"}

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            stream = connection.makefile("rb")
            while True:
                head = stream.read(4)
                if len(head) < 4:
                    return
                header = json.loads(stream.read(struct.unpack(">I", head)[0]))
                payload = stream.read(header.get("payloadBytes", 0))
                self.requests.append((header, payload))
                answer = self._handler(header, payload)
                if answer is None:
                    return
                answer, body = answer
                if body and isinstance(answer, dict):
                    answer = dict(answer, payloadBytes=len(body))
                encoded = json.dumps(answer).encode()
                connection.sendall(struct.pack(">I", len(encoded)) + encoded + body)

    def drop_connections(self):
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._connections.clear()

    def close(self):
        self._listener.close()
        self.drop_connections()
        self._folder.cleanup()


class DrippingAgent(FakeAgent):
    """Answers, but one byte each tenth of a second, and never to the end."""

    def __init__(self):
        super().__init__(None)

    def _serve(self, connection):
        with connection:
            try:
                connection.sendall(struct.pack(">I", 60_000))
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.1)
            except OSError:
                return
