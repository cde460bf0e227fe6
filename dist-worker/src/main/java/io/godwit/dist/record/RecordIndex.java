package io.godwit.dist.record;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All records, by kind and name, as the replicas of this node have them. The lock: apply threads of several ranges
 * update the index, because a record moves with its key from range to range. {@link #get}, {@link #count} and
 * {@link #all} also take it, briefly.
 */
public final class RecordIndex {
    private static final Logger LOG = LoggerFactory.getLogger(RecordIndex.class);

    private final Map<String, SortedMap<String, StoredRecord>> byKind = new HashMap<>();
    private final Map<String, List<Listener>> listeners = new HashMap<>();

    /**
     * Receives the changes of one kind. Called under the lock of the index, on an apply thread or that of
     * {@link RecordIndex#listen}: it must return at once, and neither wait for anything nor call the index.
     */
    public interface Listener {
        /** A record is new or has a new value. */
        void stored(StoredRecord record);

        /** The record was removed. */
        void gone(String name);
    }

    /** Reports all present records of {@code kind} to {@code listener}, and each change from then on, in order. */
    public synchronized void listen(String kind, Listener listener) {
        listeners.computeIfAbsent(kind, each -> new ArrayList<>()).add(listener);
        ofKind(kind).values().forEach(record -> tell(kind, record.name(), each -> each.stored(record), listener));
    }

    /** Null when there is none. */
    public synchronized @Nullable StoredRecord get(String kind, String name) {
        return ofKind(kind).get(name);
    }

    public synchronized int count(String kind) {
        return ofKind(kind).size();
    }

    public synchronized boolean isEmpty() {
        return byKind.values().stream().allMatch(Map::isEmpty);
    }

    /** A copy, by name. */
    public synchronized List<StoredRecord> all(String kind) {
        return List.copyOf(ofKind(kind).values());
    }

    /** A replica has this value at the key of a record. */
    public void stored(byte[] key, byte[] value) {
        RecordKeys.Key name = RecordKeys.parse(key);
        if (name != null) {
            stored(name, value);
        }
    }

    synchronized void stored(RecordKeys.Key key, byte[] value) {
        StoredRecord record = RecordKeys.read(key.name(), value);
        if (record == null) {
            LOG.error("record not read, it has no effect here kind={} bytes={}", key.kind(), value.length);
            gone(key);
            return;
        }
        StoredRecord before = ofKind(key.kind()).put(key.name(), record);
        if (before == null || before.revision() != record.revision()) {
            tell(key.kind(), key.name(), each -> each.stored(record));
        }
    }

    synchronized void gone(RecordKeys.Key key) {
        if (ofKind(key.kind()).remove(key.name()) != null) {
            tell(key.kind(), key.name(), each -> each.gone(key.name()));
        }
    }

    /**
     * Removes records that a replica does not have: an installed snapshot may lack records of the state before it.
     *
     * @param hasVanished whether a key belongs to the replica, which has nothing at it
     */
    public void removeVanished(Predicate<byte[]> hasVanished) {
        for (RecordKeys.Key key : keys()) { // without the lock: the replica reads its store
            if (hasVanished.test(RecordKeys.key(key.kind(), key.name()))) {
                gone(key);
            }
        }
    }

    private synchronized List<RecordKeys.Key> keys() {
        List<RecordKeys.Key> keys = new ArrayList<>();
        byKind.forEach((kind, records) -> records.keySet().forEach(name -> keys.add(new RecordKeys.Key(kind, name))));
        return keys;
    }

    private SortedMap<String, StoredRecord> ofKind(String kind) {
        return byKind.computeIfAbsent(kind, each -> new TreeMap<>());
    }

    private interface News {
        void tell(Listener listener);
    }

    private void tell(String kind, String name, News news) {
        for (Listener listener : listeners.getOrDefault(kind, List.of())) {
            tell(kind, name, news, listener);
        }
    }

    private static void tell(String kind, String name, News news, Listener listener) {
        try {
            news.tell(listener);
        } catch (RuntimeException e) { // a listener's fault must not stop a range
            LOG.error("record not taken in kind={} name={}", kind, name, e);
        }
    }
}
