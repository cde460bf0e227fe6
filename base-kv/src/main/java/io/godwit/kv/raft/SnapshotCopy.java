package io.godwit.kv.raft;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotMetaTable;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotWriter;
import io.godwit.kv.raft.SnapshotMessages.FileSize;
import io.godwit.kv.raft.SnapshotMessages.Listing;
import io.godwit.kv.raft.SnapshotMessages.Part;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in one snapshot of another node.
 *
 * <ol>
 *   <li>asks for the list of files. If {@code temp} holds a part of the same snapshot, going by the list that was kept there, it goes on with
 *       that, and begins anew otherwise
 *   <li>keeps the list in {@code temp/FETCH}
 *   <li>copies file after file, a few parts asked for ahead, each checked and written behind what there is; fsyncs each file at its end
 *   <li>compares JRaft's notes with the seal, and hands it all to JRaft, which gives it its name
 * </ol>
 *
 * <p>A crash between any two steps leaves {@code temp}, which the next start empties. A part that fails is asked for again for a while; then
 * the copy fails, the leader learns of it and sends the follower here again, which goes on where this one stopped. No failure here stops
 * the group: the replica is as it was.
 */
final class SnapshotCopy extends SnapshotCopier {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCopy.class);
    private static final String LIST_FILE = "FETCH";
    private static final int PARTS_AHEAD = 4;
    private static final long CALL_SECONDS = 60;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long RETRY_MILLIS = 300;

    private final SnapshotTransfer transfer;
    private final SnapshotTransfer.Source source;
    private final TransferredSnapshots storage;
    private final RaftOptions raftOptions;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isCancelled;
    private volatile @Nullable Thread copying;
    private volatile @Nullable SnapshotReader reader;

    SnapshotCopy(
            SnapshotTransfer transfer,
            SnapshotTransfer.Source source,
            TransferredSnapshots storage,
            RaftOptions raftOptions) {
        this.transfer = transfer;
        this.source = source;
        this.storage = storage;
        this.raftOptions = raftOptions;
    }

    @Override
    public void start() {
        transfer.run(this::run);
    }

    private void run() {
        copying = Thread.currentThread();
        long begun = System.nanoTime();
        try {
            Copied copied = takeIn();
            reader = storage.open();
            LOG.info(
                    "snapshot copied source={} files={} bytes={} ofThemBefore={} millis={}",
                    source.uri(),
                    copied.files(),
                    copied.bytes(),
                    copied.before(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
        } catch (IOException | RuntimeException e) { // gRPC's and the writer's, at the outermost frame of a copy
            LOG.warn("snapshot not copied source={} cause={}", source.uri(), e.toString());
            fail(e.toString());
        } catch (InterruptedException e) {
            fail("cancelled"); // the thread has nothing else to do
        } finally {
            copying = null;
            ended.countDown();
        }
    }

    /** Never EIO, at which JRaft would stop the group. */
    private void fail(String why) {
        transfer.failed();
        setError(isCancelled ? RaftError.ECANCELED.getNumber() : RaftError.EINTERNAL.getNumber(), "%s", why);
    }

    private record Copied(int files, long bytes, long before) {}

    private Copied takeIn() throws IOException, InterruptedException {
        byte[] encoded = call(SnapshotMessages.LIST, SnapshotMessages.encode(source.name()));
        Listing listing = SnapshotMessages.decodeListing(encoded);
        LocalSnapshotMetaTable notes = notesOf(listing);
        Path directory = storage.temp();
        byte[] mark = markOf(encoded);
        LocalSnapshotWriter writer = (LocalSnapshotWriter) storage.create(!isPartOf(directory, mark));
        if (writer == null) {
            throw new IOException("cannot write to " + directory);
        }
        Files.write(directory.resolve(LIST_FILE), mark);
        long bytes = 0;
        long before = 0;
        Set<Path> directories = new HashSet<>(Set.of(directory));
        for (FileSize file : listing.files()) {
            Path target = directory.resolve(file.name()).normalize();
            if (!target.startsWith(directory) || target.equals(directory)) {
                throw new IOException("snapshot has a file of the name " + file.name());
            }
            Path parent = target.getParent();
            if (parent != null && directories.add(parent)) {
                Files.createDirectories(parent);
            }
            before += fetch(file, target);
            bytes += file.size();
            writer.addFile(file.name(), notes.getFileMeta(file.name()));
        }
        for (Path each : directories) {
            DurableFiles.syncDirectory(each);
        }
        writer.saveMeta(notes.getMeta());
        if (!writer.sync()) {
            throw new IOException("notes not written in " + directory);
        }
        verify(directory);
        Files.delete(directory.resolve(LIST_FILE));
        writer.close();
        if (!writer.isOk()) {
            throw new IOException("snapshot not put in its place: " + writer.getErrorMsg());
        }
        return new Copied(listing.files().size(), bytes, before);
    }

    private LocalSnapshotMetaTable notesOf(Listing listing) throws IOException {
        LocalSnapshotMetaTable notes = new LocalSnapshotMetaTable(raftOptions);
        if (!notes.loadFromIoBufferAsRemote(ByteBuffer.wrap(listing.notes().toByteArray())) || !notes.hasMeta()) {
            throw new IOException("notes of the snapshot cannot be read");
        }
        Set<String> listed = new HashSet<>();
        listing.files().forEach(file -> listed.add(file.name()));
        if (!listed.equals(notes.listFiles())
                || notes.getMeta().getLastIncludedIndex() != source.name().index()) {
            throw new IOException("notes are of another snapshot than the files");
        }
        return notes;
    }

    /** Tells snapshots apart: a directory of one store is never written twice, and files of another store differ. */
    private byte[] markOf(byte[] listing) {
        String mark = source.uri() + " " + SnapshotMessages.checksum(listing, 0, listing.length);
        return mark.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isPartOf(Path directory, byte[] mark) throws IOException {
        Path file = directory.resolve(LIST_FILE);
        return Files.exists(file) && Arrays.equals(Files.readAllBytes(file), mark);
    }

    /** What was copied is right as far as each part goes; this is about what belongs together. */
    private void verify(Path directory) throws IOException {
        try {
            SnapshotSeal.verifyOne(directory);
        } catch (DamagedDataException e) {
            deleteAll(directory); // to begin anew
            throw e;
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }

    /** Returns how much of the file was there before. */
    private long fetch(FileSize file, Path target) throws IOException, InterruptedException {
        try (FileChannel out = FileChannel.open(
                target, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long there = out.size();
            if (there > file.size()) {
                throw new IOException(target + " is longer than it should be");
            }
            Deque<Asked> asked = new ArrayDeque<>();
            long next = there;
            try {
                while (next < file.size() || !asked.isEmpty()) {
                    while (next < file.size() && asked.size() < PARTS_AHEAD) {
                        int length = (int) Math.min(SnapshotFileService.MAX_PART_BYTES, file.size() - next);
                        asked.add(ask(new Part(source.name(), file.name(), next, length)));
                        next += length;
                    }
                    write(out, asked.remove());
                }
            } finally {
                asked.forEach(each -> each.answer().cancel(true));
            }
            out.force(true);
            return there;
        }
    }

    /** A part that is on its way. */
    private record Asked(Part part, Future<byte[]> answer) {}

    private Asked ask(Part part) throws IOException {
        return new Asked(part, ask(SnapshotMessages.READ, SnapshotMessages.encode(part)));
    }

    private void write(FileChannel out, Asked asked) throws IOException, InterruptedException {
        Part part = asked.part();
        byte[] answer = result(SnapshotMessages.READ, SnapshotMessages.encode(part), asked.answer());
        if (answer.length != Integer.BYTES + part.length()
                || ByteBuffer.wrap(answer).getInt()
                        != SnapshotMessages.checksum(answer, Integer.BYTES, part.length())) {
            throw new IOException("checksum does not match of " + part);
        }
        transfer.received(part.length());
        ByteBuffer bytes = ByteBuffer.wrap(answer, Integer.BYTES, part.length());
        long at = part.offset();
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
    }

    private byte[] call(MethodDescriptor<byte[], byte[]> method, byte[] request)
            throws IOException, InterruptedException {
        return result(method, request, ask(method, request));
    }

    private Future<byte[]> ask(MethodDescriptor<byte[], byte[]> method, byte[] request) throws IOException {
        Channel channel = transfer.channelTo(source.storeId());
        if (channel == null) {
            throw new IOException("no member " + source.storeId());
        }
        return ClientCalls.futureUnaryCall(
                channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)),
                request);
    }

    /** Waits for an answer; asks again, for a while, as long as only the way there is the trouble. */
    private byte[] result(MethodDescriptor<byte[], byte[]> method, byte[] request, Future<byte[]> first)
            throws IOException, InterruptedException {
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        Future<byte[]> answer = first;
        while (true) {
            if (isCancelled) {
                throw new InterruptedException("cancelled");
            }
            try {
                return answer.get();
            } catch (ExecutionException e) {
                Status status = Status.fromThrowable(e);
                boolean isPassing = status.getCode() == Status.Code.UNAVAILABLE
                        || status.getCode() == Status.Code.DEADLINE_EXCEEDED;
                if (!isPassing || System.nanoTime() - giveUp > 0) {
                    throw new IOException(GrpcRaftTransport.describe(status), e);
                }
            }
            Thread.sleep(RETRY_MILLIS); // the copy's own thread
            answer = ask(method, request);
        }
    }

    @Override
    public void cancel() {
        isCancelled = true;
        Thread thread = copying;
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public void join() throws InterruptedException {
        ended.await();
    }

    @Override
    public @Nullable SnapshotReader getReader() {
        return reader;
    }

    /** Ends the copy if it has not ended, and waits for that. */
    @Override
    public void close() {
        cancel();
        try {
            join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
