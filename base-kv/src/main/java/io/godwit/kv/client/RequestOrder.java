package io.godwit.kv.client;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the order of one sender's numbered requests that are in progress at the same time. Once a request has failed,
 * no later one may be carried out, because the sender repeats the failed one, which must come first. The sender repeats
 * all of them, in order, with a new object.
 *
 * <p>Requests of one key reach its leader in order. So it is enough that {@link #failed} is called where a request
 * fails, before anybody is told, and that the leader asks {@link #isBrokenBefore} before it carries one out.
 *
 * <p>Atomic, because the leaders of several ranges carry out requests of one sender at the same time.
 */
public final class RequestOrder {
    private final AtomicLong firstFailed = new AtomicLong(Long.MAX_VALUE);

    /** Reports that the request of this number has failed, completely or in part. Any thread. */
    public void failed(long number) {
        firstFailed.accumulateAndGet(number, Math::min);
    }

    /** Whether a request with a lower number has failed. Any thread. */
    public boolean isBrokenBefore(long number) {
        return firstFailed.get() < number;
    }
}
