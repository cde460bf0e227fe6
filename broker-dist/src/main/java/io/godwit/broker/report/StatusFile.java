package io.godwit.broker.report;

import io.godwit.broker.config.key.EnumNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that {@code standalone.sh start} and {@code status} read: {@code godwit.pid} and {@code godwit.status} in
 * the data directory. The latter has the lines {@code pid=, state=, waiting=, listen=, warning=, store=, events=}; the
 * last four may repeat. Only the process that holds the lock of the data directory writes them; it touches the status
 * every ten seconds. Until they exist, {@code godwit.starting} of the script shows a start. Thread-safe: the main
 * thread and health callbacks write.
 *
 * <p>If the disk is full, the content of the file is outdated. Then it is overwritten in place, which needs no new
 * block, or else removed; every heartbeat tries to write it again.
 */
public final class StatusFile {
    private static final Logger LOG = LoggerFactory.getLogger(StatusFile.class);

    /** The life cycle, and whether the broker serves. */
    enum State {
        STARTING,
        READY,
        /** A store has failed or refuses writes; the others go on. */
        DEGRADED,
        STOPPING
    }

    private final Path directory;
    private State state = State.STARTING;
    /** What the start waits for; empty for nothing. */
    private String waiting = "";

    private final List<String> listeners = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    /** Warnings about the current configuration file. */
    private List<String> configuration = List.of();

    /** Balancers that operators have paused, each as its store and its name. */
    private List<String> pauses = List.of();

    /** Problems of plugins. */
    private List<String> plugins = List.of();

    /** Problems of the tenants' file. */
    private List<String> tenants = List.of();

    private final Map<String, String> stores = new TreeMap<>();
    private Map<String, Long> events = Map.of();
    /** Nothing is written before: the directory may be another broker's. */
    private boolean begun;
    /** Why the last write failed; null if it succeeded. */
    private @Nullable IOException fault;

    public StatusFile(Path directory) {
        this.directory = directory;
    }

    /** Called when this process owns the data directory. */
    public synchronized void begin() throws IOException {
        begun = true;
        replace("godwit.pid", Long.toString(ProcessHandle.current().pid()));
        write();
        Files.deleteIfExists(directory.resolve("godwit.starting"));
    }

    /** Adds warnings of this start. */
    public synchronized void warnings(List<String> ofTheStart) {
        warnings.addAll(ofTheStart);
        write();
    }

    /** Sets what the start waits for; empty for nothing. */
    public synchronized void waiting(String what) {
        if (!what.equals(waiting)) {
            waiting = what;
            write();
        }
    }

    public synchronized void ready(List<String> boundListeners) {
        listeners.addAll(boundListeners);
        state = worst() ? State.DEGRADED : State.READY;
        write();
    }

    /** Replaces the warnings about the current configuration file. */
    public synchronized void configuration(List<String> nowWarned) {
        configuration = List.copyOf(nowWarned);
        write();
    }

    /** Replaces the list of balancers that operators have paused, each as its store and its name. */
    public synchronized void pauses(List<String> now) {
        if (!now.equals(pauses)) {
            pauses = List.copyOf(now);
            write();
        }
    }

    /** Replaces the problems of plugins. */
    public synchronized void plugins(List<String> now) {
        if (!now.equals(plugins)) {
            plugins = List.copyOf(now);
            write();
        }
    }

    /** Replaces the problems of the tenants' file. */
    public synchronized void tenants(List<String> now) {
        if (!now.equals(tenants)) {
            tenants = List.copyOf(now);
            write();
        }
    }

    /** Sets the state of a store; {@code detail} begins with SERVING if it is well. */
    public synchronized void store(String name, String detail) {
        stores.put(name, detail);
        if (state == State.READY || state == State.DEGRADED) {
            state = worst() ? State.DEGRADED : State.READY;
        }
        write();
    }

