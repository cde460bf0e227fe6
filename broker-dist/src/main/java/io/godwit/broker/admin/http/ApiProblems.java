package io.godwit.broker.admin.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Printable;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains a refusal or a missing answer to the operator. */
final class ApiProblems {
    private static final int MOST_LETTERS = 1_000;
    private static final String TYPE = "urn:godwit:problem:";

    private ApiProblems() {}

    /** @param problem null if the answer was no problem document */
    static AdminException refused(ApiTarget target, int status, @Nullable JsonObject problem) {
        if (problem == null) {
            return new AdminException(
                    status >= 300 && status < 500 ? Kind.REFUSED : Kind.FAILED,
                    target + " has answered " + status + ", unlike the API of a broker; is the address right?");
        }
        String type = text(problem, "type");
        String said = detail(problem);
        return switch (status) {
            case 400 -> new AdminException(Kind.USAGE, said);
            case 401 ->
                new AdminException(
                        Kind.UNREACHABLE,
                        target + " does not let you in: " + said
                                + (target.token().isEmpty()
                                        ? " (--token-file FILE, or the variable GODWIT_TOKEN)"
                                        : ""));
            case 403 -> new AdminException(Kind.UNREACHABLE, target + " does not let you do this: " + said);
            case 404 -> new AdminException(Kind.UNKNOWN, said);
            case 405 -> new AdminException(Kind.FAILED, target + " runs a release that does not know of this: " + said);
            case 503 ->
                new AdminException(
                        type.equals(TYPE + "not-stored")
                                ? Kind.FAILED
                                : type.equals(TYPE + "nodes-missing") ? Kind.UNREACHABLE : Kind.REFUSED,
                        said);
            default -> new AdminException(status < 500 ? Kind.REFUSED : Kind.FAILED, said);
        };
    }

    private static String detail(JsonObject problem) {
        StringBuilder said = new StringBuilder(text(problem, "detail"));
        if (said.isEmpty()) {
            said.append(text(problem, "title"));
        }
        if (problem.get("errors") instanceof JsonArray errors) {
            for (JsonElement error : errors) {
                if (error instanceof JsonObject named) {
                    said.append("; ").append(text(named, "field")).append(": ").append(text(named, "message"));
                }
            }
        }
        if (problem.get("missingNodes") instanceof JsonArray nodes && !nodes.isEmpty()) {
            said.append("; nodes that did not answer: ");
            for (int i = 0; i < nodes.size(); i++) {
                said.append(i == 0 ? "" : ", ")
                        .append(nodes.get(i).isJsonPrimitive() ? nodes.get(i).getAsString() : "?");
            }
        }
        String all = Printable.of(said.toString());
        return all.length() <= MOST_LETTERS ? all : all.substring(0, MOST_LETTERS) + "..";
    }

    private static String text(JsonObject object, String field) {
        JsonElement value = object.get(field);
        return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
    }

    /** @param isChange whether the request may have taken effect */
    static AdminException failed(ApiTarget target, boolean isChange, long timeoutSeconds, Throwable failure) {
        if (failure instanceof BoundedBody.TooLargeException) {
            return new AdminException(Kind.FAILED, target + " " + failure.getMessage(), failure);
        }
        if (failure instanceof ConnectException || has(failure, UnresolvedAddressException.class)) {
            boolean isUnknown =
                    has(failure, UnresolvedAddressException.class) || has(failure, UnknownHostException.class);
            String why = isUnknown
                    ? "the host " + target.url().getHost() + " is not known"
                    : failure.getMessage() == null ? "nothing listens there" : failure.getMessage();
            return new AdminException(Kind.UNREACHABLE, target + " is not reachable: " + why, failure);
        }
        if (failure instanceof SSLException) {
            return new AdminException(Kind.UNREACHABLE, target + ": " + tls(failure), failure);
        }
        Kind kind = isChange ? Kind.FAILED : Kind.UNREACHABLE;
        String then = isChange ? "; the request may still take effect" : "";
        if (failure instanceof HttpTimeoutException || failure instanceof TimeoutException) {
            return new AdminException(kind, target + " has not answered in " + timeoutSeconds + " s" + then, failure);
        }
        return new AdminException(
                kind,
                target + " has given no answer"
                        + (target.url().getScheme().equals("http") ? ", does it need an https:// URL? (" : " (")
                        + Printable.of(deepest(failure)) + ")" + then,
                failure);
    }

    private static String tls(Throwable failure) {
        String said = Printable.of(deepest(failure));
        if (said.contains("Unsupported or unrecognized SSL message") || said.contains("plaintext")) {
            return "it does not speak TLS, does it need an http:// URL? (" + said + ")";
        }
        if (said.contains("unable to find valid certification path")) {
            return "no trusted authority has signed its certificate; --ca FILE names another (" + said + ")";
        }
        return "TLS has failed: " + said;
    }

    private static String deepest(Throwable thrown) {
        Throwable at = thrown;
        for (int i = 0; i < 10 && at.getCause() != null; i++) {
            at = at.getCause();
        }
        return at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
    }

    private static boolean has(Throwable thrown, Class<? extends Throwable> type) {
        Throwable at = thrown;
        for (int i = 0; i < 10 && at != null; i++) {
            if (type.isInstance(at)) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }
}
