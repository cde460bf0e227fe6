package io.godwit.it.kv.history;

import org.jspecify.annotations.Nullable;

/**
 * An operation that took effect, as the search sees it: it finds a value in the register, or does not look, and leaves
 * one, or does not write.
 *
 * @param returnedNanos by then it had taken effect; earlier than the operation's reply where others saw it earlier
 * @param seesAny whether it tells what it found
 * @param sees what it found, null for an empty register
 * @param leaves what it wrote; null when it wrote nothing
 * @param witness who saw what it wrote, where its own reply left that in doubt; null elsewhere
 */
record Step(
        Operation operation,
        long invokedNanos,
        long returnedNanos,
        boolean seesAny,
        @Nullable String sees,
        @Nullable String leaves,
        @Nullable Operation witness) {

    static Step observing(Operation operation, @Nullable String seen) {
        return new Step(operation, operation.invokedNanos(), operation.returnedNanos(), true, seen, null, null);
    }

    /** A write, or a compare-and-set that set. */
    static Step writing(Operation operation, long returnedNanos, @Nullable Operation witness) {
        Request request = operation.request();
        boolean compares = request.kind() == Request.Kind.CAS;
        return new Step(
                operation,
                operation.invokedNanos(),
                returnedNanos,
                compares,
                request.expected(),
                request.value(),
                witness);
    }

    /** The same, no longer telling what it found. */
    Step blind() {
        return new Step(operation, invokedNanos, returnedNanos, false, null, leaves, witness);
    }
}
