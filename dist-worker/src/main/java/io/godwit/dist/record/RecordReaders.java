package io.godwit.dist.record;

import io.godwit.cluster.Member;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which nodes read records. A node of an earlier version stops a range of the dist store at the first mutation that it
 * does not know. So each node announces what it reads, and the first record waits until all have announced it.
 */
public final class RecordReaders {
    /** The attribute by which a member announces that it reads records. */
    public static final String ATTRIBUTE = "records";

    /** The layout of mutations that this version reads, and all before it. */
    public static final String LAYOUT = Integer.toString(RecordKeys.VERSION);

    private RecordReaders() {}

    /**
     * Which members do not say that they read the records that there are. Their ranges of the dist store stop at the
     * first record, in the log or in a snapshot, so they do not come to serve.
     */
    public static SortedSet<String> unable(Collection<Member> members) {
        SortedSet<String> unable = new TreeSet<>();
        for (Member member : members) {
            String layout = member.attributes().getOrDefault(ATTRIBUTE, "");
            // a later version reads what this one does
            if (!layout.matches("[0-9]{1,9}") || Integer.parseInt(layout) < RecordKeys.VERSION) {
                unable.add(member.nodeId());
            }
        }
        return unable;
    }

    /**
     * Why no first record may be written now; empty when it may.
     *
     * @param members that the membership has
     * @param agreed ids of nodes that the agreed view has; some may not be among the members now
     */
    public static Optional<String> lack(Collection<Member> members, Collection<String> agreed) {
        SortedSet<String> absent = new TreeSet<>(agreed);
        SortedSet<String> earlier = new TreeSet<>();
        for (Member member : members) {
            absent.remove(member.nodeId());
            if (!LAYOUT.equals(member.attributes().get(ATTRIBUTE))) {
                earlier.add(member.nodeId());
            }
        }
        if (!earlier.isEmpty()) {
            return Optional.of("the first record of operators would stop nodes of an earlier version, and these do not "
                    + "say yet that they read records: " + String.join(", ", earlier)
                    + "; update them, or ask again when they have started");
        }
        return absent.isEmpty()
                ? Optional.empty()
                : Optional.of("the first record of operators would stop nodes of an earlier version, and these cannot "
                        + "be asked now: " + String.join(", ", absent));
    }
}
