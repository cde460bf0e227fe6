package io.godwit.broker.plugin.context;

import io.godwit.plugin.context.BrokerHandle;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginSettings;
import io.godwit.plugin.event.PluginFault;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The context of one plugin. Thread-safe, except for its settings. */
public final class HostContext implements PluginContext {
    private static final Logger LOG = LoggerFactory.getLogger(HostContext.class);
    private static final int TASK_THREADS = 4;
    private static final int MAX_TASKS = 1_000;

    private final String name;
    private final PluginSettings settings;
    private final Path directory;
    private final HostLogger logger;
    private final HostMeters meters;
    private final PluginReports reports;
    private final ThreadPoolExecutor tasks;
    private final ThreadPoolExecutor answers;
    private final BrokerHandle broker;

    public HostContext(
            String name,
            PluginThreads threads,
            PluginSettings settings,
            Path directory,
            HostMeters meters,
            PluginReports reports,
            BrokerServices services,
            Decisions decisions) {
        this.name = name;
        this.settings = settings;
        this.directory = directory;
        this.logger = new HostLogger("plugin." + name);
        this.meters = meters;
        this.reports = reports;
        this.tasks = threads.pool("task", TASK_THREADS, MAX_TASKS);
        this.answers = threads.pool("answer", 1, BrokerHandle.MAX_UNDER_WAY);
        this.broker = new HostBroker(services, decisions, answers);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public PluginSettings settings() {
        return settings;
    }

    @Override
    public Path dataDirectory() {
        return directory;
    }

    @Override
    public System.Logger logger() {
        return logger;
    }

    @Override
    public HostMeters meters() {
        return meters;
    }

    @Override
    public Executor executor() {
        return task -> tasks.execute(() -> {
            try {
                task.run();
            } catch (Throwable e) { // outermost frame of the plugin, which may throw anything
                reports.fault(PluginFault.THREW, "a task threw " + Thrown.text(e));
                LOG.warn("task of a plugin failed plugin={}", name, e);
            }
        });
    }

    @Override
    public Clock clock() {
        return Clock.systemUTC();
    }

    @Override
    public BrokerHandle broker() {
        return broker;
    }

    /** Creates the directory, and restricts it to its owner. Blocks. */
    public void makeDirectory() throws IOException {
        try {
            Files.createDirectories(directory.getParent());
            if (!Files.isDirectory(directory)) {
                Files.createDirectory(directory);
            }
            FileStore store = Files.getFileStore(directory);
            if (store.supportsFileAttributeView(PosixFileAttributeView.class)) {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            }
        } catch (IOException e) {
            throw new IOException("the directory of the plugin " + name + " cannot be made: " + e, e);
        }
    }

    /** Ends its threads. */
    public void close() {
        tasks.shutdownNow();
        answers.shutdownNow();
    }
}
