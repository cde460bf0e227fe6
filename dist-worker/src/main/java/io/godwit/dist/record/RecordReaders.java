package io.godwit.dist.record;

import io.godwit.cluster.member.Member;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decides which nodes can read records. A node of an earlier version stops a range of the dist store at the first
 * mutation that it does not know. So each node announces the layout it reads, and the first record waits until all
 * nodes have announced it.
 */
public final class RecordReaders {
    /** The member attribute that announces the layout. */
    public static final String ATTRIBUTE = "records";

    /** The newest layout of mutations that this version reads; it reads all earlier ones too. */
    public static final String LAYOUT = Integer.toString(RecordKeys.VERSION);

    private RecordReaders() {}

    /**
     * The members that have not announced that they read records of this layout. Their ranges of the dist store stop at
     * the first record, in the log or in a snapshot, so these members do not come to serve.
     */
    public static SortedSet<String> unable(Collection<Member> members) {
        SortedSet<String> unable = new TreeSet<>();
        for (Member member : members) {
            String layout = member.attributes().getOrDefault(ATTRIBUTE, "");
            // a later version reads the layouts of this one
            if (!layout.matches("[0-9]{1,9}") || Integer.parseInt(layout) < RecordKeys.VERSION) {
                unable.add(member.nodeId());
            }
        }
        return unable;
    }

    /**
     * Why no first record may be written now; empty when it may.
     *
     * @param members the present members of the cluster membership
     * @param agreed node ids of the agreed view; some may not be among the members now
     */
    public static Optional<String> lack(Collection<Member> members, Collection<String> agreed) {
        SortedSet<String> absent = new TreeSet<>(agreed);
        members.forEach(member -> absent.remove(member.nodeId()));
        SortedSet<String> earlier = unable(members);
        if (!earlier.isEmpty()) {
            return Optional.of("nodes of an earlier version would stop at the first record of operators. These have "
                    + "not reported yet that they read records: " + String.join(", ", earlier)
                    + "; update them, or try again when they have started");
        }
        return absent.isEmpty()
                ? Optional.empty()
                : Optional.of("nodes of an earlier version would stop at the first record of operators. These cannot "
                        + "be asked now: " + String.join(", ", absent));
    }
}
