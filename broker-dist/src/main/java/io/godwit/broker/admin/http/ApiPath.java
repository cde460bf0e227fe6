package io.godwit.broker.admin.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A path of the API with its parameters, built part by part. Used by one thread. */
public final class ApiPath {
    private static final String UNRESERVED = "-._~";

    private final StringBuilder path;
    private boolean hasParameters;
    /** A client id that no path can contain; null for none. */
    private @Nullable String exactId;

    private ApiPath(String path) {
        this.path = new StringBuilder(path);
    }

    /** @param path such as {@code /api/v1/clients}, taken without encoding */
    public static ApiPath of(String path) {
        return new ApiPath(path);
    }

    /** Adds a part, such as a client id or a topic. A slash in it is encoded. */
    public ApiPath part(String text) {
        path.append('/').append(encoded(text));
        return this;
    }

    /** Adds a client id as a part. HTTP removes "." and ".." from a path, so these two are sent as a parameter. */
    public ApiPath client(String id) {
        if (!id.equals(".") && !id.equals("..")) {
            return part(id);
        }
        exactId = id;
        return part("-");
    }

    /** Adds a fixed end, such as {@code /queue}. */
    public ApiPath then(String end) {
        path.append(end);
        return this;
    }

    /** @param value null to leave the parameter out */
    public ApiPath with(String name, @Nullable Object value) {
        if (value != null) {
            path.append(hasParameters ? '&' : '?').append(name).append('=').append(encoded(value.toString()));
            hasParameters = true;
        }
        return this;
    }

    /** A copy, for another page of the same list. */
    public ApiPath copy() {
        ApiPath copy = new ApiPath(path.toString());
        copy.hasParameters = hasParameters;
        copy.exactId = exactId;
        return copy;
    }

    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte unit : text.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (unit & 0xff);
            if (letter >= 'a' && letter <= 'z'
                    || letter >= 'A' && letter <= 'Z'
                    || letter >= '0' && letter <= '9'
                    || UNRESERVED.indexOf(letter) >= 0) {
                encoded.append(letter);
            } else {
                encoded.append('%').append(hex(letter >> 4)).append(hex(letter & 0xf));
            }
        }
        return encoded.toString();
    }

    private static char hex(int digit) {
        return "0123456789ABCDEF".charAt(digit);
    }

    @Override
    public String toString() {
        return exactId == null ? path.toString() : path + (hasParameters ? "&id=" : "?id=") + encoded(exactId);
    }
}
