package io.godwit.mqtt.topic;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Replaces {@code %c} by the client id and {@code %u} by the user name, in topics that an operator configured. */
final class Placeholders {
    /** Length of each placeholder. */
    static final int LENGTH = 2;

    private Placeholders() {}

    static boolean hasAny(String text) {
        return text.contains("%c") || text.contains("%u");
    }

    /**
     * The text for one client. Null when the client has no user name to insert, or a name that would change the levels
     * of the topic, is a wildcard or makes the topic begin with '$': by choosing a name a client must not choose a
     * place in the topic tree.
     */
    static @Nullable String fill(String text, ClientInfo client) {
        if (!hasAny(text)) {
            return text;
        }
        StringBuilder filled = new StringBuilder(text.length() + 32);
        int at = 0;
        while (at < text.length()) {
            if (!isAt(text, at)) {
                filled.append(text.charAt(at));
                at++;
                continue;
            }
            String name = name(text, at, client);
            if (name == null) {
                return null;
            }
            filled.append(name);
            at += LENGTH;
        }
        return filled.toString();
    }

    static boolean isAt(String text, int index) {
        return text.startsWith("%c", index) || text.startsWith("%u", index);
    }

    /** The value of the placeholder at {@code index}; null as in {@link #fill}. */
    static @Nullable String name(String text, int index, ClientInfo client) {
        String name = text.startsWith("%c", index) ? client.clientId().value() : client.userName();
        boolean isUsable = name != null
                && TopicName.isValid(name)
                && name.indexOf('/') < 0
                && (index > 0 || name.charAt(0) != '$');
        return isUsable ? name : null;
    }
}
