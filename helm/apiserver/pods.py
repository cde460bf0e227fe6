"""Plays the kubelet, the network and kube-proxy for pods whose containers are processes of this machine.

Each pod is taken from the API server, as it is there: command, variables, volumes, probes and hooks. A container has
its own mounts, processes, host name and network. There are no images: a container's root has the programs of this
machine and the distribution. There are no limits of memory and processors. ConfigMaps and Secrets are read when a
container starts, and do not follow changes later.
"""
import base64
import datetime
import http.client
import os
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

from kube import WORK, ApiError, Kube, path

BRIDGE = os.environ["CHECK_BRIDGE"]
DISTRIBUTION = os.environ["CHECK_DISTRIBUTION"]
IMAGE_VARIABLES = {
    "PATH": "/opt/godwit/bin:/opt/java/bin:/usr/bin:/bin",
    "JAVA_HOME": "/opt/java",
    "LANG": "C.UTF-8",
    "GODWIT_TRAINING": "off",
}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def run(*command):
    subprocess.run(command, check=True)


def say(text):
    with open(f"{WORK}/kubelet.log", "a") as log:
        log.write(f"{now()} {text}\n")


class NotYet(Exception):
    """Something that the pod needs is not there yet."""


class Container:
    """The one container of a pod, from its start to its end."""

    def __init__(self, pod, spec):
        self.pod = pod
        self.spec = spec
        self.is_started = False
        self.is_ready = False
        self.must_restart = None
        self.has_ended = threading.Event()
        self.since = now()
        self.environment = pod.environment(spec)
        directory = pod.directory
        with open(f"{directory}/environment", "w") as file:
            file.writelines(f"{name}={value}\0" for name, value in self.environment.items())
        pod.write_mounts(spec)
        user = spec["securityContext"]["runAsUser"]
        reading, writing = os.pipe()
        # As runtimes do, so that hooks can write there.
        os.fchown(writing, user, user)
        self.user = str(user)
        expanded = [pod.expanded(each, self.environment) for each in spec["command"]]
        self.process = subprocess.Popen(
            [
                *("nsenter", f"--net=/run/netns/{pod.network}", "unshare", "--mount", "--pid", "--uts", "--fork"),
                *("bash", "apiserver/container.sh", directory, DISTRIBUTION, self.user, *expanded),
            ],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
        os.close(writing)
        self.wait_for_command()
        threading.Thread(target=self.keep_log, args=(reading,), daemon=True).start()
        threading.Thread(target=self.wait, daemon=True).start()

    def keep_log(self, reading):
        with open(reading, "rb") as source, open(f"{WORK}/{self.pod.name}.log", "ab", buffering=0) as log:
            for line in source:
                log.write(line)

    def wait(self):
        self.process.wait()
        self.has_ended.set()

    def first_process(self):
        """Its number outside of the container; None if it has ended. The processes: nsenter is unshare, its child."""
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
                return int(children.read().split()[0])
        except (OSError, IndexError):
            return None

    def wait_for_command(self):
        """Until the container has its mounts: its first process then becomes the user of the container."""
        until = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < until:
            try:
                with open(f"/proc/{self.first_process()}/status") as status:
                    if f"Uid:\t{self.user}\t" in status.read():
                        return
            except OSError:
                pass
            time.sleep(0.05)

    def signal(self, number):
        first = self.first_process()
        if first:
            try:
                os.kill(first, number)
            except ProcessLookupError:
                pass

    def execute(self, command, seconds):
        """Runs a command in the container, as exec does. Returns the process; None if it took too long."""
        first = self.first_process()
        if not first:
            return None
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        enter = [
            *("nsenter", "--target", str(first), "--mount", "--pid", "--uts", "--net", "--root", "--wd"),
            *("setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups", "--no-new-privs"),
            *("--bounding-set=-all", "--inh-caps=-all", "env", "-i", "-C", "/var/lib/godwit", *variables, *command),
        ]
        try:
            return subprocess.run(enter, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None

    def hook(self, name, seconds):
        action = self.spec.get("lifecycle", {}).get(name)
        if not action:
            return True
        started = time.monotonic()
        done = self.execute(action["exec"]["command"], seconds)
        took = time.monotonic() - started
        say(f"{self.pod.name}: {name} took {took:.1f} s: {done.returncode if done else 'no end'}")
        return done is not None and done.returncode == 0

    def stop(self, seconds):
        """As the kubelet does: the hook, then SIGTERM, and SIGKILL after so many seconds in all."""
        until = time.monotonic() + seconds
        self.hook("preStop", seconds)
        self.signal(signal.SIGTERM)
        if not self.has_ended.wait(max(2.0, until - time.monotonic())):
            say(f"{self.pod.name}: is killed after {seconds} s")
            self.pod.kills += 1
            self.signal(signal.SIGKILL)
            self.has_ended.wait(30)

    # ---- Probes

    def start_probes(self):
        if not self.spec.get("startupProbe"):
            self.is_started = True
        if not self.spec.get("readinessProbe"):
            self.is_ready = True
        for kind in "startupProbe", "livenessProbe", "readinessProbe":
            if self.spec.get(kind):
                threading.Thread(target=self.probe_always, args=(kind, self.spec[kind]), daemon=True).start()

    def probe_always(self, kind, probe):
        failures = successes = 0
        while not self.has_ended.wait(probe["periodSeconds"]):
            if kind == "startupProbe" and self.is_started:
                return
            if kind != "startupProbe" and not self.is_started:
                continue
            # A container that is being stopped is still asked whether it is ready, and nothing else.
            if self.pod.is_stopping and kind != "readinessProbe":
                return
            if self.asked(probe):
                successes, failures = successes + 1, 0
            else:
                successes, failures = 0, failures + 1
            if successes >= probe["successThreshold"]:
                if kind == "startupProbe":
                    self.is_started = True
                elif kind == "readinessProbe":
                    self.is_ready = True
            elif failures >= probe["failureThreshold"]:
                if kind == "readinessProbe":
                    self.is_ready = False
                else:
                    say(f"{self.pod.name}: {kind} has failed {failures} times")
                    self.must_restart = probe.get("terminationGracePeriodSeconds", self.pod.grace())
                    return

    def asked(self, probe):
        if "exec" in probe:
            done = self.execute(probe["exec"]["command"], probe["timeoutSeconds"])
            return done is not None and done.returncode == 0
        request = probe["httpGet"]
        port = request["port"]
        if isinstance(port, str):
            port = next(each["containerPort"] for each in self.spec["ports"] if each["name"] == port)
        seconds = probe["timeoutSeconds"]
        if request["scheme"] == "HTTPS":
            anybody = ssl._create_unverified_context()
            connection = http.client.HTTPSConnection(self.pod.address, port, timeout=seconds, context=anybody)
        else:
            connection = http.client.HTTPConnection(self.pod.address, port, timeout=seconds)
        try:
            connection.request("GET", request["path"])
            return 200 <= connection.getresponse().status < 400
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Pod:
    """A pod on one of our nodes, from its start to its end, on a thread of its own."""

    def __init__(self, kubelet, found, number):
        self.kubelet = kubelet
        self.kube = kubelet.kube
        self.found = found
        self.name = found["metadata"]["name"]
        self.namespace = found["metadata"]["namespace"]
        self.uid = found["metadata"]["uid"]
        # Never that of an earlier pod.
        self.address = f"10.244.{1 + number // 250}.{1 + number % 250}"
        self.network = f"pod{number}"
        self.directory = f"{WORK}/pods/{self.uid}"
        self.container = None
        self.restarts = 0
        self.kills = 0
        self.is_stopping = False
        self.last_status = None
        self.thread = threading.Thread(target=self.live, daemon=True)
        self.thread.start()

    def where(self):
        return path("pods", self.namespace, self.name)

    def grace(self):
        return self.found["spec"]["terminationGracePeriodSeconds"]

    # ---- What its containers get

    def prepare(self):
        os.makedirs(self.directory, exist_ok=True)
        spec = self.found["spec"]
        domain = f"{self.namespace}.svc.cluster.local"
        names = self.name
        if spec.get("subdomain"):
            names = f"{self.name}.{spec['subdomain']}.{domain} {self.name}"
        files = {
            "hostname": self.name,
            "hosts": f"127.0.0.1 localhost\n{self.address} {names}\n",
            "resolv.conf": f"nameserver {os.environ['CHECK_DNS']}\n"
            f"search {domain} svc.cluster.local cluster.local\noptions ndots:5\n",
        }
        for name, text in files.items():
            with open(f"{self.directory}/{name}", "w") as file:
                file.write(text)
        run("ip", "netns", "add", self.network)
        outer = f"v{self.network}"
        run("ip", "link", "add", "name", outer, "type", "veth", "peer", "name", "eth0", "netns", self.network)
        run("ip", "link", "set", outer, "master", "pods", "up")
        inside = ["ip", "-n", self.network]
        run(*inside, "address", "add", f"{self.address}/16", "dev", "eth0")
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "route", "add", "default", "via", BRIDGE)

    def needed(self, plural, name, optional=False):
        found = self.kube.find(path(plural, self.namespace, name))
        if found is None and not optional:
            raise NotYet(f"{plural} {name}")
        return found

    def field(self, field_path):
        if field_path == "status.podIP":
            return self.address
        at = self.found
        for part in field_path.split("."):
            at = at[part]
        return at

    def environment(self, container):
        result = {
            **IMAGE_VARIABLES,
            "HOSTNAME": self.name,
            "KUBERNETES_SERVICE_HOST": os.environ["CHECK_KUBERNETES"],
            "KUBERNETES_SERVICE_PORT": "443",
        }
        for variable in container.get("env", []):
            source = variable.get("valueFrom")
            if not source:
                value = self.expanded(variable.get("value", ""), result)
            elif "fieldRef" in source:
                value = self.field(source["fieldRef"]["fieldPath"])
            elif "secretKeyRef" in source:
                reference = source["secretKeyRef"]
                secret = self.needed("secrets", reference["name"], reference.get("optional"))
                if secret is None:
                    continue
                value = base64.b64decode(secret["data"][reference["key"]]).decode()
            else:
                raise ValueError(f"a variable from {source} is not known here")
            result[variable["name"]] = value
        return result

    @staticmethod
    def expanded(text, variables):
        return re.sub(r"\$\((\w+)\)", lambda found: variables.get(found[1], found[0]), text)

    def write_mounts(self, container):
        volumes = {volume["name"]: self.volume(volume) for volume in self.found["spec"]["volumes"]}
        lines = []
        for mount in container["volumeMounts"]:
            source = volumes[mount["name"]]
            if "subPath" in mount:
                source += "/" + mount["subPath"]
            lines.append(f"{source} {mount['mountPath']} {'ro' if mount.get('readOnly') else 'rw'}\n")
        # What is mounted below another directory comes later.
        with open(f"{self.directory}/mounts", "w") as file:
            file.writelines(sorted(lines, key=lambda line: line.split()[1]))

    def volume(self, volume):
        """The directory that has what the volume should have."""
        directory = f"{self.directory}/volumes/{volume['name']}"
        group = self.found["spec"]["securityContext"]["fsGroup"]
        if "persistentVolumeClaim" in volume:
            claim = self.needed("persistentvolumeclaims", volume["persistentVolumeClaim"]["claimName"])
            if not claim["spec"].get("volumeName"):
                raise NotYet(f"volume of {claim['metadata']['name']}")
            stored = self.kube.get(path("persistentvolumes", name=claim["spec"]["volumeName"]))
            directory = stored["spec"]["hostPath"]["path"]
            os.chown(directory, 0, group)
            os.chmod(directory, 0o2775)
            return directory
        if "emptyDir" in volume:
            os.makedirs(directory, exist_ok=True)
            os.chown(directory, 0, group)
            os.chmod(directory, 0o2777)
            return directory
        # Written anew for each container.
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        os.chown(directory, 0, group)
        for name, content, mode in self.files(volume):
            file = f"{directory}/{name}"
            with open(file, "wb") as target:
                target.write(content)
            os.chown(file, 0, group)
            # With fsGroup the kubelet lets the group read.
            os.chmod(file, mode | 0o040)
        return directory

    def files(self, volume):
        if "configMap" in volume:
            source = volume["configMap"]
            return self.keys("configmaps", source["name"], source.get("items"), source.get("defaultMode", 0o644))
        if "secret" in volume:
            source = volume["secret"]
            return self.keys("secrets", source["secretName"], source.get("items"), source.get("defaultMode", 0o644))
        if "projected" in volume:
            return [each for source in volume["projected"]["sources"] for each in self.projected(source)]
        raise ValueError(f"a volume of this kind is not known here: {volume}")

    def keys(self, plural, name, items, mode):
        found = self.needed(plural, name)
        data = found.get("data", {})
        items = items or [{"key": key, "path": key} for key in data]
        result = []
        for item in items:
            text = data[item["key"]]
            content = base64.b64decode(text) if plural == "secrets" else text.encode()
            result.append((item["path"], content, item.get("mode", mode)))
        return result

    def projected(self, source):
        if "serviceAccountToken" in source:
            account = self.found["spec"]["serviceAccountName"]
            bound = {"apiVersion": "v1", "kind": "Pod", "name": self.name, "uid": self.uid}
            spec = {"expirationSeconds": source["serviceAccountToken"]["expirationSeconds"], "boundObjectRef": bound}
            asked = path("serviceaccounts", self.namespace, account) + "/token"
            token = self.kube.create(asked, {"spec": spec})["status"]["token"]
            return [(source["serviceAccountToken"]["path"], token.encode(), 0o600)]
        if "configMap" in source:
            return self.keys("configmaps", source["configMap"]["name"], source["configMap"].get("items"), 0o644)
        items = source["downwardAPI"]["items"]
        return [(item["path"], self.field(item["fieldRef"]["fieldPath"]).encode(), 0o644) for item in items]

    # ---- Its life

    def live(self):
        try:
            self.prepare()
            while not self.is_deleted():
                try:
                    self.container = Container(self, self.found["spec"]["containers"][0])
                    break
                except NotYet as missing:
                    say(f"{self.name}: waits for {missing}")
                    time.sleep(0.5)
            if self.container and self.serve():
                return  # A pod that has done its work stays until somebody deletes it.
            self.is_stopping = True
            if self.container:
                self.stop_and_tell()
            say(f"{self.name}: ends")
            self.kube.delete(self.where(), {"gracePeriodSeconds": 0, "preconditions": {"uid": self.uid}})
        except Exception as e:
            say(f"{self.name}: {type(e).__name__}: {e}")
            print(f"the pod {self.name} is lost: {type(e).__name__}: {e}", file=sys.stderr, flush=True)
            raise
        finally:
            subprocess.run(["ip", "netns", "delete", self.network])

    def is_deleted(self):
        return "deletionTimestamp" in self.found["metadata"]

    def serve(self):
        """Until the pod is deleted. Returns True if it has done its work before that."""
        self.begin()
        while not self.is_deleted():
            self.tell()
            container = self.container
            if container.has_ended.is_set():
                code = container.process.returncode
                say(f"{self.name}: the container has ended: {code}")
                policy = self.found["spec"]["restartPolicy"]
                if policy != "Always" and code == 0:
                    self.tell("Succeeded")
                    return True
                self.again()
            elif container.must_restart is not None:
                container.stop(container.must_restart)
                self.again()
            time.sleep(0.2)
        return False

    def begin(self):
        say(f"{self.name}: a container has started")
        self.tell()
        if self.container.hook("postStart", 600):
            self.container.start_probes()
        else:
            self.container.must_restart = self.grace()

    def again(self):
        self.restarts += 1
        self.container.is_ready = self.container.is_started = False
        self.tell()
        if self.restarts > 1:
            time.sleep(min(10 * 2 ** (self.restarts - 2), 60))
        if not self.is_deleted():
            self.container = Container(self, self.found["spec"]["containers"][0])
            self.begin()

    def stop_and_tell(self):
        container = self.container
        is_over = threading.Event()

        def tell():
            while not is_over.wait(0.2):
                self.tell()

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        grace = self.found["metadata"].get("deletionGracePeriodSeconds", 30)
        if grace:
            container.stop(grace)
        else:
            container.signal(signal.SIGKILL)
            container.has_ended.wait(30)
        is_over.set()
        teller.join()

    def tell(self, phase="Running"):
        """The status, if it is not the one that was told before."""
        container = self.container
        runs = not container.has_ended.is_set()
        is_ready = runs and container.is_ready
        seen = (id(container), runs, is_ready, container.is_started, self.restarts, phase)
        if seen == self.last_status:
            return
        state = {"running": {"startedAt": container.since}, "terminated": None}
        if not runs:
            code = container.process.returncode
            ended = {"exitCode": code if code >= 0 else 128 - code, "finishedAt": now(), "reason": "Completed"}
            state = {"running": None, "terminated": ended}

        def condition(kind, holds):
            return {"type": kind, "status": "True" if holds else "False", "lastTransitionTime": now()}

        scheduled = [each for each in self.found["status"].get("conditions", []) if each["type"] == "PodScheduled"]
        status = {
            "phase": phase,
            "podIP": self.address,
            "podIPs": [{"ip": self.address}],
            "hostIP": BRIDGE,
            "startTime": container.since,
            "conditions": [
                *scheduled,
                condition("Initialized", True),
                condition("ContainersReady", is_ready),
                condition("Ready", is_ready),
            ],
            "containerStatuses": [
                {
                    "name": container.spec["name"],
                    "image": container.spec["image"],
                    "imageID": "none",
                    "ready": is_ready,
                    "started": container.is_started,
                    "restartCount": self.restarts,
                    "state": state,
                }
            ],
        }
        try:
            self.kube.merge(self.where() + "/status", {"status": status})
            self.last_status = seen
        except ApiError as e:
            if e.status not in (404, 409):
                raise


class Kubelet:
    """Makes nodes, and runs what the scheduler puts on them."""

    def __init__(self, nodes):
        self.kube = Kube()
        self.nodes = nodes
        self.pods = {}
        self.count = 0
        os.makedirs("/run/netns", exist_ok=True)
        for node in nodes:
            self.make_ready(node)
        threading.Thread(target=self.renew, daemon=True).start()
        threading.Thread(target=self.follow, daemon=True).start()

    def make_ready(self, node):
        resources = {"cpu": "8", "memory": "16Gi", "pods": "20"}
        condition = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "plays a kubelet"}
        condition.update(lastHeartbeatTime=now(), lastTransitionTime=now())
        status = {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [condition],
            "addresses": [{"type": "InternalIP", "address": BRIDGE}],
        }
        self.kube.merge(path("nodes", name=node) + "/status", {"status": status})
        lease = {"holderIdentity": node, "leaseDurationSeconds": 40, "renewTime": self.micro()}
        where = path("leases", "kube-node-lease", group="coordination.k8s.io")
        self.kube.create(where, {"metadata": {"name": node}, "spec": lease})

    @staticmethod
    def micro():
        return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def renew(self):
        while True:
            time.sleep(8)
            for node in self.nodes:
                where = path("leases", "kube-node-lease", node, "coordination.k8s.io")
                try:
                    self.kube.merge(where, {"spec": {"renewTime": self.micro()}})
                except (ApiError, OSError) as e:
                    say(f"lease of {node}: {e}")

    def follow(self):
        while True:
            try:
                self.look()
            except (ApiError, OSError) as e:
                say(f"pods: {e}")
            time.sleep(0.3)

    def look(self):
        for found in self.kube.items(path("pods")):
            if found["spec"].get("nodeName") not in self.nodes:
                continue
            uid = found["metadata"]["uid"]
            if uid in self.pods:
                self.pods[uid].found = found
            elif found["status"].get("phase") == "Pending":
                self.count += 1
                self.pods[uid] = Pod(self, found, self.count)

    def pod(self, name):
        """The newest one with this name."""
        return [pod for pod in self.pods.values() if pod.name == name][-1]

    def execute(self, name, *command, seconds=120):
        done = self.pod(name).container.execute(list(command), seconds)
        return done.stdout if done is not None and done.returncode == 0 else None


