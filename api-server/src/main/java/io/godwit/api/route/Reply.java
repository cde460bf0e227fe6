package io.godwit.api.route;

import io.godwit.api.http.BodyStream;
import io.godwit.api.http.SecurityHeaders;
import io.godwit.api.stream.StreamReply;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * An answer.
 *
 * @param contentType empty for no body
 * @param json the body as the document describes it; null when it is not JSON
 * @param body null when {@code json} has it, or there is none
 * @param stream a body that is produced while it is sent; null for none
 * @param events an answer of server-sent events; null for none
 * @param policy Content-Security-Policy
 * @param tag entity tag of the resource, without quotes; null for none
 */
@SuppressWarnings("ArrayRecordComponent") // passed on once, never compared or changed
public record Reply(
        int status,
        String contentType,
        @Nullable Object json,
        byte @Nullable [] body,
        @Nullable BodyStream stream,
        @Nullable StreamReply events,
        String policy,
        @Nullable String tag) {
    private Reply(int status, String contentType, @Nullable Object json, byte @Nullable [] body) {
        this(status, contentType, json, body, null, null, SecurityHeaders.DATA_POLICY, null);
    }

    public static Reply json(int status, JsonObject json) {
        return new Reply(status, "application/json", json, null);
    }

    public static Reply json(JsonArray json) {
        return new Reply(200, "application/json", json, null);
    }

    public static Reply json(JsonObject json) {
        return json(200, json);
    }

    public static Reply bytes(String contentType, byte[] body) {
        return new Reply(200, contentType, null, body);
    }

    /** The owner of the reply sends the stream or closes it. */
    public static Reply stream(String contentType, BodyStream stream) {
        return new Reply(200, contentType, null, null, stream, null, SecurityHeaders.DATA_POLICY, null);
    }

    /** Server-sent events. */
    public static Reply stream(StreamReply events) {
        return new Reply(200, StreamReply.CONTENT_TYPE, null, null, null, events, SecurityHeaders.DATA_POLICY, null);
    }

    /** Releases a reply that is not sent. */
    public void drop() {
        if (stream != null) {
            stream.close();
        }
    }

    /** Success without a body. */
    public static Reply done() {
        return new Reply(204, "", null, null);
    }

    public Reply with(String otherPolicy) {
        return new Reply(status, contentType, json, body, stream, events, otherPolicy, tag);
    }

    Reply with(Object otherJson) {
        return new Reply(status, contentType, otherJson, body, stream, events, policy, tag);
    }

    public Reply tagged(String otherTag) {
        return new Reply(status, contentType, json, body, stream, events, policy, otherTag);
    }

    /** Without its parameters, such as a character set. */
    public String mediaType() {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).strip();
    }
}
