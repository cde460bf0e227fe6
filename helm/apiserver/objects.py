"""Installs the chart on the API server, with controllers, and checks what becomes of its objects. kwok plays the
kubelet here: it says that pods are ready, and starts nothing.

    objects.py          in the directory "helm"
    objects.py kinds    only creates the kinds that operators bring, such as PodMonitor
"""
import glob
import os
import sys
import time

from kube import (
    Checks,
    Kube,
    PodWatch,
    create_class,
    create_namespace,
    create_node,
    create_secret,
    decoded,
    helm,
    is_ready,
    path,
    zonal_provisioner,
)
from trial import FOUNDED, LABELS, NAME, Pods, uids

NS = "mqtt"
ID = "0123abcd-0000-4000-8000-000000000001"
# Like the case "trial", with three pods and what the chart creates by itself: the zone and the tokens.
VALUES = ["--set", "auth.allowAll=true,cluster.tls.plain=true,persistence.size=1Gi,antiAffinity=required"]

kube = Kube()
checks = Checks()
trial = Pods(kube, NS)
ready = trial.ready


def claims():
    found = kube.items(path("persistentvolumeclaims", NS) + "?labelSelector=" + LABELS)
    return {claim["metadata"]["name"]: claim for claim in found}


def budget():
    return kube.get(path("poddisruptionbudgets", NS, NAME, "policy"))["status"]


def node_of(pod):
    return pod["spec"]["nodeName"]


def zone_of(pod):
    return kube.get(path("nodes", name=node_of(pod)))["metadata"]["labels"]["topology.kubernetes.io/zone"]


def custom_resource(group, kind, plural, spec):
    """What an operator would install, with only the fields that the chart sets."""
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": spec}},
    }
    kube.create(
        path("customresourcedefinitions", group="apiextensions.k8s.io"),
        {
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
            },
        },
    )


def map_of(**properties):
    return {"type": "object", "properties": properties}


def list_of(items):
    return {"type": "array", "items": items}


STRING = {"type": "string"}
STRINGS = {"type": "object", "additionalProperties": STRING}


def create_custom_resources():
    certificate = {
        "secretName": STRING,
        "issuerRef": map_of(kind=STRING, name=STRING),
        "dnsNames": list_of(STRING),
        "privateKey": map_of(algorithm=STRING, size={"type": "integer"}, encoding=STRING, rotationPolicy=STRING),
        "usages": list_of(STRING),
    }
    custom_resource("cert-manager.io", "Certificate", "certificates", certificate)
    key = map_of(name=STRING, key=STRING)
    endpoint = map_of(
        port=STRING,
        path=STRING,
        interval=STRING,
        scheme={"enum": ["http", "https"], "type": "string"},
        authorization=map_of(credentials=key),
        tlsConfig=map_of(serverName=STRING, ca=map_of(secret=key)),
    )
    monitor = {"selector": map_of(matchLabels=STRINGS), "podMetricsEndpoints": list_of(endpoint)}
    custom_resource("monitoring.coreos.com", "PodMonitor", "podmonitors", monitor)
    rule = map_of(**{"alert": STRING, "record": STRING, "expr": STRING, "for": STRING})
    rule["properties"].update(labels=STRINGS, annotations=STRINGS)
    rules = {"groups": list_of(map_of(name=STRING, interval=STRING, rules=list_of(rule)))}
    custom_resource("monitoring.coreos.com", "PrometheusRule", "prometheusrules", rules)
    for group in "cert-manager.io", "monitoring.coreos.com":
        checks.eventually(f"the server serves {group}", lambda: kube.find(f"/openapi/v3/apis/{group}/v1"))


def start_cluster():
    create_class(kube, "standard", True)
    create_class(kube, "fast", False)
    kube.create(
        path("priorityclasses", group="scheduling.k8s.io"), {"metadata": {"name": "high"}, "value": 1000}
    )
    zonal_provisioner(kube)
    fake = {"kwok.x-k8s.io/node": "fake"}
    for number, zone in enumerate(["zone-a", "zone-b", "zone-c", "zone-a", "zone-b"], 1):
        create_node(kube, f"fake-{number}", zone, {"pool": "messaging"}, fake)
    create_namespace(kube, NS)
    nodes = path("nodes")

    def are_ready():
        found = kube.items(nodes)
        return len(found) == 5 and all(is_ready(node) and not node["spec"].get("taints") for node in found)

    checks.eventually("kwok makes the nodes ready", are_ready)


