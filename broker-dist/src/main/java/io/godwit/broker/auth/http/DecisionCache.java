package io.godwit.broker.auth.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches answers by question, for a time and up to a number; those used least are dropped first. Stores a keyed hash in
 * place of the question, since clients choose the text and it contains passwords. Any thread: event loops look up,
 * threads of answers add.
 */
final class DecisionCache<V> {
    private static final int SECRET_BYTES = 32;

    private final boolean isUsed;
    private final byte[] secret = new byte[SECRET_BYTES];
    private final Cache<Key, V> entries;

    /** Half of a SHA-256. */
    record Key(long high, long low) {}

    /**
     * @param time zero to store nothing
     * @param nanoClock the monotonic clock
     */
    DecisionCache(Duration time, int maxEntries, LongSupplier nanoClock) {
        this.isUsed = !time.isZero();
        this.entries = Caffeine.newBuilder()
                .expireAfterWrite(time)
                .maximumSize(maxEntries)
                .ticker(nanoClock::getAsLong)
                .executor(Runnable::run) // no thread of its own
                .build();
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

    @Nullable
    V get(Key key) {
        return entries.getIfPresent(key);
    }

    void put(Key key, V value) {
        entries.put(key, value);
    }

    boolean isUsed() {
        return isUsed;
    }
}
