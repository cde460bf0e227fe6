package io.godwit.mqtt.loop;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How busy threads are, by the kernel's account: {@code /proc/PID/task/TID/schedstat} has the nanoseconds that a thread has run, and those that it
 * was ready to run and waited for a core. Confined to one thread, but for {@link #watchThisThread} and {@link #close}.
 */
final class ThreadLoad implements LoopPacking.Load, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadLoad.class);

    private final AtomicReferenceArray<@Nullable RandomAccessFile> files;
    private final byte[] text = new byte[96];
    private final long[] ran;
    private final long[] waited;
    private final double[] running;
    private final double[] busy;
    private long measuredNanos;
    private boolean isFailed;

    ThreadLoad(int threads) {
        files = new AtomicReferenceArray<>(threads);
        ran = new long[threads];
        waited = new long[threads];
        running = new double[threads];
        busy = new double[threads];
    }

    /** From now on the calling thread is the one at {@code index}. */
    void watchThisThread(int index) {
        try {
            Path self = Path.of("/proc").resolve(Files.readSymbolicLink(Path.of("/proc/thread-self")));
            files.set(index, new RandomAccessFile(self.resolve("schedstat").toFile(), "r"));
        } catch (IOException e) {
            LOG.info(
                    "event loops keep their own threads: the kernel does not tell what a thread does error={}",
                    e.toString());
        }
    }

    /** @return whether there are figures of all threads, since the last call */
    boolean measure() {
        if (isFailed) {
            return false;
        }
        long now = System.nanoTime();
        long span = now - measuredNanos;
        boolean isFirst = measuredNanos == 0;
        for (int i = 0; i < ran.length; i++) {
            RandomAccessFile file = files.get(i);
            if (file == null) {
                return false;
            }
            try {
                read(i, file, span);
            } catch (IOException e) {
                LOG.warn("event loops stay where they are: the kernel does not tell any more what a thread does", e);
                isFailed = true;
                return false;
            }
        }
        measuredNanos = now;
        return !isFirst;
    }

    private void read(int thread, RandomAccessFile file, long span) throws IOException {
        file.seek(0);
        int length = file.read(text);
        String figures = new String(text, 0, Math.max(0, length), StandardCharsets.US_ASCII);
        int first = figures.indexOf(' ');
        int second = figures.indexOf(' ', first + 1);
        if (second < 0) {
            throw new IOException("schedstat says: " + figures);
        }
        long ranNow = Long.parseLong(figures, 0, first, 10);
        long waitedNow = Long.parseLong(figures, first + 1, second, 10);
        running[thread] = (double) (ranNow - ran[thread]) / span;
        busy[thread] = running[thread] + (double) (waitedNow - waited[thread]) / span;
        ran[thread] = ranNow;
        waited[thread] = waitedNow;
    }

    @Override
    public double running(int loop) {
        return running[loop];
    }

    @Override
    public double busy(int loop) {
        return busy[loop];
    }

    @Override
    public void close() {
        for (int i = 0; i < files.length(); i++) {
            RandomAccessFile file = files.getAndSet(i, null);
            if (file != null) {
                try {
                    file.close();
                } catch (IOException e) {
                    LOG.debug("not closed", e);
                }
            }
        }
    }
}
