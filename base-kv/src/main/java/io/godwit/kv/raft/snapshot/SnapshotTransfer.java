package io.godwit.kv.raft.snapshot;

import io.godwit.cluster.RpcChannels;
import io.godwit.cluster.RpcServer;
import io.godwit.kv.raft.snapshot.SnapshotMessages.SnapshotName;
import io.godwit.kv.raft.wire.RaftThreads;
import io.grpc.Channel;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots from node to node: what this node offers, and how it takes in what others do. JRaft's own way reads each
 * file from its beginning again for every part, so that time grows with the square of its size.
 */
public final class SnapshotTransfer implements AutoCloseable {
    private static final String SCHEME = "godwit://";

    private final RpcServer server;
    private final RpcChannels channels;
    private final String selfId;
    private final SnapshotFileService files;
    /** Run the copies, and wait for parts most of the time. */
    private final ThreadPoolExecutor copies = RaftThreads.unbounded("raft-copy");
    /** Counted by the threads of all copies. */
    private final LongAdder received = new LongAdder();

    private final LongAdder failed = new LongAdder();

    private final AtomicInteger underWay = new AtomicInteger();

    public SnapshotTransfer(RpcServer server, RpcChannels channels, String selfId, Bandwidth bandwidth) {
        this.server = server;
        this.channels = channels;
        this.selfId = selfId;
        this.files = new SnapshotFileService(bandwidth);
        server.add(files.definition());
    }

    /**
     * Where a follower finds a snapshot, as JRaft tells it: {@code godwit://STORE/GROUP/INDEX}.
     *
     * @param storeId the node that offers it
     */
    record Source(String storeId, SnapshotName name) {
        /** Null when it is no such address. */
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

    /** Runs a copy on a thread of its own. */
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

    /** Since the start, of all groups; parts that were asked for again count again. */
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

    @Override
    public void close() {
        server.remove(files.definition());
        files.close();
        copies.shutdownNow();
    }
}
