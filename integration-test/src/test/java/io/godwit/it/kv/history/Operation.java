package io.godwit.it.kv.history;

/**
 * A request with its reply, or without one yet.
 *
 * @param number in the order of the requests
 * @param client who asked: one request at a time, unless the reply of the last one was unknown
 * @param invokedNanos before the request left, since the beginning of the history
 * @param returnedNanos after the reply had come; {@link #NEVER} while it has not
 */
public record Operation(
        int number, String client, Request request, long invokedNanos, long returnedNanos, Reply reply) {
    public static final long NEVER = Long.MAX_VALUE;

    @Override
    public String toString() {
        String end = returnedNanos == NEVER ? "          open" : String.format("%14.6f", returnedNanos / 1e9);
        return String.format("%8d %14.6f %s %-8s %s: %s", number, invokedNanos / 1e9, end, client, request, reply);
    }
}
