package io.godwit.broker.watch.question;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An entry of a watch.
 *
 * @param atMillis wall time of the node that made it
 * @param details strings, whole numbers and booleans by name; not to be changed
 */
public record WatchEntry(long atMillis, String type, Map<String, Object> details) {
    private static final int OWN_BYTES = 64;
    private static final int BYTES_EACH = 56;
    /** The largest number of characters of a text. */
    static final int MAX_TEXT = 1_024;

    /** The approximate size on the heap, in bytes. */
    public int bytes() {
        int bytes = OWN_BYTES + 2 * type.length();
        for (Map.Entry<String, Object> detail : details.entrySet()) {
            bytes += BYTES_EACH + (detail.getValue() instanceof String text ? 2 * text.length() : 0);
        }
        return bytes;
    }

    /** The entry for operators. */
    public Map<String, Object> told(String node) {
        Map<String, Object> told = new LinkedHashMap<>(details);
        told.put("node", node);
        told.put("atMillis", atMillis);
        told.put("type", type);
        return told;
    }

    /** Cuts a text, but not inside a surrogate pair. */
    public static String cut(String text) {
        if (text.length() <= MAX_TEXT) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(MAX_TEXT - 1)) ? MAX_TEXT - 1 : MAX_TEXT;
        return text.substring(0, end);
    }
}
