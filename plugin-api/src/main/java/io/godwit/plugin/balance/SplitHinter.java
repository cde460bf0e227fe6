package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * Watches the load of one range on its leader and proposes where to cut it. Each leadership has its own hinter, and
 * gets a new one when the bounds of the range change. All calls come one at a time, so fields may be plain. They come
 * on the executor of the range for built-in hinters and for plugins that say they do not block, else on threads of the
 * plugin. They must neither block nor throw.
 */
public interface SplitHinter {
    /**
     * One access, from a fair sample. Must cost next to nothing.
     *
     * @param key where the range could be cut: the first key of the accessed data and of the data that must stay
     *     together with it. Read only; may be kept
     * @param kvOperations database reads or writes it took, at least 1
     * @param nanos how long they took
     */
    void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos);

    /**
     * Called every few seconds, with the measured load. Should use the accesses since the last call.
     *
     * @return empty when no key would share the load
     */
    Optional<SplitHint> hint(RangeLoad load);
}
