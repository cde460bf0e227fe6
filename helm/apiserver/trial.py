"""The release "trial" of the chart, which brokers.py and objects.py install, and its pods on the API server."""
from kube import is_ready, path

NAME = "trial-godwit"
FOUNDED = f"{NAME}-cluster"
LABELS = "app.kubernetes.io/name=godwit,app.kubernetes.io/instance=trial"


class Pods:
    """The pods of a release; by default, those of "trial"."""

    def __init__(self, kube, namespace, selector=LABELS):
        self.kube = kube
        self.namespace = namespace
        self.selector = selector

    def ready(self, count):
        """The pods by name, if there are so many and all are ready; else nothing."""
        found = self.kube.items(path("pods", self.namespace) + "?labelSelector=" + self.selector)
        if len(found) != count or not all(map(is_ready, found)):
            return None
        return {pod["metadata"]["name"]: pod for pod in found}

    def are_rolled_out(self):
        """Whether all pods of "trial" are ready and as the StatefulSet wants them."""
        found = self.kube.get(path("statefulsets", self.namespace, NAME, "apps"))
        status = found["status"]
        return (
            status.get("observedGeneration") == found["metadata"]["generation"]
            and status.get("updateRevision") == status.get("currentRevision")
            and status.get("updatedReplicas", status["replicas"]) == status["replicas"]
            and status.get("availableReplicas") == found["spec"]["replicas"]
            and self.ready(found["spec"]["replicas"])
        )


def uids(found):
    """The ids of pods by their names; none if there are no pods."""
    return {name: pod["metadata"]["uid"] for name, pod in (found or {}).items()}
