package io.godwit.plugin.balance;

import java.util.Optional;

/**
 * Watches the load of one range on its leader and proposes where to cut it. Each leadership has its own hinter, and
 * gets a new one when the bounds of the range change.
 *
 * <p><b>Thread:</b> the executor of the range for built-in hinters and for plugins that say they do not block
 * ({@link io.godwit.plugin.context.Plugin#isNonBlocking}), else threads of the plugin. All calls come one at a time, so
 * fields may be plain.
 *
 * <p><b>Cost:</b> a call for each access in a sample, and one every ten seconds for the hint. On the executor of the
 * range reads and writes wait for it, so it must not block, and {@link #onAccess} must cost next to nothing. For
 * threads of the plugin 1,024 samples may wait; more are skipped.
 *
 * <p><b>Failure:</b> a call that throws, or is not answered in time, counts as a skipped sample or as no hint: then the
 * range is not split by load. After several such calls the hinter is not called for a while.
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
