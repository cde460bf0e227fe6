package io.godwit.mqtt.topic;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Replaces {@code %c} by the client id and {@code %u} by the user name, in topics that an operator has written. */
final class Placeholders {
    /** Characters of each. */
    static final int LENGTH = 2;

    private Placeholders() {}

    static boolean hasAny(String text) {
        return text.contains("%c") || text.contains("%u");
    }

    /**
     * The text for one client. Null when the client has no user name to put in, or a name that would change the levels
     * of the topic, be a wildcard or make it begin with '$': who may choose a name must not choose a place in the topic
     * tree with it.
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

    /** What the placeholder at {@code index} stands for; null as in {@link #fill}. */
    static @Nullable String name(String text, int index, ClientInfo client) {
        String name = text.startsWith("%c", index) ? client.clientId().value() : client.userName();
        boolean isUsable = name != null
                && TopicName.isValid(name)
                && name.indexOf('/') < 0
                && (index > 0 || name.charAt(0) != '$');
        return isUsable ? name : null;
    }
}
