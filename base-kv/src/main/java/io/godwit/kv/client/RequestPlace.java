package io.godwit.kv.client;

/**
 * The place of a request among those of its sender that are under way together. Any thread.
 *
 * @param number rises from request to request
 */
public record RequestPlace(RequestOrder order, long number) {
    /** The request has failed: no later one is carried out. */
    public void failed() {
        order.failed(number);
    }

    /** Whether an earlier request has failed, so that this one must not be carried out. */
    public boolean isBehindFailed() {
        return order.isBrokenBefore(number);
    }
}
