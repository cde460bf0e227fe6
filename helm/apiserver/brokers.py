"""Runs the brokers of the chart's pods: the StatefulSet, the Job and everything else are from the API server, and its
controllers decide what starts and stops when. pods.py plays the kubelet. Clients publish all the time; nothing that
was acknowledged may be lost.

    brokers.py    in the directory "helm"
"""
import json
import os
import signal
import subprocess
import threading
import time

from kube import (
    WORK,
    Checks,
    Kube,
    PodWatch,
    create_class,
    create_namespace,
    create_node,
    create_secret,
    decoded,
    helm,
    path,
    zonal_provisioner,
)
from pods import DISTRIBUTION, Kubelet, ServiceProxy
from trial import FOUNDED, LABELS, NAME, Pods, uids

NS = "brokers"
PASSWORD = "of-the-check"
VALUES = f"""
auth: {{existingSecret: users}}
cluster: {{tls: {{existingSecret: nodes}}}}
persistence: {{size: 1Gi}}
nodeSelector: {{runs: processes}}
antiAffinity: required
termination: {{drainSeconds: 5, scaleInSeconds: 120}}
# Nothing limits the memory of these processes. The heap is half of this, by heapPercent.
jvmOptions: [-XX:MaxRAM=800m]
"""

kube = Kube()
checks = Checks()
trial = Pods(kube, NS)
ready = trial.ready


def upgrade(*options):
    helm("upgrade", "trial", "godwit", "-n", NS, "-f", f"{WORK}/brokers.yaml", *options)


def create_users():
    file = f"{WORK}/passwd"
    command = [f"{DISTRIBUTION}/bin/godwit-passwd", "--file", file, "add", "ann"]
    subprocess.run(command, input=PASSWORD + "\n", text=True, check=True, capture_output=True)
    with open(file) as users:
        create_secret(kube, NS, "users", passwd=users.read())


def create_certificate_of_nodes():
    """What cert-manager would make of the chart's Certificate between nodes."""
    pki = f"{WORK}/nodes"
    os.makedirs(pki)
    domain = f"{NAME}-nodes.{NS}.svc.cluster.local"

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    authority = ["-keyout", f"{pki}/ca.key", "-out", f"{pki}/ca.crt", "-subj", "/CN=nodes", "-days", "2"]
    openssl("req", "-x509", *curve, *authority)
    openssl("req", *curve, "-keyout", f"{pki}/tls.key", "-out", f"{pki}/tls.csr", "-subj", "/CN=node")
    with open(f"{pki}/names", "w") as names:
        names.write(f"subjectAltName=DNS:{domain},DNS:*.{domain}\nextendedKeyUsage=serverAuth,clientAuth\n")
    authority = ["-CA", f"{pki}/ca.crt", "-CAkey", f"{pki}/ca.key", "-CAcreateserial"]
    signed = ["-in", f"{pki}/tls.csr", "-out", f"{pki}/tls.crt", "-extfile", f"{pki}/names", "-days", "2"]
    openssl("x509", "-req", *authority, *signed)
    data = {}
    for name in "tls.crt", "tls.key", "ca.crt":
        with open(f"{pki}/{name}") as file:
            data[name] = file.read()
    create_secret(kube, NS, "nodes", **data)


