package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * Watches the load of one range on its leader and proposes where to cut it. There is one for each leadership, and a new
 * one when the bounds change. All calls come one at a time: on the executor of the range for those that come with the
 * broker and for plugins that say that they do not block, else on threads of the plugin. They must neither block nor
 * throw; fields are plain.
 */
public interface SplitHinter {
    /**
     * One access out of many: a fair sample. Must cost next to nothing.
     *
     * @param key where the range could be cut: the first key of what the access was about and of what must stay
     *     together with it. Read only; may be kept
     * @param kvOperations database reads or writes it took, at least 1
     * @param nanos how long they took
     */
    void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos);

    /**
     * Called every few seconds, with the load as measured. Should go by what came since the last call.
     *
     * @return empty when there is no key that would share the load
     */
    Optional<SplitHint> hint(RangeLoad load);
}
