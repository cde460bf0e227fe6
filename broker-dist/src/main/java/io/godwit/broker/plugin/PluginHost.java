package io.godwit.broker.plugin;

import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.config.source.NearestKey;
import io.godwit.broker.plugin.context.BrokerServices;
import io.godwit.broker.plugin.context.CallMark;
import io.godwit.broker.plugin.context.Decisions;
import io.godwit.broker.plugin.context.HostContext;
import io.godwit.broker.plugin.context.HostMeters;
import io.godwit.broker.plugin.context.PluginReports;
import io.godwit.broker.plugin.context.PluginThreads;
import io.godwit.broker.plugin.guard.GuardedFactories;
import io.godwit.broker.plugin.guard.GuardedInterceptors;
import io.godwit.broker.plugin.instance.CallLimits;
import io.godwit.broker.plugin.instance.ConfiguredSettings;
import io.godwit.broker.plugin.instance.FoundPlugin;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.InlineCalls;
import io.godwit.broker.plugin.instance.PluginHome;
import io.godwit.broker.plugin.instance.PluginState;
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
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins in use. It adopts each factory ({@link #adopt}), hands out a guarded one in its place, and runs the life
 * cycle of factories that are a {@link Plugin}. Without plugins it has neither threads nor meters.
 *
 * <p>{@link #adopt}, {@link #checkSections}, {@link #start} and {@link #close} are for the thread that starts and
 * closes the broker. The rest is thread-safe.
 */
public final class PluginHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PluginHost.class);

    private static final long TICK_MILLIS = 100;
    private static final int TICKS_PER_HEALTH = 100;
    /** Names of plugins become names of directories and meters. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

    /** How many failures open the breaker: for plugins that clients cause calls to, and for those called rarely. */
    private static final int LEAST_FAILURES_OF_MANY = 20;

    private static final int LEAST_FAILURES = 3;
    /** Types that are called rarely, so that a few failures are significant. */
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
    private final CallLimits limits;
    private final Decisions decisions = new Decisions();
    private final InlineCalls inline;
    /** In the order of adoption. Copied on write: other threads iterate over it. */
    private final List<HostedPlugin> plugins = new CopyOnWriteArrayList<>();

    /** Whether {@link #warnings} must be updated. Volatile: set by any thread, reset by the watching thread. */
    private volatile boolean hasNews;

    private @Nullable ScheduledExecutorService watch;
    /** Null before the start, and if its file cannot be written. Volatile: read by the thread that ends the broker. */
    private volatile @Nullable RunningCalls running;

    private int ticks;

    private volatile long authTimeoutMillis;
    private volatile long redirectTimeoutMillis = 500;
    private volatile long subBrokerTimeoutMillis = 30_000;

    /**
     * The host of a broker.
     *
     * @param warnings receives all current warnings about plugins at each change, on the watching thread
     */
    public PluginHost(
            PluginFiles files,
            Duration authTimeout,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nanoClock,
            BrokerServices services,
            Consumer<List<String>> warnings) {
        this(files, authTimeout, events, meters, nanoClock, services, warnings, CallLimits.DEFAULT);
    }

    PluginHost(
            PluginFiles files,
            Duration authTimeout,
            EventListener events,
            MeterRegistry meters,
            LongSupplier nanoClock,
            BrokerServices services,
            Consumer<List<String>> warnings,
            CallLimits limits) {
        this.limits = limits;
        this.sections = files.sections();
        this.configDirectory = files.configDirectory();
        this.dataDirectory = files.dataDirectory();
        this.events = events;
        this.meters = meters;
        this.nanoClock = nanoClock;
        this.services = services;
        this.warnings = warnings;
        this.inline = new InlineCalls(nanoClock);
        this.authTimeoutMillis = authTimeout.toMillis();
    }

    /** A host that only checks settings, while a broker may be running. It starts nothing. */
    public static PluginHost forCheck(Map<String, OpenSection> sections, Path configDirectory) {
        return new PluginHost(
                new PluginFiles(sections, configDirectory, configDirectory.resolve("nowhere")),
                Duration.ofSeconds(10),
                EventListener.NONE,
                new SimpleMeterRegistry(),
                System::nanoTime,
                BrokerServices.NONE,
                all -> {});
    }

    /** Sets the time limit of client balancers. To be called before {@link #start}. */
    public void redirectTimeout(Duration timeout) {
        redirectTimeoutMillis = timeout.toMillis();
    }

    /** Sets the time limit of SubBrokers for a batch. To be called before {@link #start}. */
    public void subBrokerTimeout(Duration timeout) {
        subBrokerTimeoutMillis = timeout.toMillis();
    }

    /** Sets the time limit of auth providers from now on. */
    public void authTimeout(Duration timeout) {
        authTimeoutMillis = timeout.toMillis();
    }

    /**
     * Adopts a factory of a plugin and passes it its context. Blocks.
     *
     * @param kind such as {@code auth-provider}
     * @param name its own name
     * @return the guarded factory to use in its place
     * @throws IOException naming all wrong settings, another plugin of the same name, or the plugin's exception
     */
    public <F> F adopt(Class<F> type, String kind, String name, F factory, PluginHome home) throws IOException {
        Plugin own = factory instanceof Plugin plugin ? plugin : null;
        if (own != null && !NAME.matcher(name).matches()) {
            throw new IOException("the plugin " + name + " of " + home.source()
                    + " has an invalid name: it must be up to 64 letters, digits, '-' and '_'");
        }
        for (HostedPlugin other : plugins) {
            if (other.name().equals(name) && (own != null || other.hasContext())) {
                throw new IOException("two plugins have the name " + name + ", of their settings and directories: "
                        + kind + " of " + home.source() + ", and " + other.kind() + " of "
                        + other.home().source());
            }
        }
        PluginReports reports = new PluginReports(name, kind, events, meters);
        PluginThreads threads = new PluginThreads(name, home.classes(), new CallMark());
        HostedPlugin plugin = new HostedPlugin(
                new FoundPlugin(kind, name, home, own),
                threads,
                reports,
                inline,
                nanoClock,
                limits,
                OF_OPERATORS.contains(type) ? LEAST_FAILURES : LEAST_FAILURES_OF_MANY,
                () -> hasNews = true);
        plugins.add(plugin);
        OpenSection section = sections.getOrDefault(name, new OpenSection("plugins." + name, Map.of()));
        ConfiguredSettings settings = new ConfiguredSettings(section, configDirectory);
        plugin.create(
                new HostContext(
                        name,
                        threads,
                        settings,
                        dataDirectory.resolve(name),
                        new HostMeters(name, meters, reports),
                        reports,
                        services,
                        decisions),
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
     * Checks that each section of the configuration is for a plugin in use. To be called when all were adopted.
     *
     * @param missing names of plugins that the configuration uses, but that are missing or were refused
     * @param keysFor the keys of the configuration that can name a plugin; none if there is no such plugin
     * @throws IOException naming all other sections
     */
    public void checkSections(Set<String> missing, Function<String, List<String>> keysFor) throws IOException {
        Set<String> names = new TreeSet<>();
        plugins.stream().filter(HostedPlugin::hasContext).forEach(plugin -> names.add(plugin.name()));
        List<String> errors = new ArrayList<>();
        for (String name : new TreeSet<>(sections.keySet())) {
            if (!names.contains(name) && !missing.contains(name)) {
                errors.add("plugins." + name + ": " + whyUnused(name, names, keysFor));
            }
        }
        if (!errors.isEmpty()) {
            throw new IOException(String.join("\n", errors));
        }
    }

    /** @param names of the plugins that take settings */
    private String whyUnused(String name, Set<String> names, Function<String, List<String>> keysFor) {
        if (plugins.stream().anyMatch(plugin -> plugin.name().equals(name))) {
            return "this plugin takes no settings";
        }
        List<String> keys = keysFor.apply(name);
        if (!keys.isEmpty()) {
            return "this plugin is not in use: name it in " + String.join(" or ", keys);
        }
        return "no plugin of this name is in use"
                + (names.isEmpty()
                        ? ", and none that takes settings"
                        : ", the nearest is plugins." + NearestKey.of(name, names));
    }

    /**
     * Starts all plugins, in the order of adoption. Blocks.
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

    /** Reports plugins that may have ended the process before, and begins to note calls. */
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
        } catch (IOException e) { // everything else works without the file
            LOG.warn("calls of plugins cannot be noted file={} cause={}", file, e.toString());
        }
    }

    private void tell(RunningCalls.Suspect suspect) {
        String detail = suspect.hasExited()
                ? "it ended the process before this one by System.exit"
                : "a call of it was under way when the process before this one was killed";
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
     * Called while the process ends: whether a plugin has called {@code System.exit}. Notes it for the next start. Any
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
        } catch (RuntimeException | Error e) { // otherwise the schedule would end
            LOG.error("check of plugins failed", e);
        }
    }

    /** Plugins on the class path share the broker's class loader, so their threads cannot be told apart. */
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

    /** The states of the plugins of a source. */
    public List<PluginState> states(String source) {
        return plugins.stream()
                .filter(plugin -> plugin.home().source().equals(source))
                .map(HostedPlugin::state)
                .toList();
    }

    /** Stops all plugins in reverse order, after the objects that they have created were closed. Blocks. */
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
