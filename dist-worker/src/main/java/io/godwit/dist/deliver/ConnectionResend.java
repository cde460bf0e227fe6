package io.godwit.dist.deliver;

import io.godwit.kv.client.Resend;

/**
 * Resend rule of one connection, for all its messages. The client's next connection sends unacknowledged messages
 * again, and then later ones. An inbox forgets the token of a distributed message, so a late copy would be a duplicate.
 *
 * <p>Not the publisher itself: entries in the queue of a slow receiver must not keep that in memory. Any thread: the
 * publisher's thread ends it, and the threads that carry its requests ask it.
 */
final class ConnectionResend implements Resend {
    /** Rule for a message that came through no connection. */
    private final Resend resend;

    private volatile boolean hasEnded;
    /** Whether one of its messages was not stored. */
    private volatile boolean hasFailed;

    ConnectionResend(Resend resend) {
        this.resend = resend;
    }

    /** The connection has ended. */
    void end() {
        hasEnded = true;
    }

    @Override
    public boolean isAbandoned() {
        return hasEnded || resend.isAbandoned();
    }

    @Override
    public void failed() {
        hasFailed = true;
    }

    /**
     * The client was not answered: it sends the failed message again, and must not find a later one stored before it.
     */
    @Override
    public boolean mayNotBegin() {
        return hasEnded && hasFailed;
    }
}
