package io.godwit.mqtt.session.persistent;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The PUBRECs of one connection whose commits are under way. PUBRELs leave in the order of the PUBRECs [MQTT5-4.6.0-4];
 * the answers of the store may come in another order, for example when some of them waited for the next leader of the
 * inbox. Holds at most as many entries as the client may have unacknowledged messages. Confined to the connection's
 * loop.
 */
final class ReleaseQueue {
    /** One PUBREC. */
    static final class Entry {
        final int packetId;
        final long sequence;
        private boolean isStored;

        private Entry(int packetId, long sequence) {
            this.packetId = packetId;
            this.sequence = sequence;
        }
    }

    private final ArrayDeque<Entry> entries = new ArrayDeque<>(0);

    Entry add(int packetId, long sequence) {
        Entry entry = new Entry(packetId, sequence);
        entries.addLast(entry);
        return entry;
    }

    void stored(Entry entry) {
        entry.isStored = true;
    }

    /** Removes the first entry if it is stored; null when there is none to release. */
    @Nullable
    Entry pollStored() {
        Entry first = entries.peekFirst();
        return first != null && first.isStored ? entries.pollFirst() : null;
    }
}