# ---- Who may do what


def account(name, namespace=NS):
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]
    return f"system:serviceaccount:{namespace}:{name}", groups


def may(name, verb, resource, which="", group="", namespace=NS):
    """What "kubectl auth can-i" asks."""
    user, groups = account(name)
    attributes = {"verb": verb, "resource": resource, "name": which, "group": group, "namespace": namespace}
    spec = {"user": user, "groups": groups, "resourceAttributes": attributes}
    review = kube.create(path("subjectaccessreviews", group="authorization.k8s.io"), {"spec": spec})
    return review["status"]["allowed"]


def rules(name):
    """All rules of an account in its namespace, as texts, except those that every account has."""

    def ask(which):
        user, groups = account(which)
        headers = [("Impersonate-User", user)]
        # urllib sends one header of a name, and the groups that matter here are in one.
        headers.append(("Impersonate-Group", "system:authenticated"))
        review = kube.call(
            "POST",
            path("selfsubjectrulesreviews", group="authorization.k8s.io"),
            {"spec": {"namespace": NS}},
            headers=headers,
        )
        return {
            " ".join(
                ",".join(rule.get(key, [])) or "-" for key in ("verbs", "apiGroups", "resources", "resourceNames")
            )
            for rule in review["status"]["resourceRules"]
        }

    return sorted(ask(name) - ask("default"))


def token_of(name):
    request = {"spec": {"expirationSeconds": 3600}}
    return kube.create(path("serviceaccounts", NS, name) + "/token", request)["status"]["token"]


def check_accounts_before():
    job, pod = f"{NAME}-founded", NAME
    expected = ["create - secrets -", f"get - secrets {FOUNDED}"]
    checks.same("the Job may do this before the founding", rules(job), expected)
    checks.same("a pod may do this", rules(pod), ["get - nodes -", f"get apps statefulsets {NAME}"])
    yes = [
        (job, "create", "secrets"),
        (job, "get", "secrets", FOUNDED),
        (pod, "get", "statefulsets", NAME, "apps"),
        (pod, "get", "nodes", "fake-1", "", ""),
    ]
    no = [
        (job, "get", "secrets", f"{NAME}-api"),
        (job, "list", "secrets"),
        (job, "update", "secrets", FOUNDED),
        (job, "delete", "secrets", FOUNDED),
        (job, "create", "secrets", "", "", "default"),
        (job, "create", "pods"),
        (job, "get", "statefulsets", NAME, "apps"),
        (pod, "get", "statefulsets", "another", "apps"),
        (pod, "update", "statefulsets", NAME, "apps"),
        (pod, "get", "secrets", FOUNDED),
        (pod, "create", "secrets"),
        (pod, "list", "nodes", "", "", ""),
        (pod, "update", "nodes", "fake-1", "", ""),
        ("default", "get", "secrets", FOUNDED),
    ]
    for each in yes:
        checks.check(f"can-i {' '.join(each)}", may(*each))
    for each in no:
        checks.check(f"can-i {' '.join(each)}: no", not may(*each))


def found_cluster():
    """Does what the Job does, with a token of the Job: kwok starts no program."""
    job = Kube(token_of(f"{NAME}-founded"))
    secret = {"metadata": {"name": FOUNDED}, "stringData": {"cluster-id": ID}, "immutable": True}
    checks.check("the Secret is not there at first", job.find(path("secrets", NS, FOUNDED)) is None)
    job.create(path("secrets", NS), secret)
    checks.same("the Secret of the Job", decoded(job.get(path("secrets", NS, FOUNDED)), "cluster-id"), ID)
    checks.refused("the Job reads another Secret", 403, lambda: job.get(path("secrets", NS, f"{NAME}-api")))


