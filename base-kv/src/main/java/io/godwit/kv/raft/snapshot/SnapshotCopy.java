package io.godwit.kv.raft.snapshot;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotCopier;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotMetaTable;
import com.alipay.sofa.jraft.storage.snapshot.local.LocalSnapshotWriter;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.raft.snapshot.PartialCopy.Held;
import io.godwit.kv.raft.snapshot.SnapshotForm.Ask;
import io.godwit.kv.raft.snapshot.SnapshotMessages.FileSize;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Listing;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Part;
import io.godwit.kv.raft.wire.StatusText;
import io.godwit.kv.wire.SnapshotBytes;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
 * Copies one snapshot from another node.
 *
 * <ol>
 *   <li>asks for the list of files. From an earlier copy in {@code temp} ({@link PartialCopy}) it keeps the files of
 *       the same snapshot; if that was another snapshot of the same store, only complete files that are identical: the
 *       last bytes of a RocksDB table identify it
 *   <li>copies the files one by one, requesting a few parts ahead; each part is checked and appended. Fsyncs each file
 *       at intervals and at its end, and records that
 *   <li>compares JRaft's metadata with the seal, and passes the copy to JRaft, which gives it its name
 * </ol>
 *
 * <p>A failed part is requested again for some time. Then the copy fails, and the leader makes the follower start
 * another one, which continues where this one stopped; the same happens after a crash between any two steps. No failure
 * here stops the group: the replica stays as it was.
 */
