package io.godwit.api.http;

import io.godwit.api.contract.FieldError;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;

/**
 * A problem document (RFC 9457).
 *
 * @param kind last part of its {@code type}, {@code urn:godwit:problem:KIND}; never changes once it is published
 * @param title the same for each problem of the kind
 * @param detail the error in this case
 * @param missingNodes nodes that did not answer, if that is the problem
 * @param retryAfterSeconds when the request may succeed, for the header {@code Retry-After}; 0 if that is not known
 */
public record Problem(
        int status,
        String kind,
        String title,
        String detail,
        List<FieldError> errors,
        List<String> missingNodes,
        long retryAfterSeconds) {
    public static final String CONTENT_TYPE = "application/problem+json";
    private static final String TYPE = "urn:godwit:problem:";

    public Problem {
        errors = List.copyOf(errors);
        missingNodes = List.copyOf(missingNodes);
    }

    public Problem(
            int status, String kind, String title, String detail, List<FieldError> errors, List<String> missingNodes) {
        this(status, kind, title, detail, errors, missingNodes, 0);
    }

    public Problem(int status, String kind, String title, String detail) {
        this(status, kind, title, detail, List.of(), List.of());
    }

    public static Problem invalid(List<FieldError> errors) {
        return new Problem(
                400, "invalid-request", "The request is not valid", "see errors for the fields", errors, List.of());
    }

    public static Problem invalid(String field, String message) {
        return invalid(List.of(new FieldError(field, message)));
    }

    public static Problem unauthorized(String detail) {
        return new Problem(401, "unauthorized", "A valid token is needed", detail);
    }

    public static Problem forbidden(String detail) {
        return new Problem(403, "forbidden", "Not allowed", detail);
    }

    public static Problem notFound(String detail) {
        return new Problem(404, "not-found", "There is no such thing", detail);
    }

    public static Problem changed(String detail) {
        return new Problem(412, "changed", "It was changed meanwhile", detail);
    }

    /** @param field the wrong field; empty for none */
    public static Problem refused(String field, String detail) {
        List<FieldError> errors = field.isEmpty() ? List.of() : List.of(new FieldError(field, detail));
        return new Problem(409, "refused", "Not done", detail, errors, List.of());
    }

    public static Problem tooLarge(int mostBytes) {
        return new Problem(
                413, "too-large", "The body is too large", "a body has at most " + mostBytes + " bytes here");
    }

    public static Problem tooMany(String detail) {
        return new Problem(429, "too-many-requests", "Too many requests", detail);
    }

    /** @param wait how long the request would be refused again */
    public static Problem tooMany(String detail, Duration wait) {
        Problem problem = tooMany(detail);
        long seconds = wait.plusNanos(999_999_999).toSeconds(); // the header has whole seconds
        return new Problem(
                problem.status, problem.kind, problem.title, detail, List.of(), List.of(), Math.max(1, seconds));
    }

    public static Problem unavailable(String detail) {
        return new Problem(503, "unavailable", "Not available now", detail);
    }

    public static Problem nodesMissing(String detail, List<String> missingNodes) {
        return new Problem(503, "nodes-missing", "Nodes did not answer", detail, List.of(), missingNodes);
    }

    public JsonObject json() {
        JsonObject json = new JsonObject()
                .put("type", TYPE + kind)
                .put("title", title)
                .put("status", status)
                .put("detail", detail);
        if (!errors.isEmpty()) {
            JsonArray list = new JsonArray();
            errors.forEach(error ->
                    list.add(new JsonObject().put("field", error.field()).put("message", error.message())));
            json.put("errors", list);
        }
        if (!missingNodes.isEmpty()) {
            json.put("missingNodes", new JsonArray(List.copyOf(missingNodes)));
        }
        return json;
    }
}
