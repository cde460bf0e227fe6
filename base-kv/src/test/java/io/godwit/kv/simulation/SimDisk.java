package io.godwit.kv.simulation;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node's disk for a group: the rest of its log, and the term. Survives crashes. */
final class SimDisk {
    /** @param data null for a leader's first entry of its term */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(long index, long term, byte @Nullable [] data) {
        boolean isCommand() {
            return data != null && data[1] != 1;
        }

        boolean isSplit() {
            return data != null && data[1] == 2;
        }
    }

    long baseIndex;
    long baseTerm;
    final List<Entry> entries = new ArrayList<>();
    long term;

    @Nullable
    Path snapshot;

    long snapshotIndex;
    long snapshotTerm;
    boolean votesBlank;

    long lastIndex() {
        return baseIndex + entries.size();
    }

    long lastTerm() {
        return termAt(lastIndex());
    }

    long termAt(long index) {
        return index == baseIndex ? baseTerm : at(index).term();
    }

    Entry at(long index) {
        return entries.get((int) (index - baseIndex - 1));
    }

    void truncateAfter(long index) {
        entries.subList((int) (index - baseIndex), entries.size()).clear();
    }

    void begin(long index, long beginTerm, @Nullable Path from) {
        baseIndex = index;
        baseTerm = beginTerm;
        entries.clear();
        snapshot = from;
        snapshotIndex = from == null ? 0 : index;
        snapshotTerm = beginTerm;
        term = Math.max(term, beginTerm);
    }

    boolean mayVote() {
        return lastIndex() > 0 || votesBlank;
    }

    void cutBefore(long index) {
        if (index > baseIndex) {
            baseTerm = termAt(index);
            entries.subList(0, (int) (index - baseIndex)).clear();
            baseIndex = index;
        }
    }
}
