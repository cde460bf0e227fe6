"""An API server of Kubernetes that has one Secret, in the namespace "mqtt". Helm looks it up.

    stand-in.py SECRET FILE    writes its port into FILE when it listens
"""
import http.server
import json
import os
import sys

SECRET, FILE = sys.argv[1:]
RESOURCES = {
    "/version": {"major": "1", "minor": "33", "gitVersion": "v1.33.0"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [{"name": "secrets", "kind": "Secret", "namespaced": True, "verbs": ["get", "list"]}],
    },
    f"/api/v1/namespaces/mqtt/secrets/{SECRET}": {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": SECRET, "namespace": "mqtt"},
        "data": {},
    },
}
MISSING = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = RESOURCES.get(self.path.split("?")[0])
        body = json.dumps(found or MISSING).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(FILE + ".new", "w") as port:
    port.write(str(server.server_port))
os.rename(FILE + ".new", FILE)
server.serve_forever()
