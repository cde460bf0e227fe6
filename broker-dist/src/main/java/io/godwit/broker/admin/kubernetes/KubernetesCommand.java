package io.godwit.broker.admin.kubernetes;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Printable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The calls of the Helm chart's scripts in a pod. The scripts read the output. */
@Command(
        name = "kubernetes",
        description = {
            "For the pods of the Helm chart: asks the API server of Kubernetes, as the service account of the pod."
        })
public final class KubernetesCommand implements Runnable {
    private static final String CORE = "/api/v1";
    private static final String APPS = "/apis/apps/v1";
    private static final String ZONE_LABEL = "topology.kubernetes.io/zone";
    private static final String ID_KEY = "cluster-id";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern POD = Pattern.compile("(.+)-([0-9]{1,9})");

    private final Invocation invocation;

    @Option(
            names = "--service-account",
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            defaultValue = "/var/run/secrets/kubernetes.io/serviceaccount",
            description = "token, ca.crt and namespace of the account (default: where Kubernetes puts them)")
    private Path account = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    @Spec
    private @Nullable CommandSpec spec;

    public KubernetesCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    /** Called when there is no subcommand. */
    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "say what to do: zone, note-cluster or leaving");
    }

    private KubernetesApi api() throws AdminException {
        return KubernetesApi.of(invocation, account);
    }

    @Command(name = "zone", description = "Prints the zone of a node of Kubernetes: its label " + ZONE_LABEL + ".")
    int zone(@Parameters(paramLabel = "NODE", description = "spec.nodeName of the pod") String node)
            throws AdminException {
        String zone = text(api().node(node), "metadata", "labels", ZONE_LABEL);
        if (zone.isEmpty()) {
            invocation.err().println("godwit-admin: the node " + Printable.of(node) + " has no label " + ZONE_LABEL);
        }
        invocation.out().println(Printable.of(zone));
        return 0;
    }

    @Command(
            name = "note-cluster",
            description = {
                "Notes in a Secret that the cluster has been founded. While it is there no pod founds another.",
                "Refused when the Secret has another id: two clusters were founded."
            })
    int noteCluster(
            @Parameters(paramLabel = "CLUSTER_ID", description = "clusterId of \"members --json\"") String id,
            @Option(names = "--secret", required = true, paramLabel = "NAME", description = "of the Secret")
                    String secret)
            throws AdminException {
        if (!ID.matcher(id).matches()) {
            throw new AdminException(Kind.USAGE, "no id of a cluster: " + Printable.of(id));
        }
        KubernetesApi api = api();
        // Asks before it creates: once the Secret exists, the account may have lost the right to create any.
        JsonObject there = api.find(CORE, "secrets", secret);
        if (there == null) {
            if (api.create(CORE, "secrets", secret(secret, id))) {
                invocation.out().println("godwit-admin: the Secret " + secret + " has the cluster " + id);
                return 0;
            }
            there = api.find(CORE, "secrets", secret); // created by another one in between
        }
        String noted = there == null ? "" : decoded(text(there, "data", ID_KEY));
        if (!noted.equals(id)) {
            throw new AdminException(
                    Kind.REFUSED,
                    "the Secret " + secret + " has the cluster " + Printable.of(noted) + ", but this one is " + id
                            + ": were volumes of another installation kept, or the Secret?");
        }
        invocation.out().println("godwit-admin: the Secret " + secret + " has the cluster " + id + " already");
        return 0;
    }

    private static JsonObject secret(String name, String id) {
        JsonObject metadata = new JsonObject();
        metadata.addProperty("name", name);
        JsonObject data = new JsonObject();
        data.addProperty(ID_KEY, id);
        JsonObject secret = new JsonObject();
        secret.addProperty("apiVersion", "v1");
        secret.addProperty("kind", "Secret");
        secret.add("metadata", metadata);
        secret.add("stringData", data);
        secret.addProperty("immutable", true);
        return secret;
    }

    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    @Command(
            name = "leaving",
            description = {
                "Prints \"leaving\" when the StatefulSet wants fewer pods than this one needs, so that the pod does",
                "not come back; else \"staying\", also when the StatefulSet is deleted, or wants no pod at all: the",
                "whole cluster stops then, and nobody is left who could take anything over."
            })
    int leaving(
            @Parameters(index = "0", paramLabel = "STATEFUL_SET", description = "its name") String set,
            @Parameters(index = "1", paramLabel = "POD", description = "the name of the pod") String pod)
            throws AdminException {
        Matcher ordinal = POD.matcher(pod);
        if (!ordinal.matches() || !ordinal.group(1).equals(set)) {
            throw new AdminException(Kind.USAGE, Printable.of(pod) + " is no pod of " + Printable.of(set));
        }
        JsonObject found = api().find(APPS, "statefulsets", set);
        int wanted = found == null ? 0 : replicas(found);
        boolean isLeaving = found != null
                && text(found, "metadata", "deletionTimestamp").isEmpty()
                && wanted > 0
                && Integer.parseInt(ordinal.group(2)) >= wanted;
        invocation.out().println(isLeaving ? "leaving" : "staying");
        return 0;
    }

    /** The number of replicas that the set wants; 1 if it has none. */
    private static int replicas(JsonObject set) throws AdminException {
        String wanted = text(set, "spec", "replicas");
        try {
            return wanted.isEmpty() ? 1 : Integer.parseInt(wanted);
        } catch (NumberFormatException e) {
            throw new AdminException(
                    Kind.FAILED, "the StatefulSet has no number of replicas: " + Printable.of(wanted), e);
        }
    }

    /** The text or number at this path; empty if there is none. */
    private static String text(JsonObject object, String... path) {
        JsonElement at = object;
        for (String name : path) {
            at = at instanceof JsonObject parent ? parent.get(name) : null;
        }
        return at != null && at.isJsonPrimitive() ? at.getAsString() : "";
    }
}
