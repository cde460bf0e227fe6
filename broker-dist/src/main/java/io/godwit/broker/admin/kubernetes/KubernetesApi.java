package io.godwit.broker.admin.kubernetes;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.http.ApiTarget;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Calls the API server of the cluster that this pod runs in, with the pod's service account. Always by TLS: the token
 * goes only to a server that the account's authority has certified. For a program's only thread.
 */
final class KubernetesApi {
    private static final int MOST_MESSAGE_LETTERS = 1_000;

    private final ApiClient client;
    private final String namespace;

    private KubernetesApi(ApiClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** @param account the directory that Kubernetes gives a pod, with token, ca.crt and namespace */
    static KubernetesApi of(Invocation invocation, Path account) throws AdminException {
        String host = invocation.variable("KUBERNETES_SERVICE_HOST");
        String port = invocation.variable("KUBERNETES_SERVICE_PORT");
        if (host.isEmpty() || port.isEmpty()) {
            throw new AdminException(
                    Kind.USAGE, "this is for a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
        }
        String token = ApiTarget.tokenOf(account.resolve("token"));
        String url = "https://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        ApiTarget target = ApiTarget.at(url, token, account.resolve("ca.crt"), null, null);
        return new KubernetesApi(new ApiClient(target, invocation.timeout()), namespaceOf(account));
    }

    private static String namespaceOf(Path account) throws AdminException {
        Path file = account.resolve("namespace");
        try {
            return Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new AdminException(Kind.USAGE, "the namespace cannot be read: " + e, e);
        }
    }

    /**
     * @param kind in the plural, such as {@code secrets}
     * @return the object; null if there is none
     */
    @Nullable
    JsonObject find(String group, String kind, String name) throws AdminException {
        ApiClient.Answer answer = client.ask("GET", inNamespace(group, kind).part(name), null);
        return answer.status() == 404 ? null : object(answer);
    }

    /** @return false if an object of this name exists already */
    boolean create(String group, String kind, JsonObject object) throws AdminException {
        ApiClient.Answer answer = client.ask("POST", inNamespace(group, kind), object);
        if (answer.status() == 409) {
            return false;
        }
        object(answer);
        return true;
    }

    JsonObject node(String name) throws AdminException {
        return object(client.ask("GET", ApiPath.of("/api/v1/nodes").part(name), null));
    }

    private ApiPath inNamespace(String group, String kind) {
        return ApiPath.of(group + "/namespaces").part(namespace).part(kind);
    }

    private static JsonObject object(ApiClient.Answer answer) throws AdminException {
        if (answer.status() >= 200 && answer.status() < 300 && answer.json() instanceof JsonObject object) {
            return object;
        }
        JsonElement message = answer.json() instanceof JsonObject status && status.get("message") != null
                ? status.get("message")
                : null;
        String said = message != null && message.isJsonPrimitive() ? Printable.of(message.getAsString()) : "no reason";
        throw new AdminException(
                answer.status() == 401 || answer.status() == 403 ? Kind.UNREACHABLE : Kind.FAILED,
                "the API server of Kubernetes has answered " + answer.status() + ": "
                        + said.substring(0, Math.min(said.length(), MOST_MESSAGE_LETTERS)));
    }
}
