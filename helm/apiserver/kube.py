"""A small client of the API server, and how checks are counted. For the other files of this directory."""
import base64
import json
import os
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

WORK = os.environ["CHECK_WORK"]
SERVER = "https://" + os.environ["CHECK_KUBERNETES"]
GROUPS = {
    "": "/api/v1",
    "apps": "/apis/apps/v1",
    "authorization.k8s.io": "/apis/authorization.k8s.io/v1",
    "batch": "/apis/batch/v1",
    "coordination.k8s.io": "/apis/coordination.k8s.io/v1",
    "discovery.k8s.io": "/apis/discovery.k8s.io/v1",
    "networking.k8s.io": "/apis/networking.k8s.io/v1",
    "policy": "/apis/policy/v1",
    "rbac.authorization.k8s.io": "/apis/rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io": "/apis/scheduling.k8s.io/v1",
    "storage.k8s.io": "/apis/storage.k8s.io/v1",
    "apiextensions.k8s.io": "/apis/apiextensions.k8s.io/v1",
    "cert-manager.io": "/apis/cert-manager.io/v1",
    "monitoring.coreos.com": "/apis/monitoring.coreos.com/v1",
}
MERGE = "application/merge-patch+json"


class ApiError(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class Kube:
    """Calls the server as the administrator; as the holder of a token if one is given."""

    def __init__(self, token=None):
        self.token = token
        self.tls = ssl.create_default_context(cafile=f"{WORK}/pki/ca.crt")
        if not token:
            self.tls.load_cert_chain(f"{WORK}/pki/admin.crt", f"{WORK}/pki/admin.key")

    def open(self, method, path, body=None, kind="application/json", headers=None, timeout=60):
        request = urllib.request.Request(SERVER + path, method=method)
        request.add_header("Accept", "application/json")
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        for name, value in headers or []:
            request.add_header(name, value)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", kind)
        try:
            return urllib.request.urlopen(request, context=self.tls, timeout=timeout)
        except urllib.error.HTTPError as e:
            text = e.read().decode(errors="replace")
            try:
                text = json.loads(text)["message"]
            except (ValueError, KeyError):
                pass
            raise ApiError(e.code, text) from None

    def call(self, method, path, body=None, kind="application/json", headers=None):
        with self.open(method, path, body, kind, headers) as answer:
            return json.load(answer)

    def get(self, path):
        return self.call("GET", path)

    def find(self, path):
        """The object, or None if there is none."""
        try:
            return self.get(path)
        except ApiError as e:
            if e.status == 404:
                return None
            raise

    def items(self, path):
        return self.get(path)["items"]

    def create(self, path, body):
        return self.call("POST", path, body)

    def merge(self, path, body):
        return self.call("PATCH", path, body, MERGE)

    def delete(self, path, body=None):
        return self.call("DELETE", path, body)

    def watch(self, path, version, seconds):
        """Yields the changes of a list since that version. They end after so many seconds."""
        joint = "&" if "?" in path else "?"
        until = f"{path}{joint}watch=1&resourceVersion={version}&timeoutSeconds={seconds}"
        with self.open("GET", until, timeout=seconds + 10) as answer:
            for line in answer:
                yield json.loads(line)


def path(plural, namespace=None, name=None, group=""):
    parts = [GROUPS[group]]
    if namespace:
        parts += ["namespaces", namespace]
    parts.append(plural)
    if name:
        parts.append(name)
    return "/".join(parts)


def is_true(pod, condition):
    return any(
        each["type"] == condition and each["status"] == "True" for each in pod.get("status", {}).get("conditions", [])
    )


def is_ready(pod):
    return is_true(pod, "Ready") and "deletionTimestamp" not in pod["metadata"]


def decoded(secret, key):
    return base64.b64decode(secret["data"][key]).decode()


class Checks:
    """Counts what held and what did not. Prints the latter."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.since = time.monotonic()

    def title(self, text):
        print(f"[{time.monotonic() - self.since:4.0f} s] {text}", flush=True)

    def check(self, what, holds, seen=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED: {what}" + (f": {seen}" if seen != "" else ""), flush=True)
        return holds

    def same(self, what, seen, expected):
        return self.check(what, seen == expected, f"expected {expected}, but it is {seen}")

    def eventually(self, what, holds, seconds=60):
        """Waits until holds() returns a true value, and returns it."""
        until = time.monotonic() + seconds
        seen = None
        while time.monotonic() < until:
            try:
                seen = holds()
                if seen:
                    self.passed += 1
                    return seen
            except (ApiError, OSError) as e:
                seen = e
            time.sleep(0.2)
        self.check(f"{what}, within {seconds} s", False, seen)
        return None

    def refused(self, what, status, call):
        try:
            call()
            self.check(what, False, "it was not refused")
        except ApiError as e:
            self.check(what, e.status == status, e)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        sys.stdout.flush()
        # Threads that still watch must not keep the process.
        os._exit(1 if self.failed else 0)


def helm(*arguments, fails=False):
    """Runs helm, and returns what it printed. The caller's own settings of helm have no effect."""
    environment = {
        **os.environ,
        "KUBECONFIG": f"{WORK}/admin.conf",
        "HELM_CONFIG_HOME": f"{WORK}/helm/config",
        "HELM_CACHE_HOME": f"{WORK}/helm/cache",
        "HELM_DATA_HOME": f"{WORK}/helm/data",
    }
    command = [os.environ["CHECK_HELM"], *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if (done.returncode != 0) != fails:
        raise SystemExit(f"FAILED: helm {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class PodWatch:
    """Follows the pods of a StatefulSet: how few were ready at any time, and in which order they were deleted."""

    def __init__(self, kube, namespace, selector):
        self.kube = kube
        self.where = path("pods", namespace) + "?labelSelector=" + selector
        self.pods = {}
        self.least = None
        self.deleted = []
        self.is_over = threading.Event()
        found = kube.get(self.where)
        for pod in found["items"]:
            self.pods[pod["metadata"]["name"]] = pod
        self.look()
        version = found["metadata"]["resourceVersion"]
        threading.Thread(target=self.follow, args=(version,), daemon=True).start()

    def look(self):
        ready = sum(1 for pod in self.pods.values() if is_ready(pod))
        self.least = ready if self.least is None else min(self.least, ready)

    def follow(self, version):
        for event in self.kube.watch(self.where, version, 3600):
            if self.is_over.is_set():
                return
            pod = event["object"]
            name = pod["metadata"]["name"]
            if "deletionTimestamp" in pod["metadata"] and name not in self.deleted:
                self.deleted.append(name)
            if event["type"] == "DELETED":
                self.pods.pop(name, None)
            else:
                self.pods[name] = pod
            self.look()

    def stop(self):
        self.is_over.set()


def zonal_provisioner(kube):
    """Creates volumes as a provisioner of a cloud does: in the zone of the node that the scheduler has chosen."""

    def provide(claim):
        node = claim["metadata"].get("annotations", {}).get("volume.kubernetes.io/selected-node")
        if claim["status"].get("phase") != "Pending" or not node:
            return
        zone = kube.get(path("nodes", name=node))["metadata"]["labels"]["topology.kubernetes.io/zone"]
        metadata = claim["metadata"]
        name = "volume-" + metadata["uid"]
        if kube.find(path("persistentvolumes", name=name)):
            return
        directory = f"{WORK}/volumes/{name}"
        os.makedirs(directory)
        is_in_zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}
        kube.create(
            path("persistentvolumes"),
            {
                "metadata": {"name": name},
                "spec": {
                    "capacity": claim["spec"]["resources"]["requests"],
                    "accessModes": claim["spec"]["accessModes"],
                    "storageClassName": claim["spec"]["storageClassName"],
                    "persistentVolumeReclaimPolicy": "Retain",
                    "claimRef": {"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]},
                    "hostPath": {"path": directory},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [is_in_zone]}]}},
                },
            },
        )

    def run():
        while True:
            try:
                for claim in kube.items(path("persistentvolumeclaims")):
                    provide(claim)
            except (ApiError, OSError) as e:
                print(f"provisioner: {e}", file=sys.stderr, flush=True)
            time.sleep(0.3)

    threading.Thread(target=run, daemon=True).start()


def create_class(kube, name, is_default):
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"} if is_default else {}
    kube.create(
        path("storageclasses", group="storage.k8s.io"),
        {
            "metadata": {"name": name, "annotations": annotations},
            "provisioner": "check.invalid/zonal",
            "volumeBindingMode": "WaitForFirstConsumer",
            "reclaimPolicy": "Retain",
            "allowVolumeExpansion": True,
        },
    )


def create_node(kube, name, zone, labels=None, annotations=None):
    return kube.create(
        path("nodes"),
        {
            "metadata": {
                "name": name,
                "labels": {
                    "kubernetes.io/hostname": name,
                    "kubernetes.io/os": "linux",
                    "topology.kubernetes.io/zone": zone,
                    **(labels or {}),
                },
                "annotations": annotations or {},
            }
        },
    )


def create_namespace(kube, name):
    """With the strictest rules for pods that Kubernetes has."""
    labels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
    kube.create(path("namespaces"), {"metadata": {"name": name, "labels": labels}})


def create_secret(kube, namespace, name, **data):
    kube.create(path("secrets", namespace), {"metadata": {"name": name}, "stringData": data})
