package io.godwit.broker.auth.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches answers by question, for a time and up to a number; the oldest are dropped first. Stores a keyed hash in place
 * of the question, since clients choose the text and it contains passwords. Thread-safe: event loops and threads of
 * answers share a lock, for one table operation each.
 */
final class DecisionCache<V> {
    private static final int SECRET_BYTES = 32;

    private final long nanos;
    private final int maxEntries;
    private final LongSupplier nanoClock;
    private final byte[] secret = new byte[SECRET_BYTES];
    /** In the order of insertion. Guarded by this. */
    private final Map<Key, Entry<V>> entries = new LinkedHashMap<>();

    /** Half of a SHA-256. */
    record Key(long high, long low) {}

    private record Entry<V>(V value, long untilNanos) {}

    /** @param time zero to store nothing */
    DecisionCache(Duration time, int maxEntries, LongSupplier nanoClock) {
        this.nanos = time.toNanos();
        this.maxEntries = maxEntries;
        this.nanoClock = nanoClock;
        new SecureRandom().nextBytes(secret);
    }

    /** @param question the whole question */
    Key key(String question) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(secret);
            ByteBuffer hash = ByteBuffer.wrap(digest.digest(question.getBytes(StandardCharsets.UTF_8)));
            return new Key(hash.getLong(), hash.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    synchronized @Nullable V get(Key key) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        if (nanoClock.getAsLong() - entry.untilNanos() >= 0) {
            entries.remove(key);
            return null;
        }
        return entry.value();
    }

    synchronized void put(Key key, V value) {
        if (nanos == 0) {
            return;
        }
        entries.remove(key);
        if (entries.size() >= maxEntries) {
            entries.remove(entries.keySet().iterator().next());
        }
        entries.put(key, new Entry<>(value, nanoClock.getAsLong() + nanos));
    }

    boolean isUsed() {
        return nanos > 0;
    }

    synchronized int size() {
        return entries.size();
    }
}
