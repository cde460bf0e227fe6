package io.godwit.inbox.local;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A set of hash codes that grows and never loses one: 5 to 11 bytes each. One thread adds at a time, any thread looks;
 * who looks after an {@link #add} that happened before finds it.
 */
final class HashCodes {
    private static final int FIRST_SLOTS = 64;

    /**
     * Open addressing; its length is a power of two. 0 is a free slot. Replaced as a whole when it grows: who still
     * looks into the old one has come before.
     */
    private volatile AtomicIntegerArray slots;

    private int size;

    HashCodes() {
        slots = new AtomicIntegerArray(FIRST_SLOTS);
    }

    private HashCodes(HashCodes other) {
        AtomicIntegerArray theirs = other.slots;
        int[] copy = new int[theirs.length()];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = theirs.get(i);
        }
        slots = new AtomicIntegerArray(copy);
        size = other.size;
    }

    /** By the thread that adds to it. */
    HashCodes copy() {
        return new HashCodes(this);
    }

    boolean contains(int hash) {
        AtomicIntegerArray table = slots;
        return table.get(placeOf(table, stored(hash))) != 0;
    }

    void add(int hash) {
        AtomicIntegerArray table = slots;
        int code = stored(hash);
        int place = placeOf(table, code);
        if (table.get(place) != 0) {
            return;
        }
        if (4 * (size + 1L) > 3L * table.length()) {
            table = doubled(table);
            place = placeOf(table, code);
            table.set(place, code);
            slots = table;
        } else {
            table.set(place, code);
        }
        size++;
    }

    int size() {
        return size;
    }

    private static AtomicIntegerArray doubled(AtomicIntegerArray table) {
        AtomicIntegerArray larger = new AtomicIntegerArray(2 * table.length());
        for (int i = 0; i < table.length(); i++) {
            int code = table.get(i);
            if (code != 0) {
                larger.setPlain(placeOf(larger, code), code);
            }
        }
        return larger;
    }

    /** Where it is, or would be. */
    private static int placeOf(AtomicIntegerArray table, int code) {
        int mask = table.length() - 1;
        int place = code & mask;
        for (int found = table.get(place); found != 0 && found != code; found = table.get(place)) {
            place = place + 1 & mask;
        }
        return place;
    }

    private static int stored(int hash) {
        return hash == 0 ? 1 : hash;
    }
}
