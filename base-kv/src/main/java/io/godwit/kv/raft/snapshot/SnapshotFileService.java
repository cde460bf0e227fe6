package io.godwit.kv.raft.snapshot;

import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotMetaTable;
import com.google.protobuf.ByteString;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.snapshot.SnapshotForm.Ask;
import io.godwit.kv.raft.snapshot.SnapshotMessages.FileSize;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Listing;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Part;
import io.godwit.kv.raft.snapshot.SnapshotMessages.SnapshotName;
import io.godwit.kv.raft.wire.RaftThreads;
import io.godwit.kv.wire.SnapshotBytes;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the files of snapshots that this node offers to other nodes. A snapshot is offered while a leader here waits
 * for a follower to copy it. Reads on its own threads, within a bandwidth that all of them share.
 */
public final class SnapshotFileService implements AutoCloseable {
    /** Fits into the smallest permitted message limit. */
    static final int MAX_PART_BYTES = 512 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotFileService.class);
    private static final String NOTES = "__raft_snapshot_meta";
    private static final int THREADS = 4;

    /**
     * A snapshot that is offered.
     *
     * @param files paths relative to {@code directory}, with slashes
     * @param users number of followers that it is offered to
     */
    private record Offer(Path directory, Set<String> files, int users) {}

    private final ConcurrentMap<SnapshotName, Offer> offers = new ConcurrentHashMap<>();
    private final Bandwidth bandwidth;
    private final ThreadPoolExecutor threads = RaftThreads.pool("raft-snapshot", THREADS);
    private final ScheduledThreadPoolExecutor timer = RaftThreads.timer("raft-bandwidth");
    private final ServerServiceDefinition definition;

    private interface Work {
        byte[] run() throws IOException;
    }

    SnapshotFileService(NodeProtocol protocol, Bandwidth bandwidth) {
        this.bandwidth = bandwidth;
        ServerServiceDefinition.Builder methods = ServerServiceDefinition.builder(SnapshotForm.SERVICE);
        for (SnapshotForm form : SnapshotForm.servedBy(protocol)) {
            methods.addMethod(
                            form.list().method(),
                            ServerCalls.asyncUnaryCall((request, observer) -> list(form.list(), request, observer)))
                    .addMethod(
                            form.read().method(),
                            ServerCalls.asyncUnaryCall((request, observer) -> paced(form.read(), request, observer)));
        }
        this.definition = methods.build();
    }

    public ServerServiceDefinition definition() {
        return definition;
    }

    /** Offers a snapshot until {@link #withdraw} has been called as often as this. */
    void offer(SnapshotName name, Path directory, Set<String> files) {
        offers.compute(
                name, (same, known) -> new Offer(directory, Set.copyOf(files), known == null ? 1 : known.users() + 1));
    }

    void withdraw(SnapshotName name) {
        offers.computeIfPresent(
                name,
                (same, known) ->
                        known.users() == 1 ? null : new Offer(known.directory(), known.files(), known.users() - 1));
    }

    private Offer offered(SnapshotName name) {
        Offer offer = offers.get(name);
        if (offer == null) {
            throw Status.NOT_FOUND
                    .withDescription("snapshot " + name.index() + " of group " + name.group() + " is not offered")
                    .asRuntimeException();
        }
        return offer;
    }

    private void list(Ask<SnapshotRequest, SnapshotListing> form, byte[] request, StreamObserver<byte[]> observer) {
        run(observer, 0, () -> {
            SnapshotName name = SnapshotMessages.name(form.questions().decode(request));
            return form.answers().encode(SnapshotMessages.message(list(name)));
        });
    }

    private Listing list(SnapshotName name) throws IOException {
        Offer offer = offered(name);
        List<FileSize> files = new ArrayList<>();
        for (String file : offer.files().stream().sorted().toList()) {
            files.add(new FileSize(file, Files.size(offer.directory().resolve(file))));
        }
        return new Listing(notes(offer.directory().resolve(NOTES)), files);
    }

    private static ByteString notes(Path file) throws IOException {
        LocalSnapshotMetaTable table = new LocalSnapshotMetaTable(new RaftOptions());
        ByteBuffer encoded = table.loadFromFile(file.toString()) ? table.saveToByteBufferAsRemote() : null;
        if (encoded == null) {
            throw new IOException(file + " cannot be read");
        }
        return ByteString.copyFrom(encoded);
    }

    private void paced(Ask<SnapshotPart, SnapshotBytes> form, byte[] request, StreamObserver<byte[]> observer) {
        Part part;
        try {
            part = SnapshotMessages.part(form.questions().decode(request));
        } catch (IOException e) {
            observer.onError(
                    Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asRuntimeException());
            return;
        }
        run(
                observer,
                bandwidth.take(Math.max(0, part.length())),
                () -> form.answers().encode(SnapshotMessages.message(read(part))));
    }

    private byte[] read(Part part) throws IOException {
        Offer offer = offered(part.snapshot());
        if (!offer.files().contains(part.file()) || part.length() < 1 || part.length() > MAX_PART_BYTES) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("no such part: " + part)
                    .asRuntimeException();
        }
        ByteBuffer bytes = ByteBuffer.allocate(part.length());
        try (FileChannel file = FileChannel.open(offer.directory().resolve(part.file()), StandardOpenOption.READ)) {
            long at = part.offset();
            while (bytes.hasRemaining()) {
                int read = file.read(bytes, at);
                if (read < 0) {
                    throw new IOException(part.file() + " ends at " + at + ", before " + part);
                }
                at += read;
            }
        }
        return bytes.array();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the task answers the caller
    private void run(StreamObserver<byte[]> observer, long delayNanos, Work work) {
        // not an error if the caller has gone
        ((ServerCallStreamObserver<byte[]>) observer).setOnCancelHandler(() -> {});
        try {
            Runnable task = () -> threads.execute(() -> answer(observer, work));
            if (delayNanos == 0) {
                task.run();
            } else {
                timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }
        } catch (RejectedExecutionException e) {
            observer.onError(Status.UNAVAILABLE.withDescription("closing").asRuntimeException());
        }
    }

    private static void answer(StreamObserver<byte[]> observer, Work work) {
        byte[] answer;
        try {
            answer = work.run();
        } catch (IOException e) {
            LOG.warn("snapshot cannot be sent cause={}", e.toString());
            observer.onError(Status.INTERNAL.withDescription(e.toString()).asRuntimeException());
            return;
        } catch (RuntimeException e) { // outermost frame of a call: a status
            observer.onError(e);
            return;
        }
        observer.onNext(answer);
        observer.onCompleted();
    }

    @Override
    public void close() {
        offers.clear();
        timer.shutdownNow();
        threads.shutdownNow();
    }
}
