package io.godwit.kv.member;

import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Member;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last known addresses of the nodes of the cluster, stored durably: a node that restarts must name the nodes that
 * it waits for, before it has seen them. Changed on the cluster's thread, read on any.
 *
 * <pre>
 * record   UTF-8, for each node a line: store id | space | host:port of its RPC
 * </pre>
 */
public final class NodeAddresses implements ClusterListener {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAddresses.class);
    private static final int SHORT = 8;

    private final Map<String, String> addresses = new ConcurrentHashMap<>();
    private final Predicate<Member> isOurs;
    private final Consumer<byte[]> keep;
    private final Executor io;

    /**
     * @param noted the stored record; null if there is none
     * @param keep stores the record; blocks
     * @param io runs tasks that block
     */
    public NodeAddresses(byte @Nullable [] noted, Predicate<Member> isOurs, Consumer<byte[]> keep, Executor io) {
        this.isOurs = isOurs;
        this.keep = keep;
        this.io = io;
        if (noted != null) {
            new String(noted, StandardCharsets.UTF_8).lines().forEach(line -> {
                int space = line.indexOf(' ');
                if (space > 0) {
                    addresses.put(line.substring(0, space), line.substring(space + 1));
                }
            });
        }
    }

    /** A name of the node for operators: the first letters of its store id, and its last known address. */
    public String nameOf(String storeId) {
        String shortId = storeId.substring(0, Math.min(SHORT, storeId.length()));
        String address = addresses.get(storeId);
        return address == null ? "node " + shortId : "node " + shortId + " at " + address;
    }

    @Override
    public void joined(Member member) {
        String address = member.rpc().toString();
        if (isOurs.test(member) && !address.equals(addresses.put(member.nodeId(), address))) {
            noteLater();
        }
    }

    /** Removes a node that was given up. Any thread. */
    public void forget(String storeId) {
        if (addresses.remove(storeId) != null) {
            noteLater();
        }
    }

    private void noteLater() {
        try {
            io.execute(this::note);
        } catch (RejectedExecutionException e) {
            LOG.debug("addresses not noted: closing");
        }
    }

    @Override
    public void updated(Member member) {
        joined(member);
    }

    /** Stores the addresses known now. Synchronized, so that the record written last is complete. */
    private synchronized void note() {
        StringBuilder record = new StringBuilder();
        new TreeMap<>(addresses)
                .forEach((storeId, address) ->
                        record.append(storeId).append(' ').append(address).append('\n'));
        keep.accept(record.toString().getBytes(StandardCharsets.UTF_8));
    }
}
