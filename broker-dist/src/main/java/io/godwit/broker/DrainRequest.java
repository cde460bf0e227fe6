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
 * The request of {@code standalone.sh stop --drain}: the file {@code godwit.drain} in the data directory, with the
 * number of the process that it is for and the seconds that the drain may take, "PID SECONDS". It is removed when it is
 * taken, which tells the script so. A file and not a signal: signals carry no number, and the one that ends the process
 * is left to end a drain.
 */
final class DrainRequest implements AutoCloseable {
    static final String FILE = "godwit.drain";
    /** As the script has it. */
    static final int MAX_SECONDS = 3_600;

    private static final Logger LOG = LoggerFactory.getLogger(DrainRequest.class);
    private static final long LOOK_MILLIS = 500;
    /** More than any request has. */
    private static final int MAX_BYTES = 64;

    private static final Pattern CONTENT = Pattern.compile("([0-9]{1,18}) ([0-9]{1,4})\\s*");

    /** Drains, and ends the process. Blocks. */
    interface Target {
        void drain(Duration over) throws InterruptedException;
    }

    private final Path file;
    private final Target target;
    private final ScheduledExecutorService watcher;
    /** Why the file was not taken at the last look; empty when it was, or there was none. Of the watcher. */
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

    /** One that is for another process, or no request, is removed too. */
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
                LOG.warn("no request to drain file={} bytes={}", file, content.length());
            } else if (Long.parseLong(matcher.group(1))
                    != ProcessHandle.current().pid()) {
                LOG.info("request to drain another process ignored file={}", file);
            } else {
                target.drain(Duration.ofSeconds(Integer.parseInt(matcher.group(2))));
            }
        } catch (NoSuchFileException e) {
            trouble = ""; // as nearly always
        } catch (IOException e) { // such as a directory, or a disk that can only be read: it stays so
            if (!trouble.equals(e.toString())) {
                trouble = e.toString();
                LOG.warn("request to drain not taken file={} cause={}", file, trouble);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) { // else it would be looked at no more
            LOG.error("not drained", e);
        }
    }

    @Override
    public void close() {
        watcher.shutdownNow();
    }
}
