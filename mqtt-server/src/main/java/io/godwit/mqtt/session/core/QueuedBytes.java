package io.godwit.mqtt.session.core;

import io.godwit.mqtt.subscribe.NoteRoom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Heap bytes that all sessions of the node hold for one purpose, such as messages for slow clients, or filters. It also
 * limits each session: it may hold as much as is left free. So the more sessions take much, the less each of them gets,
 * and a session that needs little still finds space (dynamic thresholds, Choudhury and Hahne 1998).
 *
 * <p>Thread-safe. Atomic because sessions of all loops change it, but only for messages that must wait, for filters and
 * for notes.
 */
public final class QueuedBytes implements NoteRoom {
    /** The limit is one part in this many of the heap. */
    private static final int SHARE = 8;

    /** A few messages of the usual size are always allowed, whatever others hold. */
    private static final long LEAST = 16 * 1024;

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /** @param limit of all sessions together; each session's first message, and a little more, may exceed it */
    public QueuedBytes(long limit) {
        this.limit = limit;
    }

    /** An eighth of the largest heap that this JVM may have. */
    static QueuedBytes ofHeap() {
        return new QueuedBytes(Runtime.getRuntime().maxMemory() / SHARE);
    }

    /** How much one session may hold: the bytes left free, or a small minimum. */
    @Override
    public long free() {
        return Math.max(LEAST, limit - held.get());
    }

    @Override
    public void add(long bytes) {
        held.addAndGet(bytes);
    }

    /** Bytes that all sessions hold. */
    public long held() {
        return held.get();
    }
}
