package io.godwit.kv.raft.log;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the node keeps in memory of one group's log: where it starts and ends, the term of each index and the voters of
 * each configuration, so that an append, or a question for a term or for voters, reads nothing from disk.
 *
 * <p>Changed by the group's one log thread after the change is durable; asked by the group's other JRaft threads, and
 * by whoever looks for an operator. The monitor is held for a few map operations only.
 */
public final class GroupLog {
    private final String id;
    private final int number;

    /** Start of a run of entries of one term to that term. Covers firstIndex to lastIndex without holes. */
    private final TreeMap<Long, Long> termRuns = new TreeMap<>();

    /** Voters by the index of each configuration entry between firstIndex and lastIndex. */
    private final TreeMap<Long, List<String>> configurations = new TreeMap<>();

    /** Rises when a truncation begins and when it has ended: odd while entries are gone that are within the indexes. */
    private long truncations;

    private long firstIndex = 1;
    private long lastIndex; // firstIndex - 1 when there is no entry
    private Vote vote = NO_VOTE;

    /** The term a replica is in and whom it gave its vote of that term; empty for nobody. */
    record Vote(long term, String votedFor) {}

    /** Of a replica that has been in no term. */
    static final Vote NO_VOTE = new Vote(0, "");

    GroupLog(String id, int number) {
        this.id = id;
        this.number = number;
    }

    String id() {
        return id;
    }

    int number() {
        return number;
    }

    synchronized long firstIndex() {
        return firstIndex;
    }

    synchronized long lastIndex() {
        return lastIndex;
    }

    synchronized Vote vote() {
        return vote;
    }

    synchronized void voted(Vote next) {
        vote = next;
    }

    /** Whether it is as a group that has done nothing yet. */
    synchronized boolean isBlank() {
        return firstIndex == 1 && lastIndex == 0 && vote.equals(NO_VOTE);
    }

    /** The term of the entry at {@code index}; 0 when there is none. */
    synchronized long termOf(long index) {
        if (index < firstIndex || index > lastIndex) {
            return 0;
        }
        Map.@Nullable Entry<Long, Long> run = termRuns.floorEntry(index);
        return run == null ? 0 : run.getValue();
    }

    synchronized List<Long> configurationIndexes() {
        return List.copyOf(configurations.keySet());
    }

    /** The voters of the last configuration in the log, as store ids; empty when there is none in it. */
    synchronized List<String> lastVoters() {
        return configurations.isEmpty() ? List.of() : configurations.lastEntry().getValue();
    }

    synchronized long truncations() {
        return truncations;
    }

    /** Whether no truncation has been under way since {@link #truncations} said {@code seen}. */
    synchronized boolean isUntouchedSince(long seen) {
        return truncations == seen && seen % 2 == 0;
    }

    /** Some entries are about to go; {@link #truncated} follows. */
    synchronized void truncates() {
        truncations++;
    }

    /** They have, and the indexes say so. */
    synchronized void truncated() {
        truncations++;
    }

    /**
     * Takes up an entry that follows the last one.
     *
     * @param voters store ids, if it is a configuration; else null
     */
    synchronized void appended(long index, long term, @Nullable List<String> voters) {
        if (index != lastIndex + 1) {
            throw new IllegalArgumentException(
                    "group " + id + ": entry " + index + " does not follow the last entry " + lastIndex);
        }
        Map.@Nullable Entry<Long, Long> run = termRuns.lastEntry();
        if (run == null || run.getValue() != term) {
            termRuns.put(index, term);
        }
        if (voters != null) {
            List<String> before = lastVoters(); // each new leader writes the same again
            configurations.put(index, before.equals(voters) ? before : List.copyOf(voters));
        }
        lastIndex = index;
    }

    /** Forgets all before {@code index}, which may lie beyond the last entry. */
    synchronized void startAt(long index) {
        long term = termOf(index);
        termRuns.headMap(index, true).clear();
        if (index <= lastIndex) {
            termRuns.put(index, term);
        } else {
            termRuns.clear();
            lastIndex = index - 1;
        }
        configurations.headMap(index).clear();
        firstIndex = index;
    }

    /** Forgets all after {@code index}. */
    synchronized void endAt(long index) {
        if (index >= lastIndex) {
            return;
        }
        lastIndex = Math.max(index, firstIndex - 1);
        termRuns.tailMap(lastIndex + 1).clear();
        configurations.tailMap(lastIndex + 1).clear();
    }

    /** Forgets every entry; the next one will be {@code nextIndex}. */
    synchronized void restartAt(long nextIndex) {
        termRuns.clear();
        configurations.clear();
        firstIndex = nextIndex;
        lastIndex = nextIndex - 1;
    }
}
