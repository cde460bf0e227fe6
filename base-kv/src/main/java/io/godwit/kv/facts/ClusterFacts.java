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
 * What holds for the whole cluster, whatever the configuration of a node says. Immutable.
 *
 * <p>Every node notes all of it, tells it with each report, and takes over what others tell, so that all come to have
 * the same without asking anybody:
 *
 * <ul>
 *   <li>of what is wanted of a store the higher revision counts, and of two alike the one with more voters. So both
 *       sides of a cut link come to have the same once it is mended: what the side has asked for that has changed it
 *       more often, be it less than the other has;
 *   <li>who is forgotten stays so: a store id is never given again.
 * </ul>
 *
 * <p>All of it is bounded, so that a member that tells nonsense is refused ({@link #decode}), and what is taken over
 * can always be told.
 *
 * <pre>
 * byte version = 1
 * | int stores, each: utf name | long revision | int count | int highest
 * | int forgotten, each: utf store id, a UUID in lower case
 * </pre>
 *
 * @param voters by the name of the store
 * @param forgotten store ids of nodes that an operator has given up
 */
public record ClusterFacts(Map<String, Voters> voters, Set<String> forgotten) {
    public static final ClusterFacts NONE = new ClusterFacts(Map.of(), Set.of());

    /** More make nothing safer, and each write slower. */
    public static final int MAX_VOTERS = 7;

    /** Nodes that a cluster can give up in its life. */
    public static final int MAX_FORGOTTEN = 4_096;

    /** Never reached by counting; what is asked for then leaves it as it is. */
    static final long MAX_REVISION = 1L << 62;

    /** Of what is written, and the newest that is read. */
    public static final int VERSION = 1;

    private static final int MAX_STORES = 256;
    private static final int MAX_NAME = 255;

    public ClusterFacts {
        voters = Map.copyOf(voters);
        forgotten = Set.copyOf(forgotten);
    }

    /**
     * How many voters every range of a store is to have.
     *
     * @param revision rises with each change
     * @param count at least 1; of what others tell, {@link #MAX_VOTERS} at most
     * @param highest that was ever wanted. A configuration that says no more than that is older than the command that
     *     has lowered the count
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

    /** What is wanted of the store; empty when nobody has noted anything. */
    public Optional<Voters> wantedOf(String store) {
        return Optional.ofNullable(voters.get(store));
    }

    public boolean isForgotten(String storeId) {
        return forgotten.contains(storeId);
    }

    /** The same with another number of voters wanted, from now on. */
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

    /** Whether the node can be given up: it has the id of one, and there is room to note it. */
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

    /** The same with one more node given up, which {@link #mayForget}. */
    public ClusterFacts forgetting(String storeId) {
        Set<String> more = new TreeSet<>(forgotten);
        more.add(storeId);
        return new ClusterFacts(voters, more);
    }

    /** What both say, whichever is asked; where that would be more than is bounded here, what this one says. */
    public ClusterFacts merged(ClusterFacts other) {
        Map<String, Voters> all = new HashMap<>(voters);
        other.voters.forEach((store, wanted) -> all.merge(store, wanted, Voters::merged));
        Set<String> gone = new TreeSet<>(forgotten);
        gone.addAll(other.forgotten);
        return new ClusterFacts(
                all.size() <= MAX_STORES ? all : voters, gone.size() <= MAX_FORGOTTEN ? gone : forgotten);
    }

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

    /** @throws IOException if it is none of this version, or says what cannot be */
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
                String storeId = name(in);
                if (!isStoreId(storeId)) {
                    throw new IOException("store id \"" + storeId + "\", expected a UUID");
                }
                forgotten.add(storeId);
            }
            return new ClusterFacts(voters, forgotten);
        } catch (IllegalArgumentException e) { // what the records refuse
            throw new IOException("facts of the cluster: " + e.getMessage(), e);
        }
    }

    private static String name(DataInputStream in) throws IOException {
        String name = in.readUTF();
        if (name.length() > MAX_NAME) {
            throw new IOException("name of " + name.length() + " characters, at most " + MAX_NAME);
        }
        return name;
    }

    private static Voters voters(DataInputStream in) throws IOException {
        Voters told = new Voters(in.readLong(), in.readInt(), in.readInt());
        if (told.revision() > MAX_REVISION || told.highest() > MAX_VOTERS) {
            throw new IOException("voters wanted: revision=" + told.revision() + " count=" + told.count() + " highest="
                    + told.highest() + ", at most " + MAX_REVISION + " and " + MAX_VOTERS);
        }
        return told;
    }

    private static int count(DataInputStream in, int most) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > most) {
            throw new IOException("count of " + count + ", at most " + most);
        }
        return count;
    }
}
