package io.godwit.api.route;

import io.godwit.api.http.SecurityHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * An answer.
 *
 * @param contentType empty for no body
 * @param json the body as the document describes it; null when it is no JSON
 * @param body null when {@code json} is it, or there is none
 * @param policy Content-Security-Policy
 */
@SuppressWarnings("ArrayRecordComponent") // handed on once, never compared or changed
public record Reply(
        int status, String contentType, @Nullable Object json, byte @Nullable [] body, String policy) {
    public static Reply json(int status, JsonObject json) {
        return new Reply(status, "application/json", json, null, SecurityHeaders.DATA_POLICY);
    }

    public static Reply json(JsonArray json) {
        return new Reply(200, "application/json", json, null, SecurityHeaders.DATA_POLICY);
    }

    public static Reply json(JsonObject json) {
        return json(200, json);
    }

    public static Reply bytes(String contentType, byte[] body) {
        return new Reply(200, contentType, null, body, SecurityHeaders.DATA_POLICY);
    }

    /** Done, and nothing to say. */
    public static Reply done() {
        return new Reply(204, "", null, null, SecurityHeaders.DATA_POLICY);
    }

    Reply with(String otherPolicy) {
        return new Reply(status, contentType, json, body, otherPolicy);
    }

    Reply with(Object otherJson) {
        return new Reply(status, contentType, otherJson, body, policy);
    }

    /** Without its parameters, such as a character set. */
    String mediaType() {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).strip();
    }
}
