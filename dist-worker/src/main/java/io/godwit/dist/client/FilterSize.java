package io.godwit.dist.client;

import io.godwit.plugin.topic.TopicFilter;

/** What a filter takes in memory. Clients choose filters, so limits count their size, not only their number. */
public final class FilterSize {
    /** A node of the index takes some ten times the memory of the two characters that a level may have. */
    private static final int LEVEL_CHARS = 16;

    private static final int FILTER_BYTES = 200;

    private FilterSize() {}

    /**
     * The characters that a filter counts for. With a wildcard each level counts for some more: it has a node of its
     * own in the index of filters.
     */
    public static int chars(TopicFilter filter) {
        String text = filter.text();
        int levels = 0;
        if (text.indexOf('+') >= 0 || text.indexOf('#') >= 0) {
            levels = 1;
            for (int slash = text.indexOf('/'); slash >= 0; slash = text.indexOf('/', slash + 1)) {
                levels++;
            }
        }
        return text.length() + LEVEL_CHARS * levels;
    }

    /** Bytes on the heap, about: the text of the filter, its places in the index and in what owns it. */
    public static long heapBytes(TopicFilter filter) {
        return FILTER_BYTES + 2L * chars(filter);
    }
}