class Clients:
    """Publishers whose messages have numbers, and a subscriber with a session that outlives its connections."""

    def __init__(self, address):
        self.login = ["-h", address, "-u", "ann", "-P", PASSWORD, "-V", "mqttv311"]
        self.lock = threading.Lock()
        self.acknowledged = []
        self.failures = 0
        self.longest_wait = 0.0
        self.is_over = threading.Event()
        self.received = f"{WORK}/received"
        open(self.received, "w").close()
        session = ["-i", "subscriber", "-c", "-q", "1", "-t", "check/#"]
        session = ["stdbuf", "--output=L", "mosquitto_sub", *self.login, *session]
        # Only makes the session.
        subprocess.run([*session, "-E"], check=True, timeout=60)
        threading.Thread(target=self.subscribe, args=(session,), daemon=True).start()
        self.publishers = [threading.Thread(target=self.publish, args=(i,), daemon=True) for i in range(2)]
        for each in self.publishers:
            each.start()

    def subscribe(self, session):
        while True:
            with open(self.received, "a") as file:
                subprocess.run([*session, "-F", "%p"], stdout=file, stderr=subprocess.DEVNULL)
            time.sleep(0.5)

    def publish(self, publisher):
        """Each message by a connection of its own, which ends well only after the acknowledgement."""
        number = 0
        last = time.monotonic()
        while not self.is_over.is_set():
            number += 1
            text = f"{publisher}-{number}"
            command = ["mosquitto_pub", *self.login, "-q", "1", "-t", f"check/{publisher}", "-m", text]
            try:
                is_done = subprocess.run(command, capture_output=True, timeout=20).returncode == 0
            except subprocess.TimeoutExpired:
                is_done = False
            with self.lock:
                if is_done:
                    self.acknowledged.append(text)
                    self.longest_wait = max(self.longest_wait, time.monotonic() - last)
                    last = time.monotonic()
                else:
                    self.failures += 1
            time.sleep(0.1)

    def count(self):
        with self.lock:
            return len(self.acknowledged)

    def goes_on(self, what):
        """Fails unless ten more messages are acknowledged."""
        before = self.count()
        checks.eventually(f"clients publish after {what}", lambda: self.count() >= before + 10)

    def stop(self):
        self.is_over.set()
        for each in self.publishers:
            each.join()

    def missing(self):
        with open(self.received) as file:
            there = set(file.read().split())
        return [text for text in self.acknowledged if text not in there]


def admin(*words, pod=f"{NAME}-0"):
    told = KUBELET.execute(pod, "/opt/godwit/bin/godwit-admin", "--data", "/var/lib/godwit/data", "--json", *words)
    return json.loads(told) if told else None


def members(pod=f"{NAME}-0"):
    """What the notes of the chart tell operators to call."""
    return admin("members", pod=pod)


def has_all_voters():
    """Whether each range has as many voters as are wanted."""
    for store in "dist", "inbox", "retain":
        told = admin("ranges", store)
        if not told or any(len(each["voters"]) < told["wantedVoters"] for each in told["ranges"]):
            return False
    return True


def cluster_id(told):
    return told["clusterId"] if told else None


def alive(told):
    return sum(1 for node in told["nodes"] if node["liveness"].lower() == "alive") if told else 0


def start():
    if not kube.find(path("storageclasses", name="standard", group="storage.k8s.io")):
        create_class(kube, "standard", True)
    zonal_provisioner(kube)
    create_namespace(kube, NS)
    create_users()
    create_certificate_of_nodes()
    nodes = [f"machine-{i}" for i in range(1, 6)]
    for name, zone in zip(nodes, ["zone-a", "zone-b", "zone-c", "zone-a", "zone-b"]):
        create_node(kube, name, zone, {"runs": "processes"})
    with open(f"{WORK}/brokers.yaml", "w") as file:
        file.write(VALUES)
    return Kubelet(nodes)


def found_cluster():
    checks.title("installs three pods, whose brokers found a cluster")
    helm("install", "trial", "godwit", "-n", NS, "-f", f"{WORK}/brokers.yaml")
    found = checks.eventually("three pods are ready", lambda: ready(3), 180)
    if not found:
        return None
    told = checks.eventually("the first pod tells its members", members)
    checks.same("nodes that are alive", alive(told), 3)
    zones = sorted(node["zone"] for node in told["nodes"])
    checks.same("zones, which the pods asked Kubernetes for", zones, ["zone-a", "zone-b", "zone-c"])
    secret = checks.eventually("the Job writes the Secret", lambda: kube.find(path("secrets", NS, FOUNDED)), 90)
    checks.same("the id of the cluster in it", decoded(secret, "cluster-id") if secret else None, cluster_id(told))

    def is_complete():
        return [job["status"].get("succeeded") for job in kube.items(path("jobs", NS, group="batch"))] == [1]

    checks.eventually("the Job is complete", is_complete, 30)
    checks.same("restarts", {name: KUBELET.pod(name).restarts for name in found}, dict.fromkeys(found, 0))
    return cluster_id(told)


