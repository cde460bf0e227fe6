package io.godwit.api.http;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;

/**
 * The approximate size in bytes of a JSON value as text, found without making the text. Counting stops soon after it
 * passes a given bound.
 */
public final class JsonWeight {
    /** For each member of any kind: quotes, a colon, a comma, and a number. */
    private static final int OF_MEMBER = 8;

    /** Most bytes of an escaped character. */
    private static final int ESCAPED = 6;

    private final long most;
    private final boolean isExact;
    private long found;

    private JsonWeight(long most, boolean isExact) {
        this.most = most;
        this.isExact = isExact;
    }

    /** Whether the value has at most this size, counting each character at its largest. Fast for any value. */
    public static boolean isSmall(Object json, long most) {
        JsonWeight weight = new JsonWeight(most, false);
        weight.add(json);
        return weight.found <= most;
    }

    /** About the size in bytes; more than {@code most} when it exceeds that. Takes time in proportion to the text. */
    public static long bytes(Object json, long most) {
        JsonWeight weight = new JsonWeight(most, true);
        weight.add(json);
        return weight.found;
    }

    private void add(Object value) {
        found += OF_MEMBER;
        if (value instanceof String text) {
            found += bytes(text);
        } else if (value instanceof JsonObject object) {
            addMembers(object.getMap());
        } else if (value instanceof JsonArray array) {
            addAll(array.getList());
        } else if (value instanceof Map<?, ?> map) {
            addMembers(map);
        } else if (value instanceof List<?> list) {
            addAll(list);
        }
    }

    private void addAll(List<?> list) {
        for (Object each : list) {
            if (found > most) {
                return;
            }
            add(each);
        }
    }

    private void addMembers(Map<?, ?> map) {
        for (Map.Entry<?, ?> each : map.entrySet()) {
            if (found > most) {
                return;
            }
            found += bytes(String.valueOf(each.getKey()));
            add(each.getValue());
        }
    }

    private long bytes(String text) {
        if (!isExact) {
            return (long) ESCAPED * text.length();
        }
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isEscaped = c < ' ' || c == 0x7F || Character.isSurrogate(c);
            bytes += isEscaped ? ESCAPED : c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
        }
        return bytes;
    }
}
