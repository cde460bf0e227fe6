package io.godwit.broker.plugin;

import io.godwit.broker.config.NearestKey;
import io.godwit.broker.config.OpenSection;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.SplitHinterFactory;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.intercept.DeliverInterceptorFactory;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.intercept.UserPropertiesCustomizerFactory;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import io.godwit.plugin.sub.SubBrokerFactory;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottlerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins that a broker uses. It takes each factory in ({@link #adopt}), hands out one that is guarded instead, and
 * goes through the life cycle of those that have one. Without plugins it has neither threads nor meters.
 *
 * <p>Taking in, {@link #checkSections}, {@link #start} and {@link #close} are for the thread that starts and closes the
 * broker. The rest is thread-safe.
 */
public final class PluginHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginHost.class);

    private static final long TICK_MILLIS = 100;
    private static final int TICKS_PER_HEALTH = 100;
    /** What names directories and meters. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

    /** Of what clients bring about, and of what the broker does by itself. */
    private static final int LEAST_FAILURES_OF_MANY = 20;

    private static final int LEAST_FAILURES = 3;
    /** Called seldom: a few failures tell. */
    private static final Set<Class<?>> OF_OPERATORS =
            Set.of(RangeBalancerFactory.class, SplitHinterFactory.class, SubBrokerFactory.class);

    private final Map<String, OpenSection> sections;
    private final Path configDirectory;
    private final Path dataDirectory;
    private final EventListener events;
    private final MeterRegistry meters;
    private final LongSupplier nanoClock;
    private final BrokerServices services;
    private final Consumer<List<String>> warnings;
    private final Limits limits;
    private final Decisions decisions = new Decisions();
    private final InlineCalls inline;
    /** In the order of their making. Copied by writers: others look through it. */
    private final List<HostedPlugin> plugins = new CopyOnWriteArrayList<>();

    /** Whether {@link #warnings} is to be told. Volatile: set by any thread, unset by the one that watches. */
    private volatile boolean hasNews;

    private @Nullable ScheduledExecutorService watch;
    /** Null before the start, and when its file cannot be written. Volatile: the thread that ends the broker asks. */
    private volatile @Nullable RunningCalls running;

    private int ticks;

    private volatile long authTimeoutMillis;
    private volatile long redirectTimeoutMillis = 500;
    private volatile long subBrokerTimeoutMillis = 30_000;

    /**
     * Of a broker.
     *
     * @param sections of the configuration, by the names of plugins
     * @param configDirectory what names of files in them are relative to
     * @param dataDirectory below which plugins have their directories
     * @param warnings told what operators should know of plugins, each time all of it; on the thread that watches
     */
    public PluginHost(
            Map<String, OpenSection> sections,
            Path configDirectory,
            Path dataDirectory,
            Duration authTimeout,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nanoClock,
            BrokerServices services,
            Consumer<List<String>> warnings) {
        this(
                sections,
                configDirectory,
                dataDirectory,
                authTimeout,
                events,
                meters,
                nanoClock,
                services,
                warnings,
                Limits.DEFAULT);
    }

    PluginHost(
            Map<String, OpenSection> sections,
            Path configDirectory,
            Path dataDirectory,
            Duration authTimeout,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nanoClock,
            BrokerServices services,
            Consumer<List<String>> warnings,
            Limits limits) {
        this.limits = limits;
        this.sections = Map.copyOf(sections);
        this.configDirectory = configDirectory;
        this.dataDirectory = dataDirectory;
        this.events = events;
        this.meters = meters;
        this.nanoClock = nanoClock;
        this.services = services;
        this.warnings = warnings;
        this.inline = new InlineCalls(nanoClock);
        this.authTimeoutMillis = authTimeout.toMillis();
    }

    /** One that finds out what is wrong with settings, beside a broker that may run. Nothing is ever started. */
    public static PluginHost forCheck(Map<String, OpenSection> sections, Path configDirectory) {
        return new PluginHost(
                sections,
                configDirectory,
                configDirectory.resolve("nowhere"),
                Duration.ofSeconds(10),
                EventListener.NONE,
                new SimpleMeterRegistry(),
                System::nanoTime,
                BrokerServices.NONE,
                all -> {});
    }

    /** Before {@link #start}: questions to client balancers may take so long. */
    public void redirectTimeout(Duration timeout) {
        redirectTimeoutMillis = timeout.toMillis();
    }

    /** Before {@link #start}: SubBrokers may take so long with a batch. */
    public void subBrokerTimeout(Duration timeout) {
        subBrokerTimeoutMillis = timeout.toMillis();
    }

    /** From now on questions to auth providers may take so long. */
    public void authTimeout(Duration timeout) {
        authTimeoutMillis = timeout.toMillis();
    }

    /**
     * Takes in a factory of a plugin and hands it its context. Blocks.
     *
     * @param kind such as {@code auth-provider}
     * @param name what it calls itself
     * @return what is to be used in its place
     * @throws IOException naming all settings that are wrong, another plugin of the same name, or what the plugin threw
     */
    public <F> F adopt(Class<F> type, String kind, String name, F factory, PluginHome home) throws IOException {
        Plugin own = factory instanceof Plugin plugin ? plugin : null;
        if (own != null && !NAME.matcher(name).matches()) {
            throw new IOException("the plugin " + name + " of " + home.source()
                    + " has a name that is none: it must be up to 64 letters, digits, '-' and '_'");
        }
        for (HostedPlugin other : plugins) {
            if (other.name().equals(name) && (own != null || other.hasContext())) {
                throw new IOException("two plugins have the name " + name + ", by which settings and directories go: "
                        + kind + " of " + home.source() + ", and " + other.kind() + " of "
                        + other.home().source());
            }
        }
        PluginReports reports = new PluginReports(name, kind, events, meters);
        CallMark mark = new CallMark();
        HostedPlugin plugin = new HostedPlugin(
                kind,
                name,
                home,
                own,
                reports,
                inline,
                nanoClock,
                limits,
                OF_OPERATORS.contains(type) ? LEAST_FAILURES : LEAST_FAILURES_OF_MANY,
                mark,
                () -> hasNews = true);
        plugins.add(plugin);
        OpenSection section = sections.getOrDefault(name, new OpenSection("plugins." + name, Map.of()));
        ConfiguredSettings settings = new ConfiguredSettings(section, configDirectory);
        plugin.create(
                new HostContext(
                        name,
                        home.classes(),
                        settings,
                        dataDirectory.resolve(name),
                        new HostMeters(name, meters, reports),
                        reports,
                        Clock.systemUTC(),
                        services,
                        decisions,
                        mark),
                settings);
        return type.cast(guarded(type, factory, name, plugin));
    }

    private Object guarded(Class<?> type, Object factory, String name, HostedPlugin plugin) throws IOException {
        if (type == AuthProviderFactory.class && factory instanceof AuthProviderFactory auth) {
            return new GuardedFactories.OfAuth(auth, name, plugin, decisions, nanoClock, () -> authTimeoutMillis);
        }
        if (type == ClientBalancerFactory.class && factory instanceof ClientBalancerFactory balancers) {
            return new GuardedFactories.OfClientBalancers(
                    balancers, name, plugin, nanoClock, () -> redirectTimeoutMillis);
        }
        if (type == SubBrokerFactory.class && factory instanceof SubBrokerFactory subBrokers) {
            return new GuardedFactories.OfSubBrokers(subBrokers, name, plugin, nanoClock, () -> subBrokerTimeoutMillis);
        }
        if (type == RangeBalancerFactory.class && factory instanceof RangeBalancerFactory balancers) {
            Map<String, String> defaults =
                    plugin.bounded("defaults", plugin.limits().start(), () -> Map.copyOf(balancers.defaults()));
            return new GuardedFactories.OfBalancers(balancers, name, defaults, plugin, nanoClock);
        }
        if (type == SplitHinterFactory.class && factory instanceof SplitHinterFactory hinters) {
            Map<String, String> defaults =
                    plugin.bounded("defaults", plugin.limits().start(), () -> Map.copyOf(hinters.defaults()));
            return new GuardedFactories.OfHinters(hinters, name, defaults, plugin, nanoClock);
        }
        if (type == EventListenerFactory.class && factory instanceof EventListenerFactory listeners) {
            plugin.keepOffThreadsOfBroker();
            return new GuardedFactories.OfListeners(listeners, name, plugin, nanoClock, meters);
        }
        if (type == PublishInterceptorFactory.class && factory instanceof PublishInterceptorFactory publish) {
            return new GuardedInterceptors.OfPublish(publish, name, plugin, nanoClock);
        }
        if (type == DeliverInterceptorFactory.class && factory instanceof DeliverInterceptorFactory deliver) {
            return new GuardedInterceptors.OfDeliver(deliver, name, plugin, nanoClock);
        }
        if (type == UserPropertiesCustomizerFactory.class
                && factory instanceof UserPropertiesCustomizerFactory properties) {
            return new GuardedInterceptors.OfProperties(properties, name, plugin, nanoClock);
        }
        if (type == TenantSettingsProviderFactory.class && factory instanceof TenantSettingsProviderFactory settings) {
            return new GuardedFactories.OfTenantSettings(settings, name, plugin, nanoClock, () -> authTimeoutMillis);
        }
        if (type == ResourceThrottlerFactory.class && factory instanceof ResourceThrottlerFactory throttlers) {
            return new GuardedFactories.OfThrottlers(throttlers, name, plugin, nanoClock, () -> authTimeoutMillis);
        }
        throw new IllegalArgumentException("no kind of plugin: " + factory.getClass());
    }

    /**
     * Whether each section of the configuration is for a plugin that is in use; after all were taken in.
     *
     * @throws IOException naming all that are not
     */
    public void checkSections() throws IOException {
        Set<String> names = new TreeSet<>();
        plugins.stream().filter(HostedPlugin::hasContext).forEach(plugin -> names.add(plugin.name()));
        List<String> errors = new ArrayList<>();
        for (String name : new TreeSet<>(sections.keySet())) {
            boolean isOld = plugins.stream().anyMatch(plugin -> plugin.name().equals(name));
            if (names.contains(name)) {
                continue;
            }
            errors.add("plugins." + name + ": "
                    + (isOld
                            ? "this plugin takes no settings"
                            : "no plugin of this name is in use"
                                    + (names.isEmpty()
                                            ? ", and none that takes settings"
                                            : ", the nearest is plugins." + NearestKey.of(name, names))));
        }
        if (!errors.isEmpty()) {
            throw new IOException(String.join("\n", errors));
        }
    }

    /**
     * Starts all, in the order in which they were taken in. Blocks.
     *
     * @throws IOException naming the plugin that does not start
     */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until it is shut down
    public void start() throws IOException {
        noteCalls();
        if (plugins.isEmpty()) {
            return;
        }
        ScheduledExecutorService made = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "plugin-watch");
            thread.setDaemon(true);
            return thread;
        });
        watch = made;
        for (HostedPlugin plugin : plugins) {
            plugin.start();
        }
        made.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
        LOG.info(
                "plugins started names={}",
                plugins.stream().map(HostedPlugin::name).toList());
    }

    /** Tells of those that may have ended the process before, and has calls noted from now on. */
    private void noteCalls() {
        Path file = dataDirectory.resolve(RunningCalls.FILE);
        try {
            for (RunningCalls.Suspect suspect : RunningCalls.before(file)) {
                tell(suspect);
            }
            if (plugins.isEmpty()) {
                Files.deleteIfExists(file);
            } else {
                running = RunningCalls.begin(file, plugins);
            }
        } catch (IOException e) { // all else works without it
            LOG.warn("calls of plugins are not noted file={} cause={}", file, e.toString());
        }
    }

    private void tell(RunningCalls.Suspect suspect) {
        String detail = suspect.hasExited()
                ? "it ended the process before this one by System.exit"
                : "it was called when the process before this one was cut short";
        LOG.warn(
                "plugin is suspected to have ended the broker plugin={} kind={} detail={}",
                suspect.name(),
                suspect.kind(),
                detail);
        plugins.stream()
                .filter(plugin ->
                        plugin.name().equals(suspect.name()) && plugin.kind().equals(suspect.kind()))
                .forEach(plugin -> plugin.suspected(detail));
    }

    /**
     * While the process ends: whether a plugin has called {@code System.exit}, which is noted for the next start. Any
     * thread.
     */
    public boolean isEndedByPlugin() {
        RunningCalls noted = running;
        if (plugins.isEmpty()) {
            return false;
        }
        Optional<HostedPlugin> found =
                ExitBlame.of(Thread.getAllStackTraces(), plugins, plugin -> noted != null && noted.runs(plugin));
        found.ifPresent(plugin -> {
            LOG.error("plugin ends the broker by System.exit plugin={} kind={}", plugin.name(), plugin.kind());
            if (noted != null) {
                noted.exits(plugin);
            }
        });
        return found.isPresent();
    }

    private void tick() {
        try {
            inline.look(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS));
            long now = nanoClock.getAsLong();
            boolean isHealthDue = ticks++ % TICKS_PER_HEALTH == 0;
            IdentityHashMap<ClassLoader, Integer> threads =
                    isHealthDue ? PluginThreads.ownOfPlugins() : new IdentityHashMap<>();
            for (HostedPlugin plugin : plugins) {
                plugin.tick(now);
                if (isHealthDue) {
                    plugin.askHealth();
                    plugin.ownThreads(ownOf(plugin, threads));
                }
            }
            if (hasNews) {
                hasNews = false;
                tell();
            }
        } catch (RuntimeException | Error e) { // else nothing would be watched any more
            LOG.error("plugins not watched", e);
        }
    }

    /** One on the class path shares its class loader with the broker. */
    private static int ownOf(HostedPlugin plugin, IdentityHashMap<ClassLoader, Integer> threads) {
        ClassLoader classes = plugin.classes();
        return classes == PluginHost.class.getClassLoader() ? 0 : threads.getOrDefault(classes, 0);
    }

    private void tell() {
        warnings.accept(plugins.stream()
                .map(HostedPlugin::warning)
                .filter(text -> !text.isEmpty())
                .toList());
    }

    /** How the plugins of a source do. */
    public List<PluginState> states(String source) {
        return plugins.stream()
                .filter(plugin -> plugin.home().source().equals(source))
                .map(HostedPlugin::state)
                .toList();
    }

    /** Stops all, those first that were started last; after what they have made was closed. Blocks. */
    @Override
    public void close() {
        if (watch != null) {
            watch.shutdownNow();
        }
        for (int i = plugins.size() - 1; i >= 0; i--) {
            plugins.get(i).stop();
        }
        RunningCalls noted = running;
        if (noted != null) {
            try {
                noted.close();
            } catch (IOException e) {
                LOG.warn("the file of calls stays cause={}", e.toString());
            }
        }
    }
}
