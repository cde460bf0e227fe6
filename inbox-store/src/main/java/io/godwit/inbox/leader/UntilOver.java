package io.godwit.inbox.leader;

import io.godwit.kv.client.Resend;

/**
 * Ends the repeats of a leader's publishes: the next leader publishes them again, under the same tokens. Abandoned
 * before another leader can follow, unless Raft replaces this one before it knows. Any thread.
 *
 * <p>Not the leader itself, because callers on other nodes must not keep the leader in memory.
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
