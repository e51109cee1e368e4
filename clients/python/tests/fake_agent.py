"""An agent's socket for tests: real frames on a real Unix socket, scripted answers."""

import json
import os
import socket
import struct
import tempfile
import threading


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
                if body:
                    answer = dict(answer, payloadBytes=len(body))
                encoded = json.dumps(answer).encode()
                connection.sendall(struct.pack(">I", len(encoded)) + encoded + body)

    def close(self):
        self._listener.close()
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self._folder.cleanup()