class ServiceProxy:
    """Passes connections to the address of a Service on to a pod that is ready, as kube-proxy does."""

    def __init__(self, kube, namespace, service):
        self.kube = kube
        self.namespace = namespace
        self.service = service
        spec = kube.get(path("services", namespace, service))["spec"]
        self.address = spec["clusterIP"]
        run("ip", "address", "add", f"{self.address}/32", "dev", "pods")
        for port in spec["ports"]:
            server = socket.create_server((self.address, port["port"]), backlog=128)
            threading.Thread(target=self.accept, args=(server, port["name"]), daemon=True).start()

    def targets(self, name):
        where = path("endpointslices", self.namespace, group="discovery.k8s.io")
        slices = self.kube.items(f"{where}?labelSelector=kubernetes.io/service-name={self.service}")
        return [
            (endpoint["addresses"][0], port["port"])
            for each in slices
            for port in each.get("ports") or []
            if port["name"] == name
            for endpoint in each["endpoints"] or []
            if endpoint["conditions"]["ready"]
        ]

    def accept(self, server, name):
        while True:
            client, _ = server.accept()
            threading.Thread(target=self.connect, args=(client, name), daemon=True).start()

    def connect(self, client, name):
        try:
            broker = socket.create_connection(random.choice(self.targets(name)), timeout=5)
            broker.settimeout(None)
        except (OSError, IndexError, ApiError):
            client.close()
            return
        for source, target in (client, broker), (broker, client):
            threading.Thread(target=self.pump, args=(source, target), daemon=True).start()

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for each in source, target:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