def check_accounts_after():
    job = f"{NAME}-founded"
    checks.same("the Job may do this after the founding", rules(job), [f"get - secrets {FOUNDED}"])
    checks.check("can-i create secrets, after the founding: no", not may(job, "create", "secrets"))
    holder = Kube(token_of(job))
    secret = {"metadata": {"name": "another"}, "stringData": {"a": "b"}}
    checks.refused("a Secret of the Job, after the founding", 403, lambda: holder.create(path("secrets", NS), secret))


# ---- The objects


def check_services():
    found = {each["metadata"]["name"]: each for each in kube.items(path("services", NS))}
    checks.same("services", sorted(found), [NAME, f"{NAME}-api", f"{NAME}-nodes"])
    checks.same("the service of nodes has no address", found[f"{NAME}-nodes"]["spec"]["clusterIP"], "None")

    def endpoints(service):
        where = path("endpointslices", NS, group="discovery.k8s.io")
        slices = kube.items(f"{where}?labelSelector=kubernetes.io/service-name={service}")
        ports = sorted({(port["name"], port["port"]) for each in slices for port in each.get("ports") or []})
        return ports, [each for one in slices for each in one["endpoints"] or [] if each["conditions"]["ready"]]

    for service, ports in (
        (NAME, [("tcp", 1883)]),
        (f"{NAME}-api", [("api", 8091)]),
        (f"{NAME}-nodes", [("cluster", 8899), ("rpc", 8900)]),
    ):
        checks.eventually(
            f"the service {service} has three pods with the ports {ports}",
            lambda: endpoints(service)[0] == ports and len(endpoints(service)[1]) == 3,
        )
    names = sorted(each.get("hostname", "") for each in endpoints(f"{NAME}-nodes")[1])
    checks.same("names of the pods in DNS", names, [f"{NAME}-{i}" for i in range(3)])


def selects(selector, labels):
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())


def check_network_policy():
    policy = kube.get(path("networkpolicies", NS, NAME, "networking.k8s.io"))["spec"]
    everyone = kube.items(path("pods", NS))
    chosen = [pod for pod in everyone if selects(policy["podSelector"], pod["metadata"]["labels"])]
    checks.same(
        "the NetworkPolicy is for these pods",
        sorted(pod["metadata"]["name"] for pod in chosen),
        [f"{NAME}-{i}" for i in range(3)],
    )
    ports = {port["name"]: port["containerPort"] for port in chosen[0]["spec"]["containers"][0]["ports"]}
    named = {port["port"] for rule in policy["ingress"] for port in rule["ports"]}
    checks.same("ports of the NetworkPolicy that pods have", named, set(ports))
    # Which rules let whom in: the pods of brokers and of the Job, and others of the namespace.
    job = next(pod for pod in everyone if pod["metadata"]["labels"]["app.kubernetes.io/name"] == "godwit-founded")

    def allowed(labels):
        return sorted(
            port["port"]
            for rule in policy["ingress"]
            for port in rule["ports"]
            if "from" not in rule or any(selects(each["podSelector"], labels) for each in rule["from"])
        )

    broker = allowed(chosen[0]["metadata"]["labels"])
    checks.same("a broker reaches", sorted(set(broker)), ["api", "cluster", "rpc", "tcp"])
    checks.same("the Job reaches", allowed(job["metadata"]["labels"]), ["api", "rpc", "tcp"])
    checks.same("another pod of the namespace reaches", allowed({"app": "other"}), ["api", "tcp"])


def check_budget():
    def status(**expected):
        seen = budget()
        return all(seen.get(key) == value for key, value in expected.items())

    checks.eventually(
        "the budget allows one disruption",
        lambda: status(expectedPods=3, desiredHealthy=2, currentHealthy=3, disruptionsAllowed=1),
    )
    before = uids(ready(3))

    def evict(name):
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": NS}}
        kube.create(path("pods", NS, name) + "/eviction", body)

    evict(f"{NAME}-0")
    checks.refused("the eviction of a second pod", 429, lambda: evict(f"{NAME}-1"))
    checks.eventually("the evicted pod comes back", lambda: ready(3) and ready(3)[f"{NAME}-0"])
    after = uids(ready(3))
    changed = sorted(name for name in after if after[name] != before[name])
    checks.same("pods that were evicted", changed, [f"{NAME}-0"])
    checks.eventually("the budget allows another disruption", lambda: status(disruptionsAllowed=1))


