package io.godwit.broker.effective;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.Effective;
import io.godwit.broker.config.WatchedFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changes of the configuration file while the broker runs: {@link Effective#reload reloadable} keys at once;
 * for the others it warns that they need a restart. A file with a mistake changes nothing and causes a warning. The
 * environment and the system properties keep their values from the start.
 *
 * <p>A thread of its own checks the file once a second. A changed file that could not be used is read at each check, so
 * that no change waits for the next edit because the disk failed once; each error is reported once.
 */
public final class ConfigReload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigReload.class);
    private static final long LOOK_MILLIS = 1_000;

    /** Reads the file as the start does. */
    public interface Loading {
        BrokerConfig load() throws ConfigException;
    }

    /** Applies another configuration. */
    public interface Target {
        /**
         * @param next the configuration of the file; only reloadable keys may be applied
         * @param withListeners whether it has the same listeners as are open, in the same order
         */
        void reconfigure(BrokerConfig next, boolean withListeners);
    }

    private final WatchedFile file;
    private final Loading loading;
    private final Target target;
    private final Consumer<List<String>> warn;
    private final ScheduledExecutorService watcher;

    // confined to the watcher once it runs
    private final Map<String, Effective> inForce;

    /**
     * @param file created before the start read the file, so that no change in between is missed
     * @param running the configuration that the broker was started with
     * @param warn receives all current warnings for the operator each time
     */
    public ConfigReload(
            WatchedFile file, Loading loading, BrokerConfig running, Target target, Consumer<List<String>> warn) {
        this.file = file;
        this.loading = loading;
        this.target = target;
        this.warn = warn;
        this.inForce = byPath(running);
        this.watcher = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "config-file");
            thread.setDaemon(true);
            return thread;
        });
    }

    @SuppressWarnings("FutureReturnValueIgnored") // look() throws nothing
    public void start() {
        watcher.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    void look() {
        try {
            if (file.hasChanged()) {
                reload();
            }
        } catch (RuntimeException | Error e) { // else the scheduler would drop this task
            if (file.failed(e.toString())) {
                LOG.error("configuration not reloaded file={}", file.path(), e);
            }
        }
    }

    private void reload() {
        BrokerConfig changed;
        try {
            changed = loading.load();
        } catch (ConfigException e) {
            if (!file.failed(String.join("; ", e.errors()))) {
                return;
            }
            e.errors().forEach(error -> LOG.error("configuration not reloaded file={} error={}", file.path(), error));
            warn.accept(List.of("the configuration file has changed but has errors, so none of its changes is applied: "
                    + String.join("; ", e.errors())));
            return;
        }
        Map<String, Effective> next = byPath(changed);
        TreeSet<String> paths = new TreeSet<>(next.keySet());
        paths.addAll(inForce.keySet());
        paths.removeIf(path -> isSame(inForce.get(path), next.get(path)));
        // listeners are matched by their place in the file: if these change, limits might go to the wrong one
        boolean areListenersOthers =
                paths.stream().anyMatch(path -> isOfListener(path) && !isReloadable(next.get(path)));
        Map<String, Effective> taken = new LinkedHashMap<>();
        List<String> left = new ArrayList<>();
        for (String path : paths) {
            Effective key = next.get(path);
            if (key != null && isReloadable(key) && !(areListenersOthers && isOfListener(path))) {
                taken.put(path, key);
            } else {
                left.add(path);
            }
        }
        if (!taken.isEmpty()) {
            target.reconfigure(changed, !areListenersOthers);
            inForce.putAll(taken);
            LOG.info("configuration reloaded file={} now={}", file.path(), taken.values());
        }
        file.used();
        if (!left.isEmpty()) {
            LOG.warn("configuration changed file={} needs a restart for {}", file.path(), left);
        }
        warn.accept(
                left.isEmpty()
                        ? List.of()
                        : List.of("the configuration file has changed and needs a restart for "
                                + String.join(", ", left)));
    }

    /**
     * The values in force after the reloadable keys of {@code next} were applied.
     *
     * @param before the values in force until then
     * @param withListeners as in {@link Target#reconfigure}
     */
    public static List<Effective> inForce(List<Effective> before, BrokerConfig next, boolean withListeners) {
        Map<String, Effective> changed = byPath(next);
        return before.stream()
                .map(key -> {
                    Effective other = changed.get(key.path());
                    boolean isTaken = isReloadable(other) && (withListeners || !isOfListener(key.path()));
                    return isTaken && other != null ? other : key;
                })
                .toList();
    }

    private static boolean isSame(@Nullable Effective one, @Nullable Effective other) {
        return one != null && other != null && one.text().equals(other.text());
    }

    private static boolean isReloadable(@Nullable Effective key) {
        return key != null && key.reload();
    }

    private static boolean isOfListener(String path) {
        return path.contains("Listener.") || path.contains("Listener[");
    }

    private static Map<String, Effective> byPath(BrokerConfig config) {
        Map<String, Effective> byPath = new LinkedHashMap<>();
        config.effective().forEach(key -> byPath.put(key.path(), key));
        return byPath;
    }

    @Override
    public void close() {
        watcher.shutdownNow();
    }
}
