package io.godwit.inbox.carrier;

import java.time.Duration;

/**
 * How long and how much waits for the leaders of inboxes, and at them.
 *
 * @param waitMillis how long a command waits for a leader that takes it, before it fails with {@code TIMEOUT}
 * @param retryMillis pause between two looks for a leader
 * @param maxWaitingBytes heap of all messages that wait, about; beyond it they fail with {@code OVERLOADED}. From a
 *     half of it on publishers are held back. Other commands have {@link #COMMANDS_BYTES} more
 * @param maxServedBytes heap of the commands of one other node that leaders here have and have not answered, about;
 *     beyond it those that store something fail with {@code OVERLOADED}. An edge sends no more messages than take a
 *     half of it
 * @param maxHeldBytes heap of deliveries to connections on one other node that the link has no room for, about; beyond
 *     it such a connection is closed, and its messages stay in their queue
 */
public record HomeSettings(
        long waitMillis, long retryMillis, long maxWaitingBytes, long maxServedBytes, long maxHeldBytes) {
    public static final HomeSettings DEFAULT = new HomeSettings(20_000, 20, 64L << 20, 128L << 20, 64L << 20);

    /** For commands about sessions, which must not fail because many messages wait. */
    static final long COMMANDS_BYTES = 32L << 20;

    public HomeSettings {
        if (waitMillis < 1 || retryMillis < 1 || maxWaitingBytes < 1 || maxServedBytes < 1 || maxHeldBytes < 1) {
            throw new IllegalArgumentException("all must be at least 1: " + waitMillis + ", " + retryMillis + ", "
                    + maxWaitingBytes + ", " + maxServedBytes + ", " + maxHeldBytes);
        }
    }

    /** Has commands wait for so long. */
    public HomeSettings waiting(Duration most) {
        return new HomeSettings(most.toMillis(), retryMillis, maxWaitingBytes, maxServedBytes, maxHeldBytes);
    }

    /** Has so many bytes more wait, here and there, which is what publishers have unacknowledged at most. */
    public HomeSettings withPublishes(long bytes) {
        return new HomeSettings(waitMillis, retryMillis, maxWaitingBytes + bytes, maxServedBytes + bytes, maxHeldBytes);
    }
}
