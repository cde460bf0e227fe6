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
 * All records, by kind and name, as the replicas of this node have them. Apply threads of several ranges tell it, and a
 * record moves with its key from range to range: hence the lock. {@link #get}, {@link #count} and {@link #all} take it
 * too, for moments.
 */
public final class RecordIndex {
    private static final Logger LOG = LoggerFactory.getLogger(RecordIndex.class);

    private final Map<String, SortedMap<String, StoredRecord>> byKind = new HashMap<>();
    private final Map<String, List<Listener>> listeners = new HashMap<>();

    /**
     * Of one kind. Called under the lock of the index, on an apply thread or that of {@link RecordIndex#listen}: it
     * returns at once, and neither waits for anything nor asks the index.
     */
    public interface Listener {
        /** A record is there, or has another value than before. */
        void stored(StoredRecord record);

        /** It is there no more. */
        void gone(String name);
    }

    /**
     * Tells {@code listener} all records of {@code kind} that there are, and each change from then on, in the order in
     * which they are made.
     */
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

    /** A replica has this at a key of a record. */
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
     * Takes those out that a replica has not: an installed snapshot may lack what was known from the state before it.
     *
     * @param hasVanished whether a key is the replica's, and there is nothing at it
     */
    public void removeVanished(Predicate<byte[]> hasVanished) {
        for (RecordKeys.Key key : keys()) { // not under the lock: the replica reads its store
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
