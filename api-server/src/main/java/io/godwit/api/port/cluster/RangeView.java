package io.godwit.api.port.cluster;

import java.util.List;

/**
 * A range of a store, as this node knows it: the data of ranges led by other nodes may be some seconds old.
 *
 * @param epoch rises with every split, merge and change of voters
 * @param start readable form of the first key, inclusive: printable ASCII as it is, other bytes as {@code \xNN};
 *     empty is the beginning of the key space
 * @param end readable form of the end, exclusive; empty is the end of the key space
 * @param startHex the first key in lower-case hexadecimal; these texts sort as the keys do
 * @param endHex the end in lower-case hexadecimal
 * @param leader store id; empty while none is known
 * @param voters store ids
 * @param learners store ids of replicas that do not vote
 * @param sizeBytes on disk, about, of one replica
 * @param operationsPerSecond reads and writes of single keys, mean of the last seconds
 * @param peakOperationsPerSecond the highest such mean of the last minutes
 * @param change the change under way; empty for none
 * @param faults replicas that have stopped, a line each
 */
public record RangeView(
        String store,
        long id,
        long epoch,
        String start,
        String end,
        String startHex,
        String endHex,
        String leader,
        long term,
        List<String> voters,
        List<String> learners,
        long sizeBytes,
        double operationsPerSecond,
        double peakOperationsPerSecond,
        String change,
        List<String> faults) {
    public RangeView {
        voters = List.copyOf(voters);
        learners = List.copyOf(learners);
        faults = List.copyOf(faults);
    }
}