def check_claims(count):
    found = claims()
    checks.same("claims", sorted(found), [f"data-{NAME}-{i}" for i in range(count)])
    checks.same("claims are bound", {each["status"]["phase"] for each in found.values()}, {"Bound"})
    return {name: (claim["metadata"]["uid"], claim["spec"]["volumeName"]) for name, claim in found.items()}


def check_spread(found, zones):
    count = len(found)
    checks.same("pods are on different machines", len({node_of(pod) for pod in found.values()}), count)
    seen = [zone_of(pod) for pod in found.values()]
    checks.same("zones of the pods", sorted(seen.count(zone) for zone in set(seen)), zones)


def check_job():
    def is_complete():
        jobs = kube.items(path("jobs", NS, group="batch"))
        return len(jobs) == 1 and jobs[0]["status"].get("succeeded") == 1

    checks.eventually("the Job is created, runs and ends", is_complete)


def install():
    refused = helm("install", "early", "godwit", "-n", NS, "-f", "cases/production.yaml", fails=True)
    checks.check("helm refuses kinds that the server does not know", "no matches for kind" in refused, refused)
    create_custom_resources()
    checks.title("installs three pods")
    helm("install", "trial", "godwit", "-n", NS, "--wait", "--timeout", "2m", *VALUES)
    found = checks.eventually("three pods are ready", lambda: ready(3))
    checks.eventually("the StatefulSet is rolled out", trial.are_rolled_out)
    return found


def scale():
    checks.title("scales from 3 to 5, to 3, and to 5 again")
    before = uids(ready(3))
    kept = check_claims(3)
    helm("upgrade", "trial", "godwit", "-n", NS, *VALUES, "--set", "replicas=5")
    found = checks.eventually("five pods are ready", lambda: ready(5)) or {}
    check_spread(found, [1, 2, 2])
    after = uids(found)
    checks.same("pods that run stay as they are", {name: after.get(name) for name in before}, before)
    all_claims = check_claims(5)
    checks.same("their claims stay", {name: all_claims[name] for name in kept}, kept)
    seeds = kube.get(path("configmaps", NS, f"{NAME}-pods"))["data"]["seeds"].split(",")
    checks.same("seeds", len(seeds), 5)

    watch = PodWatch(kube, NS, LABELS)
    helm("upgrade", "trial", "godwit", "-n", NS, *VALUES)
    found = checks.eventually("three pods are left", lambda: ready(3)) or {}
    watch.stop()
    checks.same("pods that stay are as they were", uids(found), before)
    checks.same("these pods were deleted", sorted(watch.deleted), [f"{NAME}-3", f"{NAME}-4"])
    checks.same("the claims of the other two are kept", check_claims(5), all_claims)

    kube.merge(path("statefulsets", NS, NAME, "apps") + "/scale", {"spec": {"replicas": 5}})
    checks.eventually("five pods are ready again", lambda: ready(5))
    checks.same("on their old claims", check_claims(5), all_claims)
    kube.merge(path("statefulsets", NS, NAME, "apps") + "/scale", {"spec": {"replicas": 3}})
    checks.eventually("three pods are left again", lambda: ready(3))


def upgrade():
    checks.title("upgrades, which rolls the pods")
    before = uids(ready(3))
    kept = check_claims(5)
    places = {name: zone_of(pod) for name, pod in ready(3).items()}
    watch = PodWatch(kube, NS, LABELS)
    helm("upgrade", "trial", "godwit", "-n", NS, *VALUES, "--set-string", "podAnnotations.round=2")
    checks.eventually("the upgrade is rolled out", trial.are_rolled_out, 180)
    watch.stop()
    found = ready(3) or {}
    checks.check("all pods are new", not set(uids(found).values()) & set(before.values()))
    checks.same("pods were replaced in this order", watch.deleted, [f"{NAME}-{i}" for i in (2, 1, 0)])
    checks.same("the fewest pods that were ready at any time", watch.least, 2)
    checks.same("the claims are as before", check_claims(5), kept)
    checks.same("each pod is in the zone of its volume", {name: zone_of(pod) for name, pod in found.items()}, places)

    checks.title("an upgrade without changes, and one of a Service, replace no pod")
    before = uids(found)
    helm("upgrade", "trial", "godwit", "-n", NS, *VALUES, "--set-string", "podAnnotations.round=2")
    helm(
        *("upgrade", "trial", "godwit", "-n", NS, *VALUES, "--set-string", "podAnnotations.round=2"),
        *("--set", "services[0].name=,services[0].listeners={tcp},services[0].type=LoadBalancer"),
    )
    time.sleep(3)
    checks.same("no pod was replaced", uids(ready(3) or {}), before)


