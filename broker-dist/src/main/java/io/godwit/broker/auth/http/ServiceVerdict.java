package io.godwit.broker.auth.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.godwit.plugin.client.TenantId;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the service.
 *
 * @param detail the service's reason for a denial; empty for none
 * @param user null to keep the user name
 * @param tenant null to keep the tenant
 * @param validFor how long the login is valid; null for no limit
 */
record ServiceVerdict(
        Result result,
        String detail,
        @Nullable String user,
        @Nullable TenantId tenant,
        @Nullable Duration validFor) {
    private static final int MAX_DETAIL = 200;
    private static final long MAX_SECONDS = Duration.ofDays(36_500).toSeconds();

    /** The known results; any other value is no answer. */
    enum Result {
        ALLOW,
        DENY,
        /** Leaves the decision to the next provider. */
        PASS
    }

    /** For an HTTP status that means a denial by itself. */
    static ServiceVerdict denied(int status) {
        return new ServiceVerdict(Result.DENY, "status " + status, null, null, null);
    }

    /** Empty unless the whole body is understood. */
    static Optional<ServiceVerdict> of(byte[] body) {
        try {
            return of(object(body));
        } catch (IOException | JsonParseException | IllegalArgumentException | IllegalStateException e) {
            return Optional.empty(); // the service may send anything
        }
    }

    /** Parses strictly by RFC 8259, and refuses duplicate names, since readers differ in which of them counts. */
    private static JsonObject object(byte[] body) throws IOException {
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(body))
                .toString();
        JsonReader reader = new JsonReader(new StringReader(text));
        reader.setStrictness(Strictness.STRICT);
        JsonObject json = new JsonObject();
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            if (json.has(name)) {
                throw new IllegalArgumentException("two fields of one name");
            }
            json.add(name, JsonParser.parseReader(reader));
        }
        reader.endObject();
        if (reader.peek() != JsonToken.END_DOCUMENT) {
            throw new IllegalArgumentException("something follows the object");
        }
        return json;
    }

    private static Optional<ServiceVerdict> of(JsonObject json) {
        String word = text(json, "result");
        Result result = word == null
                ? null
                : switch (word) {
                    case "allow" -> Result.ALLOW;
                    case "deny" -> Result.DENY;
                    case "pass" -> Result.PASS;
                    default -> null;
                };
        if (result == null) {
            return Optional.empty();
        }
        String detail = text(json, "reason");
        String tenant = text(json, "tenant");
        String user = text(json, "user");
        if (user != null && !isName(user)) {
            return Optional.empty();
        }
        return Optional.of(new ServiceVerdict(
                result,
                detail == null ? "" : detail.substring(0, Math.min(MAX_DETAIL, detail.length())),
                user,
                tenant == null ? null : new TenantId(tenant),
                seconds(json)));
    }

    /** An unpaired surrogate has no UTF-8 form: two different names would be stored as one. */
    private static boolean isName(String user) {
        return !user.isEmpty()
                && user.length() <= 65_535
                && user.indexOf('\0') < 0
                && StandardCharsets.UTF_8.newEncoder().canEncode(user);
    }

    private static @Nullable Duration seconds(JsonObject json) {
        JsonElement value = json.get("validSeconds");
        if (value == null || value.isJsonNull()) {
            return null;
        }
        if (!value.isJsonPrimitive() || !value.getAsJsonPrimitive().isNumber()) {
            throw new IllegalArgumentException("validSeconds is no number");
        }
        double seconds = value.getAsDouble();
        if (!(seconds >= 0)) {
            throw new IllegalArgumentException("validSeconds is negative");
        }
        return seconds > MAX_SECONDS ? null : Duration.ofSeconds((long) seconds);
    }

    private static @Nullable String text(JsonObject json, String name) {
        JsonElement value = json.get(name);
        if (value == null || value.isJsonNull()) {
            return null;
        }
        if (!value.isJsonPrimitive() || !value.getAsJsonPrimitive().isString()) {
            throw new IllegalArgumentException(name + " is no text");
        }
        return value.getAsString();
    }
}
