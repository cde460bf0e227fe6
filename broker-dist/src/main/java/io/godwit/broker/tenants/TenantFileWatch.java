package io.godwit.broker.tenants;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.WatchedFile;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changes of the tenants' file. A thread of its own checks it once a second, and reads it as a whole; a file
 * with a mistake changes nothing, and causes a warning until it is corrected.
 */
public final class TenantFileWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TenantFileWatch.class);
    private static final long LOOK_MILLIS = 1_000;

    private final WatchedFile file;
    private final Consumer<Map<TenantId, TenantSettings>> target;
    private final Consumer<List<String>> warn;
    private final ScheduledExecutorService watcher;

    /**
     * @param target receives all settings, on the watching thread
     * @param warn receives all current warnings for the operator each time
     */
    public TenantFileWatch(Path file, Consumer<Map<TenantId, TenantSettings>> target, Consumer<List<String>> warn) {
        this.file = new WatchedFile(file);
        this.target = target;
        this.warn = warn;
        this.watcher = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tenants-file");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Reads the file, then watches it. Blocks until it was read. */
    @SuppressWarnings("FutureReturnValueIgnored") // look() throws nothing
    public void start() throws ConfigException {
        take(TenantFile.read(file.path()));
        watcher.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            if (file.hasChanged()) {
                reload();
            }
        } catch (RuntimeException | Error e) { // else the scheduler would drop this task
            LOG.error("tenants not reloaded file={}", file.path(), e);
        }
    }

    private void reload() {
        try {
            take(TenantFile.read(file.path()));
            file.used();
            warn.accept(List.of());
        } catch (ConfigException e) {
            if (!file.failed(String.join("; ", e.errors()))) {
                return;
            }
            e.errors().forEach(error -> LOG.error("tenants not reloaded file={} error={}", file.path(), error));
            warn.accept(List.of("the file of the tenants has changed but has errors, its old content stays in force: "
                    + String.join("; ", e.errors())));
        }
    }

    private void take(Map<TenantId, TenantSettings> said) {
        target.accept(said);
        LOG.info("tenants read file={} tenants={}", file.path(), said.size());
    }

    @Override
    public void close() {
        watcher.shutdownNow();
    }
}
