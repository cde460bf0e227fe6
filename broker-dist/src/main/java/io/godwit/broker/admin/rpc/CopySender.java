package io.godwit.broker.admin.rpc;

import io.godwit.broker.release.Release;
import io.godwit.kv.backup.RangeBackups;
import io.godwit.kv.backup.RangeBackups.RangeCopy;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Sends the copy of one range, or of all ranges of some stores, to one caller, at the caller's speed. Runs on a thread
 * of its own, which waits for the caller, and gives up when the caller accepts nothing for a minute.
 */
public final class CopySender {
    private static final int CHUNK_BYTES = 256 << 10;
    private static final long STALLED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ServerCallStreamObserver<byte[]> caller;
    /** The sender waits on it; event loops notify it. */
    private final Object readiness = new Object();

    /** Called on the thread of the call, before it returns. */
    CopySender(ServerCallStreamObserver<byte[]> caller) {
        this.caller = caller;
        caller.setOnReadyHandler(this::wake);
        caller.setOnCancelHandler(this::wake);
    }

    private void wake() {
        synchronized (readiness) {
            readiness.notifyAll();
        }
    }

    void send(RangeBackups backups, String clusterId, Messages.OfRange request)
            throws IOException, InterruptedException {
        try (RangeCopy copy = backups.copy(request.store(), request.rangeId())) {
            send(copy, clusterId);
            caller.onCompleted();
        }
    }

    void send(RangeBackups backups, String clusterId, Messages.OfStores request)
            throws IOException, InterruptedException {
        List<RangeCopy> copies = backups.copyAll(request.stores());
        try {
            emit(CopyFrame.of(CopyFrame.STORES, new Messages.CopiedStores(copies.size())));
            for (RangeCopy copy : copies) {
                send(copy, clusterId);
                copy.close(); // frees its disk space while the others are sent
            }
            caller.onCompleted();
        } finally {
            copies.forEach(RangeCopy::close);
        }
    }

    private void send(RangeCopy copy, String clusterId) throws IOException, InterruptedException {
        HexFormat hex = HexFormat.of();
        byte[] end = copy.end();
        emit(CopyFrame.of(
                CopyFrame.RANGE,
                new Messages.CopiedRange(
                        clusterId,
                        Release.version(),
                        copy.store(),
                        copy.id(),
                        copy.epoch(),
                        hex.formatHex(copy.start()),
                        end == null ? null : hex.formatHex(end))));
        List<Path> files;
        try (Stream<Path> all = Files.list(copy.directory())) {
            files = all.sorted().toList();
        }
        for (Path file : files) {
            sendFile(file);
        }
        emit(CopyFrame.of(CopyFrame.END, new Messages.CopyEnd(files.size())));
    }

    private void sendFile(Path file) throws IOException, InterruptedException {
        emit(CopyFrame.of(
                CopyFrame.FILE, new Messages.CopiedFile(String.valueOf(file.getFileName()), Files.size(file))));
        MessageDigest digest = sha256();
        byte[] chunk = new byte[CHUNK_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.readNBytes(chunk, 0, chunk.length);
                    read > 0;
                    read = in.readNBytes(chunk, 0, chunk.length)) {
                digest.update(chunk, 0, read);
                emit(CopyFrame.data(chunk, read));
            }
        }
        emit(CopyFrame.of(
                CopyFrame.FILE_END, new Messages.FileEnd(HexFormat.of().formatHex(digest.digest()))));
    }

    /** Relays the frames that another node sends. */
    void relay(Iterator<byte[]> frames) throws IOException, InterruptedException {
        while (frames.hasNext()) {
            emit(frames.next());
        }
        caller.onCompleted();
    }

    private void emit(byte[] frame) throws IOException, InterruptedException {
        long giveUp = System.nanoTime() + STALLED_NANOS;
        synchronized (readiness) {
            while (!caller.isReady() && !caller.isCancelled()) {
                long left = giveUp - System.nanoTime();
                if (left <= 0) {
                    throw new IOException("the caller has stopped reading");
                }
                readiness.wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
            }
        }
        if (caller.isCancelled()) {
            throw new IOException("the caller has gone");
        }
        caller.onNext(frame);
    }

    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
