package io.godwit.mqtt.session.filter;

import io.godwit.dist.client.FilterSize;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * Counts the filters of a session by 64-bit digests. A filter that the session subscribes to again must not count
 * twice, sessions are many, and the text of each filter is already stored elsewhere. Clients choose the filters, so the
 * digest uses a secret of this process: nobody can find two filters with one digest, or many that collide in the table.
 * Confined to the loop of its session.
 */
public class FilterCount {
    private static final byte[] SECRET = new byte[32];
    private static final int FIRST_SLOTS = 2;

    static {
        new SecureRandom().nextBytes(SECRET);
    }

    /**
     * Open addressing with linear probing; 0 is a free slot, and at least a quarter are free. Length is a power of two.
     */
    private long[] slots = new long[FIRST_SLOTS];

    private int size;
    private int chars;

    public final int size() {
        return size;
    }

    /** Sum of {@link FilterSize#chars} over all filters. */
    public final int chars() {
        return chars;
    }

    public final boolean contains(TopicFilter filter) {
        return size > 0 && slots[placeOf(slots, digest(filter))] != 0;
    }

    /** @return whether it was absent */
    public final boolean add(TopicFilter filter) {
        long digest = digest(filter);
        int place = placeOf(slots, digest);
        if (slots[place] != 0) {
            return false;
        }
        if (4 * (size + 1L) > 3L * slots.length) {
            slots = doubled();
            place = placeOf(slots, digest);
        }
        slots[place] = digest;
        size++;
        chars += FilterSize.chars(filter);
        return true;
    }

    /** @return whether it was present */
    final boolean remove(TopicFilter filter) {
        int place = placeOf(slots, digest(filter));
        if (slots[place] == 0) {
            return false;
        }
        slots[place] = 0;
        size--;
        chars -= FilterSize.chars(filter);
        // later entries may have been pushed back by the removed one
        int mask = slots.length - 1;
        for (int next = place + 1 & mask; slots[next] != 0; next = next + 1 & mask) {
            long moved = slots[next];
            slots[next] = 0;
            slots[placeOf(slots, moved)] = moved;
        }
        return true;
    }

    private long[] doubled() {
        long[] larger = new long[2 * slots.length];
        for (long digest : slots) {
            if (digest != 0) {
                larger[placeOf(larger, digest)] = digest;
            }
        }
        return larger;
    }

    /** The slot where the digest is or would be. */
    private static int placeOf(long[] table, long digest) {
        int mask = table.length - 1;
        int place = (int) digest & mask;
        while (table[place] != 0 && table[place] != digest) {
            place = place + 1 & mask;
        }
        return place;
    }

    /** Never 0. */
    private static long digest(TopicFilter filter) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(SECRET);
            long digest = ByteBuffer.wrap(sha.digest(filter.text().getBytes(StandardCharsets.UTF_8)))
                    .getLong();
            return digest == 0 ? 1 : digest;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
