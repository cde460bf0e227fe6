package io.godwit.kv.raft.log;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of one group's log that the node keeps in memory: its first and last index, the term of each index and the
 * voters of each configuration. So appends and look-ups of terms and voters read nothing from disk.
 *
 * <p>Changed by the group's log thread after the change is durable; read by the group's other JRaft threads and for
 * operators. The monitor is held for a few map operations only.
 */
public final class GroupLog {
    private final String id;
    private final int number;

    /** The term of each run of entries, by its first index. Covers firstIndex to lastIndex without gaps. */
    private final TreeMap<Long, Long> termRuns = new TreeMap<>();

    /** The voters of each configuration entry between firstIndex and lastIndex, by index. */
    private final TreeMap<Long, List<String>> configurations = new TreeMap<>();

    /**
     * Incremented when a truncation begins and when it ends; odd while entries within the indexes may be deleted
     * already.
     */
    private long truncations;

    private long firstIndex = 1;
    private long lastIndex; // firstIndex - 1 if there is no entry
    private Vote vote = NO_VOTE;

    /** The term of a replica and the candidate it voted for in that term; empty for none. */
    record Vote(long term, String votedFor) {}

    /** For a replica that has not been in any term. */
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

    /** Whether the group has written nothing yet. */
    synchronized boolean isBlank() {
        return firstIndex == 1 && lastIndex == 0 && vote.equals(NO_VOTE);
    }

    /** Whether it has neither entries, nor a beginning after a snapshot, nor a vote. It may have heard of a term. */
    synchronized boolean isUnused() {
        return firstIndex == 1 && lastIndex == 0 && vote.votedFor().isEmpty();
    }

    /** The term of the entry at {@code index}; 0 if there is none. */
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

    /** The voters of the last configuration in the log, as store ids; empty if the log has none. */
    synchronized List<String> lastVoters() {
        return configurations.isEmpty() ? List.of() : configurations.lastEntry().getValue();
    }

    synchronized long truncations() {
        return truncations;
    }

    /** Whether no truncation was in progress since {@link #truncations} returned {@code seen}. */
    synchronized boolean isUntouchedSince(long seen) {
        return truncations == seen && seen % 2 == 0;
    }

    /** A truncation begins; {@link #truncated} follows. */
    synchronized void truncates() {
        truncations++;
    }

    /** The truncation has ended, and the indexes are correct again. */
    synchronized void truncated() {
        truncations++;
    }

    /**
     * Adds an entry that follows the last one.
     *
     * @param voters store ids if the entry is a configuration; else null
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
            List<String> before = lastVoters(); // each new leader writes the same configuration again
            configurations.put(index, before.equals(voters) ? before : List.copyOf(voters));
        }
        lastIndex = index;
    }

    /** Removes all entries before {@code index}, which may be beyond the last entry. */
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

    /** Removes all entries after {@code index}. */
    synchronized void endAt(long index) {
        if (index >= lastIndex) {
            return;
        }
        lastIndex = Math.max(index, firstIndex - 1);
        termRuns.tailMap(lastIndex + 1).clear();
        configurations.tailMap(lastIndex + 1).clear();
    }

    /** Removes all entries; the next one will have index {@code nextIndex}. */
    synchronized void restartAt(long nextIndex) {
        termRuns.clear();
        configurations.clear();
        firstIndex = nextIndex;
        lastIndex = nextIndex - 1;
    }
}
