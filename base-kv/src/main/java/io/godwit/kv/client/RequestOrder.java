package io.godwit.kv.client;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The order of numbered requests of one sender that are under way together. Once one of them has failed, no later one
 * may be carried out: the sender repeats the failed one, and the later one must not be there before it. The sender
 * repeats all of them, in order, under a new object.
 *
 * <p>Requests of one key reach its leader in order, so it is enough that the place where one fails calls {@link
 * #failed} before it tells anybody, and that the leader asks {@link #isBrokenBefore} before it carries one out.
 *
 * <p>Atomic, because the leaders of several ranges carry out requests of one sender at the same time.
 */
public final class RequestOrder {
    private final AtomicLong firstFailed = new AtomicLong(Long.MAX_VALUE);

    /** The request of this number has failed, in whole or in part. Any thread. */
    public void failed(long number) {
        firstFailed.accumulateAndGet(number, Math::min);
    }

    /** Whether a request with a lower number has failed. Any thread. */
    public boolean isBrokenBefore(long number) {
        return firstFailed.get() < number;
    }
}
