package io.godwit.broker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The request of {@code standalone.sh stop --drain}: the file {@code godwit.drain} in the data directory with "PID
 * SECONDS", the process that it is for and the seconds that the drain may take. The broker removes the file when it
 * takes the request, and so tells the script. It is a file because a signal carries no number, and the signal to end
 * the process is needed to end a drain.
 */
final class DrainRequest implements AutoCloseable {
    static final String FILE = "godwit.drain";
    /** The script has the same bound. */
    static final int MAX_SECONDS = 3_600;

    private static final Logger LOG = LoggerFactory.getLogger(DrainRequest.class);
    private static final long LOOK_MILLIS = 500;
    /** More than any request needs. */
    private static final int MAX_BYTES = 64;

    private static final Pattern CONTENT = Pattern.compile("([0-9]{1,18}) ([0-9]{1,4})\\s*");

    /** Drains the broker and ends the process. Blocks. */
    interface Target {
        void drain(Duration over) throws InterruptedException;
    }

    private final Path file;
    private final Target target;
    private final ScheduledExecutorService watcher;
    /** Why the last look could not take the file; empty if it could or there was none. Owned by the watcher. */
    private String trouble = "";

    DrainRequest(Path data, Target target) {
        this.file = data.resolve(FILE);
        this.target = target;
        this.watcher = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "drain-request");
            thread.setDaemon(true);
            return thread;
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // look() throws nothing
    void start() {
        watcher.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Takes a request, if there is one. Removes a file that is for another process or is no request, too. */
    void look() {
        try {
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MAX_BYTES);
            }
            Files.delete(file);
            trouble = "";
            String content = new String(bytes, StandardCharsets.ISO_8859_1);
            Matcher matcher = CONTENT.matcher(content);
            if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_SECONDS) {
                LOG.warn("file is not a valid request to drain file={} bytes={}", file, content.length());
            } else if (Long.parseLong(matcher.group(1))
                    != ProcessHandle.current().pid()) {
                LOG.info("request to drain another process ignored file={}", file);
            } else {
                target.drain(Duration.ofSeconds(Integer.parseInt(matcher.group(2))));
            }
        } catch (NoSuchFileException e) {
            trouble = ""; // the usual case
        } catch (IOException e) { // a directory or a read-only disk, say: log it once
            if (!trouble.equals(e.toString())) {
                trouble = e.toString();
                LOG.warn("request to drain cannot be read file={} cause={}", file, trouble);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) { // else the scheduler would drop this task
            LOG.error("not drained", e);
        }
    }

    @Override
    public void close() {
        watcher.shutdownNow();
    }
}