    /** Sets the numbers of discarded and refused items since the start, by kind. */
    synchronized void events(Map<String, Long> totals) {
        events = Map.copyOf(totals);
        write();
    }

    /**
     * The heartbeat: sets the modification time of the status file, by which {@code status} knows that the process
     * lives.
     */
    synchronized void alive() {
        if (!begun) {
            return;
        }
        if (fault != null) {
            write();
            return; // an outdated file must not look fresh
        }
        try {
            Files.setLastModifiedTime(directory.resolve("godwit.status"), FileTime.from(Instant.now()));
        } catch (IOException e) {
            LOG.debug("status file not touched directory={}", directory, e);
            write(); // somebody removed it, such as a cleaner of old files or another start
        }
    }

    public synchronized void stopping() {
        state = State.STOPPING;
        write();
    }

    /** Removes the files. Without a {@link #begin} it does nothing, since they may be another broker's. */
    public synchronized void end() {
        if (!begun) {
            return;
        }
        begun = false; // a late heartbeat must not write them again
        try {
            Files.deleteIfExists(directory.resolve("godwit.status"));
            Files.deleteIfExists(directory.resolve("godwit.pid"));
        } catch (IOException e) {
            LOG.warn("status file not removed directory={} cause={}", directory, e.toString());
        }
    }

    private boolean worst() {
        return stores.values().stream().anyMatch(detail -> !detail.startsWith("SERVING"));
    }

    private void write() {
        if (!begun) {
            return;
        }
        StringBuilder text = head(state);
        if (!waiting.isEmpty()) {
            line(text, "waiting", waiting);
        }
        listeners.forEach(listener -> line(text, "listen", listener));
        warnings.forEach(warning -> line(text, "warning", warning));
        configuration.forEach(warning -> line(text, "warning", warning));
        pauses.forEach(paused ->
                line(text, "warning", "balancer paused by an operator, until godwit-admin resumes it: " + paused));
        plugins.forEach(warning -> line(text, "warning", warning));
        tenants.forEach(warning -> line(text, "warning", warning));
        stores.forEach((name, detail) -> line(text, "store", name + " " + detail));
        new TreeMap<>(events).forEach((kind, total) -> line(text, "events", kind + " " + total));
        try {
            replace("godwit.status", text.toString());
            fault = null;
        } catch (IOException e) {
            // a full disk must not end the broker: the log has the same facts
            if (fault == null) {
                LOG.warn("status file not written directory={} cause={}", directory, e.toString());
            }
            fault = e;
            tellOfFault(e);
        }
    }

    private static StringBuilder head(State state) {
        return new StringBuilder()
                .append("pid=")
                .append(ProcessHandle.current().pid())
                .append("\nstate=")
                .append(EnumNames.of(state))
                .append('\n');
    }

    /** Overwrites the old status with a warning that the status cannot be written. */
    private void tellOfFault(IOException cause) {
        Path file = directory.resolve("godwit.status");
        StringBuilder text = head(state == State.READY ? State.DEGRADED : state);
        line(text, "warning", "the status cannot be written: " + cause);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long size = channel.size();
            while (text.length() < size) {
                text.append('\n'); // covers the rest of the old text
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            channel.write(ByteBuffer.wrap(bytes, 0, (int) Math.min(bytes.length, size)), 0);
        } catch (IOException e) {
            removeStatus();
        }
    }

    /** {@code status} then says that the broker does not serve, which is closer to the truth than the old text. */
    private void removeStatus() {
        try {
            Files.deleteIfExists(directory.resolve("godwit.status"));
        } catch (IOException e) {
            LOG.debug("status file not removed directory={}", directory, e);
        }
    }

    private static void line(StringBuilder text, String key, String value) {
        text.append(key).append('=').append(value.replace('\n', ' ')).append('\n');
    }

    private void replace(String name, String content) throws IOException {
        Path next = directory.resolve(name + ".next");
        Files.writeString(next, content, StandardCharsets.UTF_8);
        try {
            Files.move(next, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(next, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
