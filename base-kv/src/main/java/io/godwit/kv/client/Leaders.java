package io.godwit.kv.client;

import org.jspecify.annotations.Nullable;

/**
 * Which node leads the range of a key of one store, as far as this node has heard: the answer may be old, and who is
 * asked then says so. Thread-safe; never blocks.
 */
public interface Leaders {
    /** The id of this node among those that {@link #leaderOf} gives. */
    String here();

    /** The id of the node that leads the range of the key; null while none is known. */
    @Nullable
    String leaderOf(byte[] key);

    /**
     * From now on {@code listener} is run when an answer may have changed; on any thread, perhaps with a lock held: it
     * hands over and returns.
     */
    void onChange(Runnable listener);

    /** An answer was wrong: has other nodes asked. Cheap, also when called often. */
    void refresh();

    /** Of a store that no other node has. */
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
