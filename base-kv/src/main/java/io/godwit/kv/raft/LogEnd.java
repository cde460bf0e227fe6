package io.godwit.kv.raft;

/**
 * The last entry of a log. A voter gives its vote only to a candidate whose log ends at least where its own does (Raft
 * paper, 5.4.1).
 */
record LogEnd(long term, long index) implements Comparable<LogEnd> {
    @Override
    public int compareTo(LogEnd other) {
        return term == other.term ? Long.compare(index, other.index) : Long.compare(term, other.term);
    }
}
