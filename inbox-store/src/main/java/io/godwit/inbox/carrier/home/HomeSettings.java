package io.godwit.inbox.carrier.home;

import java.time.Duration;

/**
 * Limits on commands that wait for the leaders of inboxes, and at them.
 *
 * @param waitMillis how long a command waits for a leader that takes it, before it fails with {@code TIMEOUT}
 * @param retryMillis pause between two looks for a leader
 * @param maxWaitingBytes approximate heap of all waiting messages; beyond it they fail with {@code OVERLOADED}. From
 *     half of it on publishers are held back. Other commands may use {@link #COMMANDS_BYTES} more
 * @param maxServedBytes approximate heap of unanswered commands of one other node at the leaders here; beyond it,
 *     commands that store something fail with {@code OVERLOADED}. Messages may use half of it
 * @param maxHeldBytes approximate heap of deliveries to connections on one other node that wait for room on the link;
 *     beyond it such a connection is closed, and its messages stay in their queue
 */
public record HomeSettings(
        long waitMillis, long retryMillis, long maxWaitingBytes, long maxServedBytes, long maxHeldBytes) {
    public static final HomeSettings DEFAULT = new HomeSettings(20_000, 20, 64L << 20, 128L << 20, 64L << 20);

    /** Extra heap for commands about sessions, which must not fail because many messages wait. */
    static final long COMMANDS_BYTES = 32L << 20;

    public HomeSettings {
        if (waitMillis < 1 || retryMillis < 1 || maxWaitingBytes < 1 || maxServedBytes < 1 || maxHeldBytes < 1) {
            throw new IllegalArgumentException("all must be at least 1: " + waitMillis + ", " + retryMillis + ", "
                    + maxWaitingBytes + ", " + maxServedBytes + ", " + maxHeldBytes);
        }
    }

    /** The same with another {@link #waitMillis}. */
    public HomeSettings waiting(Duration most) {
        return new HomeSettings(most.toMillis(), retryMillis, maxWaitingBytes, maxServedBytes, maxHeldBytes);
    }

    /**
     * The same with {@code bytes} more for waiting messages, here and at other nodes: the most that publishers may have
     * unacknowledged.
     */
    public HomeSettings withPublishes(long bytes) {
        return new HomeSettings(waitMillis, retryMillis, maxWaitingBytes + bytes, maxServedBytes + bytes, maxHeldBytes);
    }
}
