package io.godwit.it.kv.node;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a node is started.
 *
 * @param name for its log
 * @param host its address, for clients and for other nodes
 * @param clientPort where clients are served
 * @param clusterPort of the membership; 0 for a node that is alone
 * @param bootstrap whether it may make the store
 * @param seeds addresses of members, as host:port
 * @param splitKeys where the store is cut when it is made
 * @param lowWaterBytes free disk below which writes are refused
 * @param cacheBytes for blocks and memtables, half of it at most for those
 * @param snapshotLogBytes after how many bytes of log a snapshot is taken
 * @param snapshotBytesPerSecond how fast snapshots are sent to other nodes
 * @param electionMillis after so long a silence of its leader a follower stands for election
 * @param proxyPort all connections to other nodes pass a proxy at this port of the loopback address; 0 for none
 * @param graceSeconds how long a replica must be stopped, or a node down, until it is replaced
 * @param areVotersSoon whether ranges get their voters faster than in a broker
 * @param fault what is wrong with it; {@code GENUINE} for the real store
 */
public record NodeOptions(
        String name,
        Path data,
        String host,
        int clientPort,
        int clusterPort,
        int rpcPort,
        boolean bootstrap,
        List<String> seeds,
        List<String> splitKeys,
        long lowWaterBytes,
        long cacheBytes,
        long snapshotLogBytes,
        long snapshotBytesPerSecond,
        int electionMillis,
        int proxyPort,
        int graceSeconds,
        boolean areVotersSoon,
        Fault fault) {

    /** What a node does wrong. All but the first are a few lines in memory and a file, and no store at all. */
    public enum Fault {
        /** The store under test. */
        GENUINE,
        /** A good one, in a few lines. */
        NONE,
        /** Now and then a read answers the value before. */
        STALE_READ,
        /** Now and then a write is acknowledged and not done. */
        LOST_WRITE,
        /** Now and then a write is done once more, some later ones after it. */
        DOUBLE_APPLY,
        /** Now and then a compare-and-set compares with the value before. */
        OLD_CAS,
        /** What was acknowledged within half a second before a kill is gone. */
        FORGETS_AT_KILL
    }

    public List<String> arguments() {
        return List.of(
                "name=" + name,
                "data=" + data,
                "host=" + host,
                "clientPort=" + clientPort,
                "clusterPort=" + clusterPort,
                "rpcPort=" + rpcPort,
                "bootstrap=" + bootstrap,
                "seeds=" + String.join(",", seeds),
                "splitKeys=" + String.join(",", splitKeys),
                "lowWaterBytes=" + lowWaterBytes,
                "cacheBytes=" + cacheBytes,
                "snapshotLogBytes=" + snapshotLogBytes,
                "snapshotBytesPerSecond=" + snapshotBytesPerSecond,
                "electionMillis=" + electionMillis,
                "proxyPort=" + proxyPort,
                "graceSeconds=" + graceSeconds,
                "areVotersSoon=" + areVotersSoon,
                "fault=" + fault);
    }

    /** Reads what {@link #arguments} has written. */
    static NodeOptions parse(String[] arguments) {
        Map<String, String> values = new HashMap<>();
        for (String argument : arguments) {
            int cut = argument.indexOf('=');
            values.put(argument.substring(0, cut), argument.substring(cut + 1));
        }
        return new NodeOptions(
                values.get("name"),
                Path.of(values.get("data")),
                values.get("host"),
                Integer.parseInt(values.get("clientPort")),
                Integer.parseInt(values.get("clusterPort")),
                Integer.parseInt(values.get("rpcPort")),
                Boolean.parseBoolean(values.get("bootstrap")),
                list(values.get("seeds")),
                list(values.get("splitKeys")),
                Long.parseLong(values.get("lowWaterBytes")),
                Long.parseLong(values.get("cacheBytes")),
                Long.parseLong(values.get("snapshotLogBytes")),
                Long.parseLong(values.get("snapshotBytesPerSecond")),
                Integer.parseInt(values.get("electionMillis")),
                Integer.parseInt(values.get("proxyPort")),
                Integer.parseInt(values.get("graceSeconds")),
                Boolean.parseBoolean(values.get("areVotersSoon")),
                Fault.valueOf(values.get("fault")));
    }

    private static List<String> list(String text) {
        List<String> words = new ArrayList<>(List.of(text.split(",", -1)));
        words.removeIf(String::isEmpty);
        return words;
    }
}