def lose_pod():
    checks.title("deletes a pod, and enlarges a volume")
    before = ready(3)
    kept = check_claims(5)
    watch = PodWatch(kube, NS, LABELS)
    kube.delete(path("pods", NS, f"{NAME}-1"))
    checks.eventually(
        "the deleted pod comes back", lambda: ready(3) and uids(ready(3))[f"{NAME}-1"] != uids(before)[f"{NAME}-1"]
    )
    watch.stop()
    checks.same("the fewest pods that were ready at any time", watch.least, 2)
    checks.same("on the same claim", check_claims(5), kept)
    checks.same("in the same zone", zone_of(ready(3)[f"{NAME}-1"]), zone_of(before[f"{NAME}-1"]))

    before = uids(ready(3))
    larger = [value.replace("size=1Gi", "size=2Gi") for value in VALUES]
    options = ["upgrade", "trial", "godwit", "-n", NS, *larger, "--set-string", "podAnnotations.round=2"]
    refused = helm(*options, fails=True)
    checks.check("a larger volume is refused", "volumeClaimTemplates" in refused, refused)
    for name in claims():
        kube.merge(
            path("persistentvolumeclaims", NS, name), {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
        )
    kube.delete(path("statefulsets", NS, NAME, "apps"), {"propagationPolicy": "Orphan"})
    checks.eventually("the StatefulSet is gone", lambda: not kube.find(path("statefulsets", NS, NAME, "apps")))
    helm(*options)
    checks.eventually("the new StatefulSet has adopted the pods", trial.are_rolled_out)
    checks.same("which are as they were", uids(ready(3) or {}), before)


def uninstall():
    checks.title("uninstalls, and installs anew")
    kept = check_claims(5)
    helm("uninstall", "trial", "-n", NS, "--wait")
    left = []
    for group, plurals in (
        ("", ["pods", "services", "configmaps", "secrets", "serviceaccounts"]),
        ("apps", ["statefulsets"]),
        ("batch", ["jobs"]),
        ("policy", ["poddisruptionbudgets"]),
        ("networking.k8s.io", ["networkpolicies"]),
        ("rbac.authorization.k8s.io", ["roles", "rolebindings"]),
    ):
        for plural in plurals:
            where = path(plural, NS, group=group) + "?labelSelector=app.kubernetes.io/instance=trial"
            checks.eventually(f"no {plural} are left", lambda: kube.items(where) == [])
    for plural in "clusterroles", "clusterrolebindings":
        where = path(plural, group="rbac.authorization.k8s.io")
        names = [each["metadata"]["name"] for each in kube.items(where)]
        left += [name for name in names if NAME in name]
    checks.same("roles of the cluster that are left", left, [])
    checks.same("claims are kept", check_claims(5), kept)
    checks.same("the Secret of the founding is kept", decoded(kube.get(path("secrets", NS, FOUNDED)), "cluster-id"), ID)

    helm("install", "trial", "godwit", "-n", NS, *VALUES)
    found = checks.eventually("three pods are ready", lambda: ready(3)) or {}
    checks.same("on the claims of before", check_claims(5), kept)
    checks.same("the Job may not create Secrets from the start", rules(f"{NAME}-founded"), [f"get - secrets {FOUNDED}"])
    fields = {each["name"]: each.get("valueFrom") for each in found[f"{NAME}-0"]["spec"]["containers"][0]["env"]}
    checks.same("where a pod learns that it may not found", fields["CHART_CLUSTER_ID"]["secretKeyRef"]["name"], FOUNDED)
    helm("uninstall", "trial", "-n", NS, "--wait")


def cases():
    """Every case of the chart, each in a namespace of its own."""
    secrets = {
        "users": {"passwd": "-", "acl": "-"},
        "tokens": {"tokens": "-", "metrics-token": "-"},
        "nodes": {"tls.crt": "-", "tls.key": "-", "ca.crt": "-"},
        "public": {"tls.crt": "-", "tls.key": "-", "ca.crt": "-"},
        "directory": {"password": "-"},
    }
    for file in sorted(glob.glob("cases/*.yaml")):
        case = os.path.basename(file).removesuffix(".yaml")
        checks.title(f"installs the case {case}")
        create_namespace(kube, case)
        for name, data in secrets.items():
            create_secret(kube, case, name, **data)
        # What users add to the chart has no security context here.
        if case == "plugins":
            none = {f"pod-security.kubernetes.io/{mode}": None for mode in ("enforce", "warn")}
            kube.merge(path("namespaces", name=case), {"metadata": {"labels": none}})
        if case == "jars":
            claim = {"accessModes": ["ReadOnlyMany"], "resources": {"requests": {"storage": "1Gi"}}}
            kube.create(path("persistentvolumeclaims", case), {"metadata": {"name": "jars"}, "spec": claim})
        more = ["--set", "metrics.rules.enabled=true,metrics.dashboard.enabled=true"] if case == "production" else []
        said = helm("install", "it", "godwit", "-n", case, "-f", file, *more)
        checks.check(f"{case}: no warnings", "warning" not in said.lower(), said)
        # Those of the StatefulSet have a label that the pod of the Job lacks.
        where = path("statefulsets", case, group="apps")
        found = kube.items(where)[0]
        selector = ",".join(f"{key}={value}" for key, value in found["spec"]["selector"]["matchLabels"].items())
        wanted = found["spec"]["replicas"]
        its = Pods(kube, case, selector)
        pods_ready = checks.eventually(f"{case}: {wanted} pods are ready", lambda: its.ready(wanted)) or {}
        if case == "production":
            check_spread(pods_ready, [1, 1, 1])
            for group, plural, count in (
                ("cert-manager.io", "certificates", 2),
                ("monitoring.coreos.com", "podmonitors", 1),
                ("monitoring.coreos.com", "prometheusrules", 1),
            ):
                checks.same(f"{case}: {plural}", len(kube.items(path(plural, case, group=group))), count)
            priorities = {pod["spec"]["priority"] for pod in pods_ready.values()}
            checks.same("pods have the priority of their class", priorities, {1000})
            checks.check("the public service has a port of the machines", any(
                port.get("nodePort")
                for each in kube.items(path("services", case))
                if each["spec"]["type"] == "LoadBalancer"
                for port in each["spec"]["ports"]
            ))
        helm("uninstall", "it", "-n", case)


def main():
    start_cluster()
    found = install()
    if found:
        check_spread(found, [1, 1, 1])
        check_services()
        check_job()
        check_network_policy()
        check_claims(3)
        checks.title("asks who may do what")
        check_accounts_before()
        found_cluster()
        tokens = kube.get(path("secrets", NS, f"{NAME}-api"))["data"]
        helm("upgrade", "trial", "godwit", "-n", NS, *VALUES)
        check_accounts_after()
        # Helm installs what it rendered then; docs/kubernetes.md says so.
        helm("rollback", "trial", "1", "-n", NS)
        checks.check("a rollback to before the founding brings it back", may(f"{NAME}-founded", "create", "secrets"))
        helm("upgrade", "trial", "godwit", "-n", NS, *VALUES)
        checks.check("the next upgrade takes it away again", not may(f"{NAME}-founded", "create", "secrets"))
        checks.same("an upgrade keeps the tokens", kube.get(path("secrets", NS, f"{NAME}-api"))["data"], tokens)
        checks.title("evicts pods")
        check_budget()
        scale()
        upgrade()
        lose_pod()
        uninstall()
    cases()
    checks.end()


if sys.argv[1:] == ["kinds"]:
    create_custom_resources()
else:
    main()
