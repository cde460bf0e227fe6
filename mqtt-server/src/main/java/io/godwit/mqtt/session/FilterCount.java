package io.godwit.mqtt.session;

import io.godwit.plugin.topic.TopicFilter;
import java.util.Arrays;

/**
 * Counts the filters of a session, by their hash codes alone, since a session that names one again must not be counted twice and sessions
 * are many. Two filters of one hash code count as one: the count may be too low, never too high. Confined to the loop of its session.
 */
final class FilterCount {
    /** Sorted; {@link #size} of them are used. */
    private int[] hashes = new int[1];

    private int size;
    private int chars;

    int size() {
        return size;
    }

    /** Together. */
    int chars() {
        return chars;
    }

    boolean contains(TopicFilter filter) {
        return placeOf(filter) >= 0;
    }

    void add(TopicFilter filter) {
        int place = placeOf(filter);
        if (place >= 0) {
            return;
        }
        if (size == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * size);
        }
        int at = -place - 1;
        System.arraycopy(hashes, at, hashes, at + 1, size - at);
        hashes[at] = filter.hashCode();
        size++;
        chars += filter.text().length();
    }

    void remove(TopicFilter filter) {
        int place = placeOf(filter);
        if (place >= 0) {
            size--;
            chars = Math.max(0, chars - filter.text().length()); // another one of its hash code may have been counted
            System.arraycopy(hashes, place + 1, hashes, place, size - place);
        }
    }

    private int placeOf(TopicFilter filter) {
        return Arrays.binarySearch(hashes, 0, size, filter.hashCode());
    }
}
