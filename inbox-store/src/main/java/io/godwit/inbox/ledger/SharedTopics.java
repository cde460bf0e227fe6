package io.godwit.inbox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * Gives recent equal topics the same string: a queue keeps the topics of its messages, which are usually few, and every
 * message brings its own string. Confined to its owner's thread.
 */
public final class SharedTopics {
    private static final int SLOTS = 1024;

    private final @Nullable String[] recent = new @Nullable String[SLOTS];

    public String shared(String topic) {
        int hash = topic.hashCode();
        int slot = (hash ^ hash >>> 16) & SLOTS - 1;
        String known = recent[slot];
        if (topic.equals(known)) {
            return known;
        }
        recent[slot] = topic;
        return topic;
    }
}
