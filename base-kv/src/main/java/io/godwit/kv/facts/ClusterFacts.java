package io.godwit.kv.facts;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Facts that hold for the whole cluster, independent of any node's configuration. Immutable.
 *
 * <p>Every node stores them, sends them with each report, and merges the facts of others, so that all nodes converge:
 *
 * <ul>
 *   <li>for the voters wanted of a store, the higher revision counts; of equal revisions, the higher number. So both
 *       sides of a cut link agree once it is mended, on the value of the side that has changed it more often, even if
 *       that is lower;
 *   <li>a forgotten node stays forgotten: store ids are never reused.
 * </ul>
 *
 * <p>All values are bounded, so that invalid facts of a member are refused ({@link #decode}, {@link FactsCodec}) and
 * merged facts can always be sent.
 *
 * <pre>
 * byte version = 1
 * | int stores, each: utf name | long revision | int count | int highest
 * | int forgotten, each: utf store id, a UUID in lower case
 * </pre>
 *
 * @param voters the voters wanted, by the name of the store
 * @param forgotten store ids of nodes that an operator has given up
 */
public record ClusterFacts(Map<String, Voters> voters, Set<String> forgotten) {
    public static final ClusterFacts NONE = new ClusterFacts(Map.of(), Set.of());

    /** More voters would make no data safer, and each write slower. */
    public static final int MAX_VOTERS = 7;

    /** The number of nodes that a cluster can give up in its life. */
    public static final int MAX_FORGOTTEN = 4_096;

    /** Bound on revisions from other nodes, which counting never reaches; a revision at the bound stays there. */
    static final long MAX_REVISION = 1L << 62;

    /** The version that is written, and the newest that is read. */
    public static final int VERSION = 1;

    static final int MAX_STORES = 256;
    private static final int MAX_NAME = 255;

    public ClusterFacts {
        voters = Map.copyOf(voters);
        forgotten = Set.copyOf(forgotten);
    }

    /**
     * The number of voters that every range of a store should have.
     *
     * @param revision rises with each change
     * @param count at least 1; in facts of other nodes at most {@link #MAX_VOTERS}
     * @param highest the highest number ever wanted. A configuration that asks for no more than this is older than the
     *     command that lowered the number
     */
    public record Voters(long revision, int count, int highest) {
        public Voters {
            if (revision < 1 || count < 1 || highest < count) {
                throw new IllegalArgumentException(
                        "voters wanted: revision=" + revision + " count=" + count + " highest=" + highest);
            }
        }

        private Voters merged(Voters other) {
            boolean isOthers = other.revision != revision ? other.revision > revision : other.count > count;
            return new Voters(
                    Math.max(revision, other.revision),
                    isOthers ? other.count : count,
                    Math.max(highest, other.highest));
        }
    }

    /** The voters wanted of the store; empty if no number was noted. */
    public Optional<Voters> wantedOf(String store) {
        return Optional.ofNullable(voters.get(store));
    }

    public boolean isForgotten(String storeId) {
        return forgotten.contains(storeId);
    }

    /** A copy with another number of voters wanted of {@code store}. */
    public ClusterFacts wanting(String store, int count) {
        Voters before = voters.get(store);
        Map<String, Voters> changed = new HashMap<>(voters);
        changed.put(
                store,
                before == null
                        ? new Voters(1, count, count)
                        : new Voters(
                                Math.min(before.revision() + 1, MAX_REVISION),
                                count,
                                Math.max(before.highest(), count)));
        return new ClusterFacts(changed, forgotten);
    }

    /** Whether the node can be given up: the id is valid, and there is room to note it. */
    public boolean mayForget(String storeId) {
        return isStoreId(storeId) && (forgotten.contains(storeId) || forgotten.size() < MAX_FORGOTTEN);
    }

    private static boolean isStoreId(String text) {
        try {
            return UUID.fromString(text).toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A copy in which the node is given up; requires {@link #mayForget}. */
    public ClusterFacts forgetting(String storeId) {
        Set<String> more = new TreeSet<>(forgotten);
        more.add(storeId);
        return new ClusterFacts(voters, more);
    }

    /** The merge of both, the same in either direction; if it would exceed a bound, that part of this object. */
    public ClusterFacts merged(ClusterFacts other) {
        Map<String, Voters> all = new HashMap<>(voters);
        other.voters.forEach((store, wanted) -> all.merge(store, wanted, Voters::merged));
        Set<String> gone = new TreeSet<>(forgotten);
        gone.addAll(other.forgotten);
        return new ClusterFacts(
                all.size() <= MAX_STORES ? all : voters, gone.size() <= MAX_FORGOTTEN ? gone : forgotten);
    }

    /** The facts as they are stored; {@link FactsCodec} is for other nodes. */
    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeInt(voters.size());
            for (Map.Entry<String, Voters> store : new TreeMap<>(voters).entrySet()) {
                out.writeUTF(store.getKey());
                out.writeLong(store.getValue().revision());
                out.writeInt(store.getValue().count());
                out.writeInt(store.getValue().highest());
            }
            out.writeInt(forgotten.size());
            for (String storeId : new TreeSet<>(forgotten)) {
                out.writeUTF(storeId);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if the version is another or a value is invalid */
    public static ClusterFacts decode(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("facts of the cluster of version " + version + ", expected " + VERSION);
            }
            Map<String, Voters> voters = new HashMap<>();
            for (int left = count(in, MAX_STORES); left > 0; left--) {
                voters.put(name(in), voters(in));
            }
            Set<String> forgotten = new TreeSet<>();
            for (int left = count(in, MAX_FORGOTTEN); left > 0; left--) {
                forgotten.add(checkedStoreId(name(in)));
            }
            return new ClusterFacts(voters, forgotten);
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException("facts of the cluster: " + e.getMessage(), e);
        }
    }

    private static String name(DataInputStream in) throws IOException {
        return checkedName(in.readUTF());
    }

    private static Voters voters(DataInputStream in) throws IOException {
        return checked(new Voters(in.readLong(), in.readInt(), in.readInt()));
    }

    private static int count(DataInputStream in, int most) throws IOException {
        return checkedCount(in.readInt(), most);
    }

    // --- the bounds, for each form of the facts

    static String checkedName(String name) throws IOException {
        if (name.length() > MAX_NAME) {
            throw new IOException("name of " + name.length() + " characters, at most " + MAX_NAME);
        }
        return name;
    }

    static String checkedStoreId(String storeId) throws IOException {
        if (!isStoreId(storeId)) {
            throw new IOException("store id \"" + storeId + "\", expected a UUID");
        }
        return storeId;
    }

    static Voters checked(Voters told) throws IOException {
        if (told.revision() > MAX_REVISION || told.highest() > MAX_VOTERS) {
            throw new IOException("voters wanted: revision=" + told.revision() + " count=" + told.count() + " highest="
                    + told.highest() + ", at most " + MAX_REVISION + " and " + MAX_VOTERS);
        }
        return told;
    }

    static int checkedCount(int count, int most) throws IOException {
        if (count < 0 || count > most) {
            throw new IOException("count of " + count + ", at most " + most);
        }
        return count;
    }
}
