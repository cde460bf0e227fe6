package io.godwit.mqtt.client;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A part of a sorted list of clients.
 *
 * @param entries by ascending keys, none twice
 * @param next where to continue: all entries up to this key have been looked at, and none after it; null at the end
 *     of the list
 */
public record ClientPage<T extends ClientPage.Entry>(
        List<T> entries, @Nullable ClientKey next) {

    /** An entry of a list. */
    public interface Entry {
        ClientKey key();

        /** Of two entries with one key the newer one counts: the other is about to end. */
        long connectedAtMillis();
    }

    private static final Comparator<Entry> NEWER_FIRST = Comparator.comparing(Entry::key)
            .thenComparing(Comparator.comparingLong(Entry::connectedAtMillis).reversed());

    public ClientPage {
        entries = List.copyOf(entries);
    }

    /**
     * Merges the pages of several lists, all requested after the same key, into one. Entries after the lowest key that
     * any list stopped at are left for the next page, since that list may have more entries before them.
     *
     * @param limit entries at most, at least 1
     */
    public static <T extends Entry> ClientPage<T> merged(List<ClientPage<T>> pages, int limit) {
        ClientKey end = pages.stream()
                .map(ClientPage::next)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        List<T> sorted = pages.stream()
                .flatMap(page -> end == null ? page.entries.stream() : upTo(page.entries, end))
                .sorted(NEWER_FIRST)
                .toList();
        List<T> merged = new ArrayList<>(Math.min(limit, sorted.size()));
        ClientKey last = null;
        for (T entry : sorted) {
            ClientKey key = entry.key();
            if (key.equals(last)) {
                continue;
            }
            if (merged.size() == limit) {
                return new ClientPage<>(merged, last);
            }
            merged.add(entry);
            last = key;
        }
        return new ClientPage<>(merged, end);
    }

    private static <T extends Entry> Stream<T> upTo(List<T> entries, ClientKey end) {
        return entries.stream().takeWhile(entry -> entry.key().compareTo(end) <= 0);
    }
}
