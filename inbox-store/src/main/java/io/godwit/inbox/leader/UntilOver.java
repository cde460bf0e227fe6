package io.godwit.inbox.leader;

import io.godwit.kv.client.Resend;

/**
 * Of what a leader publishes: the next one publishes it again, under the same tokens. Abandoned before another leader
 * can follow, unless Raft replaces this one before it knows. Any thread.
 *
 * <p>Not the leader itself: what waits far away must not keep that in memory.
 */
final class UntilOver implements Resend {
    private volatile boolean isOver;

    void over() {
        isOver = true;
    }

    @Override
    public boolean isAbandoned() {
        return isOver;
    }
}
