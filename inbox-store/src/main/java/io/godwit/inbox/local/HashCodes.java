package io.godwit.inbox.local;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A set of hash codes that only grows: 5 to 11 bytes each. One thread adds at a time, any thread looks up; a look-up
 * finds every code whose {@link #add} happened before it.
 */
final class HashCodes {
    private static final int FIRST_SLOTS = 64;

    /**
     * Open addressing; its length is a power of two. 0 is a free slot. Growing replaces the table; readers of the old
     * table began before the newest add.
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

    /** Called by the thread that adds. */
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

    /** Index of the code, or of the free slot for it. */
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
