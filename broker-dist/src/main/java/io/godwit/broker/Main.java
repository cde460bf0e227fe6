package io.godwit.broker;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.ForeignData;
import io.godwit.broker.check.PortHolders;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.Effective;
import io.godwit.broker.config.WatchedFile;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.ConfigReload;
import io.godwit.broker.release.Release;
import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The broker process: reads the configuration, starts the {@link Broker}, prints where it listens, and waits for the
 * signal to end. Errors that end it go to standard error, one per line, for the start script to show; the exit code is
 * 2 for a wrong configuration and 1 otherwise. With {@code --check} it only prints the findings of {@link StartCheck},
 * and exits with 2 if there are any.
 */
@Command(
        name = "godwit",
        mixinStandardHelpOptions = true,
        versionProvider = Release.class,
        description = "Runs one Godwit broker in the foreground.")
public final class Main implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    /** How long the end may take after a plugin has called {@code System.exit}. */
    private static final long EXIT_SECONDS = 20;

    /** The directory that {@code conf/logback.xml} logs to; null for its default. */
    private static final @Nullable String LOG_DIRECTORY = System.getProperty("godwit.log.dir");

    @Option(names = "--config", required = true, description = "configuration file")
    private Path config = Path.of("conf/standalone.yml");

    @Option(names = "--data", required = true, description = "data directory")
    private Path data = Path.of("data");

    @Option(names = "--plugins", description = "directory of plugin jars; it need not be there (default: plugins)")
    private Path plugins = Path.of("plugins");

    @Option(
            names = "--check",
            description = "only check the configuration and the files it names, beside a broker that runs: opens "
                    + "neither data nor ports")
    private boolean isCheck;

    @Option(names = "--all", description = "with --check: also tell the values that are the defaults")
    private boolean tellsAll;

    private Main() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public Integer call() {
        WatchedFile watched = new WatchedFile(config);
        ConfigReload.Loading loading = () -> ConfigLoader.load(config, systemProperties(), System.getenv());
        BrokerConfig effective;
        try {
            effective = loading.load();
        } catch (ConfigException e) {
            say("the configuration is wrong, nothing was started:");
            e.errors().forEach(error -> error.lines().forEach(line -> say("  " + line)));
            LOG.error("configuration refused file={} errors={}", config, e.errors());
            return 2;
        }
        if (isCheck) {
            return check(effective);
        }
        tell(effective);
        CountDownLatch ended = new CountDownLatch(1);
        try (Broker broker = new Broker(effective, data, plugins)) {
            ForeignData.refuse(data, LOG_DIRECTORY == null ? null : Path.of(LOG_DIRECTORY));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(broker, ended), "shutdown"));
            broker.start().forEach(line -> System.out.println("godwit: " + line));
            try (ConfigReload reload = new ConfigReload(
                            watched, loading, effective, broker::reconfigure, broker::tellOfConfiguration);
                    DrainRequest request = new DrainRequest(data, over -> drain(broker, over, ended))) {
                reload.start();
                request.start();
                ended.await();
            }
            return 0;
        } catch (DamagedDataException e) {
            say("the data is damaged, or is not that of a broker; nothing was changed: " + e.getMessage());
            LOG.error("start refused data={} cause={}", data, e.getMessage());
            return 1;
        } catch (IOException e) {
            // a stack trace would not help with a port in use or a missing file
            text(e).lines().forEach(Main::say);
            if (PortHolders.isBusyPort(e)) {
                new PortHolders().of(PortHolders.portsOf(effective)).forEach(Main::say);
            }
            LOG.error("start failed data={} cause={}", data, text(e));
            LOG.debug("start failed", e);
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        } catch (RuntimeException e) {
            say("start failed: " + e);
            LOG.error("start failed data={}", data, e);
            return 1;
        }
    }

    /**
     * Logs the facts that every report of a fault needs. The whole configuration goes to level debug, since nearly all
     * of it are defaults.
     */
    private void tell(BrokerConfig effective) {
        Runtime runtime = Runtime.getRuntime();
        LOG.info(
                "Godwit {} pid={} java={} vm=\"{}\" os=\"{} {}\" cpus={} heapMiB={} data={} plugins={}",
                Release.version(),
                ProcessHandle.current().pid(),
                Runtime.version(),
                System.getProperty("java.vm.name", ""),
                System.getProperty("os.name", ""),
                System.getProperty("os.version", ""),
                runtime.availableProcessors(),
                runtime.maxMemory() >> 20,
                data,
                plugins);
        LOG.info("configuration file={} differs from the defaults in {}", config, effective.changes());
        effective.effective().forEach(line -> LOG.debug("configuration {}", line));
    }

    private int check(BrokerConfig effective) {
        List<String> errors = StartCheck.errors(effective, plugins);
        if (errors.isEmpty()) {
            (tellsAll ? effective.effective() : effective.changes()).forEach(Main::tellOrigin);
            return 0;
        }
        say("a broker would not start with this configuration:");
        errors.forEach(error -> say("  " + error));
        return 2;
    }

    /** A signal meanwhile closes the broker at once. */
    private static void drain(Broker broker, Duration over, CountDownLatch ended) throws InterruptedException {
        broker.drain(over);
        ended.countDown();
    }

    /** Runs as a shutdown hook: the process lives until this returns. */
    private static void end(Broker broker, CountDownLatch ended) {
        boolean isByPlugin = broker.isEndedByPlugin();
        if (isByPlugin) { // the end may wait for the very thread that called exit
            Thread limit = new Thread(() -> haltUnlessEnded(ended), "shutdown-limit");
            limit.setDaemon(true);
            limit.start();
        }
        broker.cancelStart();
        broker.close();
        ended.countDown();
        if (isByPlugin) { // not the plugin's code: a supervisor would take 0 for a regular stop
            Runtime.getRuntime().halt(1);
        }
    }

    private static void haltUnlessEnded(CountDownLatch ended) {
        try {
            if (!ended.await(EXIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.error("shutdown did not finish in time, the process is ended seconds={}", EXIT_SECONDS);
                Runtime.getRuntime().halt(1); // like kill -9, which loses no acknowledged message
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Adds the problem to messages of the JDK that consist of a file name only. */
    private static String text(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof AccessDeniedException) {
            return "cannot open " + message + ": permission denied";
        }
        if (failure instanceof NoSuchFileException) {
            return message + ": no such file";
        }
        return message;
    }

    private static Map<String, String> systemProperties() {
        return System.getProperties().stringPropertyNames().stream()
                .collect(Collectors.toMap(name -> name, name -> System.getProperty(name, "")));
    }

    private static void tellOrigin(Effective key) {
        System.out.println("godwit:   " + key + "  (" + (key.origin().isEmpty() ? "default" : key.origin()) + ")");
    }

    private static void say(String line) {
        System.err.println("godwit: " + line);
    }
}
