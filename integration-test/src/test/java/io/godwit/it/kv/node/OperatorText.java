package io.godwit.it.kv.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What is said between a node and its operator.
 *
 * <pre>
 * health                                     STATE DETAIL
 * self                                       store id
 * ranges                                     RANGE;RANGE...  with RANGE =
 *                                                            id,epoch,leader,voter|voter,learner|learner,start,end
 * terms                                      ID,TERM;ID,TERM...   of the leaders
 * clock                                      the time of day in milliseconds
 * peek KEY                                   value VALUE, read without asking other nodes, as it must not be done
 * faults                                     STORE: WHY; STORE: WHY...   replicas that have stopped
 * split ID EPOCH KEY
 * merge ID EPOCH RIGHT-ID RIGHT-EPOCH
 * replica ID EPOCH STEP STORE                STEP as in BalanceAction.ChangeReplica
 * transfer ID EPOCH STORE
 * rest BALANCER                              it is asked no more on this node
 * fill FROM COUNT BYTES                      writes registers; see Filling
 * digest START END                           a {@link Digest} of the registers from START on, up to END, all in one
 *                                            range,
 *                                            whose keys are as long as START
 * </pre>
 *
 * Keys are text without blanks, commas and semicolons; {@code start} is empty for the first range, {@code end} for the
 * last.
 */
public final class OperatorText {
    /** A range as a node knows it. Nodes are named by their store ids. */
    public record RangeText(
            long id, long epoch, String leader, List<String> voters, List<String> learners, String start, String end) {
        /** Whether a register lies in it. */
        public boolean contains(String key) {
            return start.compareTo(key) <= 0 && (end.isEmpty() || key.compareTo(end) < 0);
        }

        @Override
        public String toString() {
            return id + "," + epoch + ',' + leader + ',' + String.join("|", voters) + ',' + String.join("|", learners)
                    + ',' + start + ',' + end;
        }
    }

    private OperatorText() {}

    static String format(List<RangeText> ranges) {
        return String.join(";", ranges.stream().map(RangeText::toString).toList());
    }

    public static List<RangeText> ranges(String text) {
        List<RangeText> ranges = new ArrayList<>();
        for (String range : text.split(";", -1)) {
            if (range.isEmpty()) {
                continue;
            }
            String[] words = range.split(",", -1);
            ranges.add(new RangeText(
                    Long.parseLong(words[0]),
                    Long.parseLong(words[1]),
                    words[2],
                    names(words[3]),
                    names(words[4]),
                    words[5],
                    words[6]));
        }
        return ranges;
    }

    /** The same with other names for the nodes. */
    public static RangeText renamed(RangeText range, Map<String, String> names) {
        return new RangeText(
                range.id(),
                range.epoch(),
                names.getOrDefault(range.leader(), range.leader()),
                range.voters().stream().map(id -> names.getOrDefault(id, id)).toList(),
                range.learners().stream().map(id -> names.getOrDefault(id, id)).toList(),
                range.start(),
                range.end());
    }

    private static List<String> names(String text) {
        List<String> names = new ArrayList<>(List.of(text.split("\\|", -1)));
        names.removeIf(String::isEmpty);
        return names;
    }
}
