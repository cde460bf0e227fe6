package io.godwit.kv.raft.snapshot;

import io.godwit.cluster.member.Member;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.snapshot.SnapshotMessages.SnapshotName;
import io.godwit.kv.raft.wire.RaftThreads;
import io.grpc.Channel;
import java.io.IOException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Transfers snapshots between nodes: serves those that this node offers, and copies those of other nodes. JRaft's own
 * transfer reads each file again from its beginning for every part, so its time grows with the square of the size.
 */
public final class SnapshotTransfer implements AutoCloseable {
    private static final String SCHEME = "godwit://";

    private final RpcServer server;
    private final RpcChannels channels;
    private final String selfId;
    private final NodeProtocol protocol;
    private final SnapshotFileService files;
    /** Run the copies; they wait for parts most of the time. */
    private final ThreadPoolExecutor copies = RaftThreads.unbounded("raft-copy");
    /** Incremented by the threads of all copies. */
    private final LongAdder received = new LongAdder();

    private final LongAdder failed = new LongAdder();

    private final AtomicInteger underWay = new AtomicInteger();

    /** @param protocol the versions of the messages that this node supports */
    public SnapshotTransfer(
            RpcServer server, RpcChannels channels, String selfId, NodeProtocol protocol, Bandwidth bandwidth) {
        this.server = server;
        this.channels = channels;
        this.selfId = selfId;
        this.protocol = protocol;
        this.files = new SnapshotFileService(protocol, bandwidth);
        server.add(files.definition());
    }

    /**
     * The address of a snapshot, as JRaft passes it to a follower: {@code godwit://STORE/GROUP/INDEX}.
     *
     * @param storeId the node that offers the snapshot
     */
    record Source(String storeId, SnapshotName name) {
        /** Parses an address; null if {@code uri} has another form. */
        static @Nullable Source parse(String uri) {
            String[] parts =
                    uri.startsWith(SCHEME) ? uri.substring(SCHEME.length()).split("/", -1) : new String[0];
            if (parts.length != 3 || !parts[2].matches("\\d{1,18}")) {
                return null;
            }
            return new Source(parts[0], new SnapshotName(parts[1], Long.parseLong(parts[2])));
        }

        String uri() {
            return SCHEME + storeId + "/" + name.group() + "/" + name.index();
        }
    }

    Source here(SnapshotName name) {
        return new Source(selfId, name);
    }

    public SnapshotFileService files() {
        return files;
    }

    /** Runs a copy on its own thread. */
    void run(Runnable copy) {
        underWay.incrementAndGet();
        copies.execute(() -> {
            try {
                copy.run();
            } finally {
                underWay.decrementAndGet();
            }
        });
    }

    void received(long bytes) {
        received.add(bytes);
    }

    /** Bytes received since the start, for all groups; parts that were requested again count again. */
    public long bytesReceived() {
        return received.sum();
    }

    void failed() {
        failed.increment();
    }

    public long copiesFailed() {
        return failed.sum();
    }

    public int copiesUnderWay() {
        return underWay.get();
    }

    @Nullable
    Channel channelTo(String storeId) {
        return channels.to(storeId);
    }

    /** @throws IOException if there is no common version with the node */
    SnapshotForm formFor(String storeId) throws IOException {
        Member member = channels.member(storeId);
        int version = protocol.agreedWith(member);
        if (version == 0) {
            throw new IOException(protocol.lackWith(member));
        }
        return SnapshotForm.of(version);
    }

    @Override
    public void close() {
        server.remove(files.definition());
        files.close();
        copies.shutdownNow();
    }
}
