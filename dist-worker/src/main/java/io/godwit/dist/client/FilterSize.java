package io.godwit.dist.client;

import io.godwit.plugin.topic.TopicFilter;

/** The memory size of a filter. Clients choose filters, so limits count their size, not only their number. */
public final class FilterSize {
    /** A node of the index takes about ten times the memory of the shortest level, two characters. */
    private static final int LEVEL_CHARS = 16;

    private static final int FILTER_BYTES = 200;

    private FilterSize() {}

    /**
     * The characters that a filter counts for. In a filter with a wildcard each level counts for more, because it has
     * its own node in the index.
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

    /** Approximate heap bytes of the text, and of its entries in the index and in its owner. */
    public static long heapBytes(TopicFilter filter) {
        return FILTER_BYTES + 2L * chars(filter);
    }
}