def roll(clients):
    checks.title("rolls the pods by an upgrade, while clients publish")
    # Kubernetes replaces pods that are not available yet all at once, see minReadySeconds.
    checks.eventually("three pods are available", trial.are_rolled_out, 60)
    # A new cluster has one voter for each range until it has been calm for a while. That pod cannot hand over.
    checks.eventually("each range has three voters", has_all_voters, 120)
    before = uids(ready(3))
    since = time.monotonic()
    acknowledged = clients.count()
    watch = PodWatch(kube, NS, LABELS)
    upgrade("--set-string", "podAnnotations.round=2")
    checks.eventually("the upgrade is rolled out", trial.are_rolled_out, 400)
    watch.stop()
    after = uids(ready(3))
    checks.check("all pods are new", not set(after.values()) & set(before.values()), after)
    checks.same("pods were replaced in this order", watch.deleted, [f"{NAME}-{i}" for i in (2, 1, 0)])
    checks.same("the fewest pods that were ready at any time", watch.least, 2)
    checks.same("pods that had to be killed", sum(pod.kills for pod in KUBELET.pods.values()), 0)
    clients.goes_on("the upgrade")
    print(
        f"    {time.monotonic() - since:.0f} s; {clients.count() - acknowledged} messages acknowledged, "
        f"{clients.failures} refused or cut off; the longest wait of a publisher: {clients.longest_wait:.1f} s",
        flush=True,
    )


def kill(clients):
    checks.title("kills a broker: the container is started again")
    pod = KUBELET.pod(f"{NAME}-1")
    before = uids(ready(3))
    pod.container.signal(signal.SIGKILL)
    checks.eventually("the pod is ready again", lambda: pod.restarts == 1 and ready(3), 120)
    checks.same("it is the same pod", uids(ready(3)), before)
    clients.goes_on("the kill")


def scale(clients):
    checks.title("scales from 3 to 5 and back: the pods that go hand over what they have")
    again = ["--set-string", "podAnnotations.round=2"]
    before = uids(ready(3))
    upgrade(*again, "--set", "replicas=5")
    found = checks.eventually("five pods are ready", lambda: ready(5), 240)
    checks.same("pods that run stay as they are", {name: uids(found).get(name) for name in before}, before)
    checks.eventually("five nodes are members", lambda: alive(members()) == 5)
    upgrade(*again)
    checks.eventually("three pods are left", lambda: ready(3), 400)
    checks.same("pods that stay are as they were", uids(ready(3)), before)
    for name in f"{NAME}-3", f"{NAME}-4":
        with open(f"{WORK}/{name}.log") as log:
            text = log.read()
        checks.check(f"{name} says that it hands over", "is scaled in, hands over what it has" in text, text[-1000:])
        checks.check(f"{name} could hand over everything", "could not hand over" not in text, text[-1000:])
    clients.goes_on("the scaling")


def main():
    global KUBELET
    KUBELET = start()
    if found_cluster():
        clients = Clients(ServiceProxy(kube, NS, NAME).address)
        clients.goes_on("their start")
        roll(clients)
        kill(clients)
        scale(clients)
        checks.title("compares what was acknowledged with what was received")
        clients.stop()
        checks.eventually("nothing that was acknowledged is lost", lambda: not clients.missing(), 60)
        print(f"    {clients.count()} messages acknowledged, {len(clients.missing())} lost", flush=True)
    checks.end()


main()