public final class SnapshotCopy extends SnapshotCopier {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotCopy.class);
    private static final String TABLE = ".sst";
    /**
     * How many bytes at the end of a table are compared to find out whether it is the same table. A table ends with its
     * properties, among them the database and session that wrote it and its number there.
     */
    private static final int TABLE_END_BYTES = 8 << 10;
    /** The most bytes to copy again after a crash, besides those in flight. */
    private static final long NOTED_BYTES = 4L << 20;

    private static final int PARTS_AHEAD = 4;
    private static final long CALL_SECONDS = 60;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long RETRY_MILLIS = 300;

    private final SnapshotTransfer transfer;
    private final SnapshotTransfer.Source source;
    private final LocalSnapshots storage;
    private final RaftOptions raftOptions;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isCancelled;
    private volatile @Nullable Thread copying;
    private volatile @Nullable SnapshotReader reader;

    SnapshotCopy(
            SnapshotTransfer transfer,
            SnapshotTransfer.Source source,
            LocalSnapshots storage,
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
        } catch (IOException | RuntimeException e) { // outermost frame of a copy: exceptions of gRPC and the writer
            LOG.warn("snapshot not copied source={} cause={}", source.uri(), e.toString());
            fail(e.toString());
        } catch (InterruptedException e) {
            LOG.info("snapshot copy cancelled source={}", source.uri());
            fail("cancelled"); // the thread has nothing else to do
        } finally {
            copying = null;
            ended.countDown();
        }
    }

    /** Never reports EIO, because JRaft would stop the group. */
    private void fail(String why) {
        transfer.failed();
        setError(isCancelled ? RaftError.ECANCELED.getNumber() : RaftError.EINTERNAL.getNumber(), "%s", why);
    }

    private record Copied(int files, long bytes, long before) {}

    private Copied takeIn() throws IOException, InterruptedException {
        SnapshotForm form = transfer.formFor(source.storeId());
        Listing listing = listing(form.list());
        LocalSnapshotMetaTable notes = notesOf(listing);
        Path directory = storage.temp();
        String snapshot = source.name().index() + " " + Integer.toHexString(listing.checksum());
        PartialCopy.Found found = PartialCopy.find(directory, source.storeId(), snapshot);
        // before the writer, which would use JRaft's metadata of an earlier copy
        Map<String, Held> kept = found.files().isEmpty() ? Map.of() : kept(form, directory, listing, found);
        LocalSnapshotWriter writer = (LocalSnapshotWriter) storage.create(kept.isEmpty());
        if (writer == null) {
            throw new IOException("cannot write to " + directory);
        }
        try (PartialCopy partial = new PartialCopy(directory, source.storeId(), snapshot, kept)) {
            Copied copied = copyFiles(form, directory, listing, notes, writer, partial);
            writer.saveMeta(notes.getMeta());
            if (!writer.sync()) {
                throw new IOException("notes not written in " + directory);
            }
            verify(directory);
            partial.end();
            writer.close();
            if (!writer.isOk()) {
                throw new IOException("snapshot not put in its place: " + writer.getErrorMsg());
            }
            return copied;
        }
    }

    /** Deletes all files but those that the copy continues with. */
    private Map<String, Held> kept(SnapshotForm form, Path directory, Listing listing, PartialCopy.Found found)
            throws IOException, InterruptedException {
        Map<String, Held> kept = new HashMap<>();
        Set<Path> files = new HashSet<>();
        for (FileSize file : listing.files()) {
            Held held = found.files().get(file.name());
            Path target = directory.resolve(file.name()).normalize();
            boolean isUsable = held != null
                    && held.size() == file.size()
                    && Files.exists(target)
                    && Files.size(target) >= held.there();
            if (held != null
                    && isUsable
                    && (found.isSameSnapshot() || held.isWhole() && isSameTable(form, file, target))) {
                kept.put(file.name(), held);
                files.add(target);
            }
        }
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path path : walk.filter(Files::isRegularFile).toList()) {
                if (!files.contains(path)) {
                    Files.delete(path);
                }
            }
        }
        return kept;
    }

    /**
     * Whether the local table is the same as the remote one. RocksDB never changes a table after writing it, and no two
     * tables have the same end.
     */
    private boolean isSameTable(SnapshotForm form, FileSize file, Path target)
            throws IOException, InterruptedException {
        if (!file.name().endsWith(TABLE) || file.size() == 0) {
            return false;
        }
        int length = (int) Math.min(TABLE_END_BYTES, file.size());
        Part end = new Part(source.name(), file.name(), file.size() - length, length);
        ByteBuffer own = ByteBuffer.allocate(length);
        try (FileChannel in = FileChannel.open(target, StandardOpenOption.READ)) {
            while (own.hasRemaining() && in.read(own, end.offset() + own.position()) >= 0) {
                // until the buffer is full or the file ends too early
            }
        }
        return !own.hasRemaining() && result(ask(form, end)).equals(own.flip());
    }

    private Copied copyFiles(
            SnapshotForm form,
            Path directory,
            Listing listing,
            LocalSnapshotMetaTable notes,
            LocalSnapshotWriter writer,
            PartialCopy partial)
            throws IOException, InterruptedException {
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
            before += partial.there(file.name());
            fetch(form, file, target, partial);
            bytes += file.size();
            writer.addFile(file.name(), notes.getFileMeta(file.name()));
        }
        for (Path each : directories) {
            DurableFiles.syncDirectory(each);
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

    /** Checks that metadata and files belong together; each part was checked already. */
    private void verify(Path directory) throws IOException {
        try {
            SnapshotSeal.verifyOne(directory);
        } catch (DamagedDataException e) {
            deleteAll(directory); // the next copy starts from nothing
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

    private void fetch(SnapshotForm form, FileSize file, Path target, PartialCopy partial)
            throws IOException, InterruptedException {
        try (FileChannel out = FileChannel.open(
                target, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long noted = partial.there(file.name());
            out.truncate(noted); // bytes behind this may be wrong after a power loss
            long written = noted;
            long next = noted;
            Deque<Asked> asked = new ArrayDeque<>();
            try {
                while (next < file.size() || !asked.isEmpty()) {
                    while (next < file.size() && asked.size() < PARTS_AHEAD) {
                        int length = (int) Math.min(SnapshotFileService.MAX_PART_BYTES, file.size() - next);
                        asked.add(ask(form, new Part(source.name(), file.name(), next, length)));
                        next += length;
                    }
                    written += write(out, asked.remove());
                    if (written - noted >= NOTED_BYTES) {
                        out.force(true);
                        partial.note(file.name(), new Held(written, file.size()));
                        noted = written;
                    }
                }
            } finally {
                asked.forEach(each -> each.answer().cancel(true));
                if (out.isOpen()) { // an interrupt during a write closes it
                    out.force(true);
                    partial.note(file.name(), new Held(written, file.size()));
                }
            }
        }
    }

    /** A part that was requested. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Asked(Ask<SnapshotPart, SnapshotBytes> form, Part part, byte[] request, Future<byte[]> answer) {}

    private Asked ask(SnapshotForm form, Part part) throws IOException {
        byte[] request = form.read().questions().encode(SnapshotMessages.message(part));
        return new Asked(form.read(), part, request, ask(form.read().method(), request));
    }

    /** Waits for the bytes of the part. */
    private ByteBuffer result(Asked asked) throws IOException, InterruptedException {
        byte[] answer = result(asked.form().method(), asked.request(), asked.answer());
        byte[] bytes =
                SnapshotMessages.bytes(asked.part(), asked.form().answers().decode(answer));
        transfer.received(bytes.length);
        return ByteBuffer.wrap(bytes);
    }

    /** Writes the part; returns its length. */
    private int write(FileChannel out, Asked asked) throws IOException, InterruptedException {
        ByteBuffer bytes = result(asked);
        long at = asked.part().offset();
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
        return asked.part().length();
    }

    private Listing listing(Ask<SnapshotRequest, SnapshotListing> form) throws IOException, InterruptedException {
        byte[] request = form.questions().encode(SnapshotMessages.message(source.name()));
        byte[] answer = result(form.method(), request, ask(form.method(), request));
        return SnapshotMessages.listing(form.answers().decode(answer));
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

    /** Waits for an answer. Asks again for some time, as long as only the connection is the problem. */
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
                    throw new IOException(StatusText.of(status), e);
                }
            }
            Thread.sleep(RETRY_MILLIS); // on the copy's own thread
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

    /** Cancels the copy if it has not ended, and waits for its end. */
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
