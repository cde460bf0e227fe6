package io.godwit.mqtt.session;

import io.godwit.mqtt.subscribe.NoteRoom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all sessions of the node hold on the heap for one purpose, such as messages for clients that do not keep up, or
 * filters; and how much of it one of them may hold: not more than is left free. So a few that take much get less each
 * the more of them there are, and one that needs little finds room beside them (dynamic thresholds, Choudhury and Hahne
 * 1998).
 *
 * <p>Thread-safe. Atomic since sessions of all loops change it; they do so only for messages that have to wait, for
 * filters and for notes.
 */
final class QueuedBytes implements NoteRoom {
    /** Of the heap. */
    private static final int SHARE = 8;

    /** A few messages of the usual size find room beside whatever others hold. */
    private static final long LEAST = 16 * 1024;

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /** @param limit of all sessions together; the first message of each, and a little more, may come on top */
    QueuedBytes(long limit) {
        this.limit = limit;
    }

    /** An eighth of the largest heap that this JVM may have. */
    static QueuedBytes ofHeap() {
        return new QueuedBytes(Runtime.getRuntime().maxMemory() / SHARE);
    }

    /** What one session may hold: what is left free, or a little. */
    @Override
    public long free() {
        return Math.max(LEAST, limit - held.get());
    }

    @Override
    public void add(long bytes) {
        held.addAndGet(bytes);
    }

    /** What all of them hold. */
    long held() {
        return held.get();
    }
}
