package io.godwit.kv.client;

import org.jspecify.annotations.Nullable;

/**
 * The leaders of the ranges of one store, as far as this node knows. An answer may be out of date; the node that is
 * then asked says so. Thread-safe; never blocks.
 */
public interface Leaders {
    /** The id of this node, as in the answers of {@link #leaderOf}. */
    String here();

    /** The id of the node that leads the range of {@code key}; null if none is known. */
    @Nullable
    String leaderOf(byte[] key);

    /**
     * Adds {@code listener}, which is run whenever an answer may have changed, on any thread and possibly with a lock
     * held: it must hand over and return.
     */
    void onChange(Runnable listener);

    /** Asks other nodes again, because an answer was wrong. Cheap, even if called often. */
    void refresh();

    /** For a store that no other node has. */
    static Leaders alone() {
        return new Leaders() {
            @Override
            public String here() {
                return "";
            }

            @Override
            public String leaderOf(byte[] key) {
                return "";
            }

            @Override
            public void onChange(Runnable listener) {}

            @Override
            public void refresh() {}
        };
    }
}
