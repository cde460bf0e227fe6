package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.config.ConfigException;
import io.godwit.kv.KvNode;
import io.godwit.kv.balance.BalancerStatus;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.balance.policy.LoadMeter;
import io.godwit.kv.balance.policy.ShippedBalancers;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.store.StoreSpec;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.StoreView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins as jars, made by the test: compiled against plugin-api alone, as a plugin's own project would. */
class PluginLoaderTest {
    private static final String SERVICE = "META-INF/services/io.godwit.plugin.balance.RangeBalancerFactory";

    private static final String HINTER_SERVICE = "META-INF/services/io.godwit.plugin.balance.SplitHinterFactory";

    @TempDir
    Path directory;

    private Path plugins;

    @BeforeEach
    void makeDirectory() throws IOException {
        plugins = Files.createDirectory(directory.resolve("plugins"));
    }

    /** A factory whose name contains what its code finds, so that a test can see it from outside. */
    private static String factory(String className, String name) {
        return """
                import io.godwit.plugin.balance.*;
                import java.util.*;
                public class %s implements RangeBalancerFactory {
                    @Override public String name() { return %s; }
                    @Override public RangeBalancer create(Map<String, String> settings) { return view -> \
                    Optional.empty(); }
                }
                """.formatted(className, name);
    }

    private void jar(String name, String service, Map<String, String> sources) throws IOException {
        jar(name, SERVICE, service, sources);
    }

    /** @param services the file that says what the plugin offers */
    private void jar(String name, String services, String service, Map<String, String> sources) throws IOException {
        PluginJars.make(directory, plugins.resolve(name), services, service, sources);
    }

    private static RangeBalancerFactory find(PluginLoader loader, String name) throws IOException {
        return loader.find(
                "the.key", name, RangeBalancerFactory.class, RangeBalancerFactory::name, List.of("split", "merge"));
    }

    @Test
    void aJarIsFoundByTheNameOfItsFactory() throws Exception {
        jar("one.jar", "One", Map.of("One", factory("One", "\"one\"")));
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            RangeBalancerFactory factory = find(loader, "one");
            assertThat(factory.name()).isEqualTo("one");
            assertThat(factory.getClass().getClassLoader())
                    .isNotSameAs(getClass().getClassLoader());
        }
    }

    @Test
    void aFactoryIsFoundByItsClassWithoutAServiceFile() throws Exception {
        jar("one.jar", "", Map.of("org.acme.One", "package org.acme;\n" + factory("One", "\"one\"")));
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            assertThat(find(loader, "org.acme.One").name()).isEqualTo("one");
            assertThatThrownBy(() -> find(loader, "one")).hasMessageContaining("in one.jar: none");
            assertThatThrownBy(() -> find(loader, "java.lang.String"))
                    .hasMessageContaining("java.lang.String is no RangeBalancerFactory");
        }
    }

    @Test
    void aPluginSeesTheJdkAndTheApiAndNothingElse() throws Exception {
        String seen = """
                Arrays.asList("java.sql.Driver", "io.godwit.plugin.auth.AuthProvider", "io.godwit.broker.Main",
                        "io.godwit.kv.KvNode", "org.slf4j.Logger", "io.netty.buffer.ByteBuf", "Two").stream()
                    .filter(name -> { try { Class.forName(name); return true; } catch (ClassNotFoundException e) { \
                    return false; } })
                    .collect(java.util.stream.Collectors.joining(" "))
                    + (One.class.getClassLoader().getResource("logback.xml") == null ? "" : " resources")""";
        jar("one.jar", "One", Map.of("One", factory("One", seen)));
        jar("two.jar", "Two", Map.of("Two", factory("Two", "\"two\"")));
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            assertThat(find(loader, "java.sql.Driver io.godwit.plugin.auth.AuthProvider"))
                    .isNotNull();
            assertThat(find(loader, "two")).isNotNull();
        }
        assertThat(AuthProvider.class.getName())
                .as("the name in the list above is correct")
                .isEqualTo("io.godwit.plugin.auth.AuthProvider");
    }

    /** Each brings its own version of a library. */
    @Test
    void pluginsDoNotMeet() throws Exception {
        for (String version : List.of("1", "2")) {
            jar(
                    "plugin" + version + ".jar",
                    "One",
                    Map.of(
                            "One",
                            factory("One", "\"uses-library-\" + Library.VERSION"),
                            "Library",
                            "class Library { static final String VERSION = String.valueOf(" + version + "); }"));
        }
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            assertThat(find(loader, "uses-library-1")).isNotNull();
            assertThat(find(loader, "uses-library-2")).isNotNull();
        }
    }

    @Test
    void aDirectoryOfJarsIsOnePlugin() throws Exception {
        jar(
                "together/one.jar",
                "One",
                Map.of(
                        "One",
                        factory("One", "Library.NAME.toString()"),
                        "Library",
                        "class Library { static final Object NAME = \"from-library\"; }"));
        Path classes = Files.createDirectory(directory.resolve("library"));
        Path source = Files.writeString(
                directory.resolve("Library.java"), "class Library { static final Object NAME = \"from-library\"; }");
        PluginJars.compile(classes, List.of(source));
        PluginJars.pack(classes, plugins.resolve("together/library.jar"));
        Files.writeString(plugins.resolve("README.txt"), "not a plugin");
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            assertThat(find(loader, "from-library")).isNotNull();
        }
    }

    @Test
    void whatIsMissingIsToldWithWhatIsThere() throws Exception {
        jar("one.jar", "One", Map.of("One", factory("One", "\"one\"")));
        jar("broken.jar", "Nobody", Map.of("One", factory("One", "\"one\"")));
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            assertThatThrownBy(() -> find(loader, "two"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(
                            "the.key: there is no RangeBalancerFactory \"two\"",
                            "built in: [split, merge]",
                            "in one.jar: [one]",
                            "in broken.jar: none",
                            "passed over: broken.jar:",
                            "Nobody");
            assertThat(find(loader, "one").name()).isEqualTo("one");
        }
    }

    @Test
    void aNameThatTwoPluginsHaveIsRefused() throws Exception {
        jar("one.jar", "One", Map.of("One", factory("One", "\"same\"")));
        jar("two.jar", "Two", Map.of("Two", factory("Two", "\"same\"")));
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            assertThatThrownBy(() -> find(loader, "same")).hasMessageContaining("[one.jar, two.jar]");
        }
    }

    @Test
    void aFileThatIsNoJarIsRefusedAndNamed() throws Exception {
        Files.writeString(plugins.resolve("bad.jar"), "not a jar");
        assertThatThrownBy(() -> PluginLoader.open(plugins))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(plugins.resolve("bad.jar").toString());
    }

    @Test
    void withoutADirectoryThereAreNoPlugins() throws Exception {
        try (PluginLoader loader = PluginLoader.open(directory.resolve("nowhere"))) {
            assertThatThrownBy(() -> find(loader, "one")).hasMessageContaining("there are no plugins");
        }
    }

    // --- in the configuration

    private BalancePlan plan(BalanceSettings keySpace, Map<String, String> properties, String yaml)
            throws IOException, ConfigException {
        Path file = Files.writeString(directory.resolve("test.yml"), yaml);
        BrokerConfig config = ConfigLoader.load(file, properties);
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            BalanceSettings.check(config, loader);
            return keySpace.plan(config, loader);
        }
    }

    private static Map<String, String> settings(BalancePlan plan, String balancer) {
        return plan.steps().stream()
                .filter(step -> step.name().equals(balancer))
                .map(BalancePlan.Step::effective)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theShippedBalancersTakeTheirLimitsFromTheSystemProperties() throws Exception {
        BalancePlan inbox = plan(
                BalanceSettings.INBOX,
                Map.of(
                        "inbox_store_io_nanos_limit",
                        "7",
                        "inbox_store_max_io_density",
                        "8",
                        "inbox_store_initial_ranges",
                        "3"),
                "");
        assertThat(inbox.steps()).hasSameSizeAs(ShippedBalancers.ALL);
        assertThat(settings(inbox, "split")).containsEntry("ioNanosLimit", "7").containsEntry("maxIoDensity", "8");
        assertThat(settings(inbox, "merge")).containsEntry("minRanges", "3").containsEntry("maxIoDensity", "8");
        BalancePlan dist = plan(
                BalanceSettings.DIST,
                Map.of(
                        "dist_worker_max_io_density",
                        "9",
                        "retain_store_max_io_density",
                        String.valueOf(Long.MAX_VALUE)),
                "");
        assertThat(settings(dist, "split")).containsEntry("maxIoDensity", "9").containsEntry("ioNanosLimit", "30000");
        assertThat(settings(dist, "merge")).containsEntry("minRanges", "1");
    }

    @Test
    void balancersAndTheirSettingsAreChosenForEachKeySpace() throws Exception {
        BalancePlan plan = plan(BalanceSettings.RETAIN, Map.of(), """
                storeConfig:
                  retain:
                    balancers: [drain, split]
                    balanceSettings:
                      - split.maxIoDensity = 12.5
                      - load.minShare=0.3
                """);
        assertThat(plan.steps().stream().map(BalancePlan.Step::name)).containsExactly("drain", "split");
        assertThat(settings(plan, "split")).containsEntry("maxIoDensity", "12.5");
    }

    @Test
    void wrongBalancingIsRefused() {
        assertThatThrownBy(() -> plan(BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {balancers: spilt}}"))
                .hasMessageContainingAll("storeConfig.dist.balancers", "\"spilt\"", "split");
        assertThatThrownBy(
                        () -> plan(BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {balancers: [split, split]}}"))
                .hasMessageContaining("split is named twice");
        assertThatThrownBy(() -> plan(BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {splitHinter: hot}}"))
                .hasMessageContainingAll("storeConfig.dist.splitHinter", "\"hot\"", "[load]");
        assertThatThrownBy(() -> plan(
                        BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {balanceSettings: split.maxIoDensity}}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll("storeConfig.dist.balanceSettings", "balancer.setting=value");
        assertThatThrownBy(() -> plan(
                        BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {balanceSettings: split.maxDensity=3}}"))
                .hasMessageContainingAll("storeConfig.dist.balanceSettings", "\"maxDensity\"", "maxIoDensity");
        assertThatThrownBy(() ->
                        plan(BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {balanceSettings: load.minShare=3}}"))
                .hasMessageContainingAll("split hinter load", "minShare");
        assertThatThrownBy(() -> plan(
                        BalanceSettings.DIST, Map.of(), "storeConfig: {dist: {balanceSettings: spilt.maxBytes=3}}"))
                .hasMessageContainingAll("no balancer \"spilt\" in use", "split");
    }

    /** The limits are not only reported: the active balancer uses them. */
    @Test
    void rangesAreCutByTheLimitsOfTheSystemProperties() throws Exception {
        BrokerConfig config = ConfigLoader.load(
                Files.writeString(directory.resolve("test.yml"), ""),
                Map.of("inbox_store_io_nanos_limit", "7000", "inbox_store_max_io_density", "8"));
        StoreSpec inbox = BalanceSettings.INBOX.store(Nothing::new, List.of(), config, PluginLoader.none());
        RangeBalancer split = balancer(inbox.balance().plan(), "split");
        assertThat(split.next(loaded(8_001, 7_000)))
                .get()
                .isInstanceOfSatisfying(
                        BalanceAction.Split.class, cut -> assertThat(cut.key()).contains(MIDDLE));
        assertThat(split.next(loaded(8_000, 7_000))).isEmpty();
        assertThat(split.next(loaded(8_001, 7_001))).isEmpty();
        try (KvNode node = KvNode.open(BrokerSettings.node(config, directory.resolve("data")))) {
            node.open(inbox);
            BalancerStatus working =
                    node.operations().store("inbox").orElseThrow().balance().list().get(10, TimeUnit.SECONDS).stream()
                            .filter(each -> each.name().equals("split"))
                            .findFirst()
                            .orElseThrow();
            assertThat(working.settings()).containsEntry("ioNanosLimit", "7000").containsEntry("maxIoDensity", "8");
        }
    }

    private static final Key MIDDLE = Key.of(new byte[] {'m'});

    private static ClusterView loaded(double operationsPerSecond, long operationNanos) {
        RangeView range = new RangeView(
                1,
                Key.FIRST,
                Optional.empty(),
                1,
                List.of(new Replica("a", true, true)),
                Optional.of("a"),
                0,
                new RangeLoad(Duration.ofHours(1), operationsPerSecond, operationsPerSecond, operationNanos),
                Optional.of(new SplitHint(MIDDLE, 0.5)),
                Optional.empty(),
                Duration.ofHours(1));
        return new ClusterView("inbox", "a", new ReplicaGoal(1, false), List.of(store("a", "")), List.of(range));
    }

    private static RangeBalancer balancer(BalancePlan plan, String name) {
        return plan.steps().stream()
                .filter(step -> step.name().equals(name))
                .map(BalancePlan.Step::create)
                .findFirst()
                .orElseThrow();
    }

    /** The minimum that a store needs to be opened. */
    private static final class Nothing implements RangeCoprocessor {
        @Override
        public void open(RangeBounds bounds, RangeReader reader) {}

        @Override
        public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public byte[] query(RangeReader snapshot, byte[] query) {
            throw new UnsupportedOperationException();
        }
    }

    /** Proposes the last key that it has seen. */
    private static final String LAST_KEY_HINTER = """
            import io.godwit.plugin.balance.*;
            import java.util.*;
            public class LastKey implements SplitHinterFactory {
                @Override public String name() { return "last-key"; }
                @Override public Map<String, String> defaults() { return Map.of("share", "0.5"); }
                @Override public SplitHinter create(Map<String, String> settings) {
                    double share = Double.parseDouble(settings.get("share"));
                    return new SplitHinter() {
                        private byte[] last;
                        @Override public void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos) { \
                        last = key; }
                        @Override public Optional<SplitHint> hint(RangeLoad load) {
                            return last == null ? Optional.empty() : Optional.of(new SplitHint(Key.of(last), share));
                        }
                    };
                }
            }
            """;

    @Test
    void aSplitHinterOfAPluginIsChosenInTheFileAndAsked() throws Exception {
        jar("hinter.jar", HINTER_SERVICE, "LastKey", Map.of("LastKey", LAST_KEY_HINTER));
        BrokerConfig config = ConfigLoader.load(Files.writeString(directory.resolve("test.yml"), """
                        storeConfig:
                          inbox:
                            splitHinter: last-key
                            balanceSettings:
                              - last-key.share=0.25
                        """), Map.of());
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            StoreSpec inbox = BalanceSettings.INBOX.store(Nothing::new, List.of(), config, loader);
            LoadMeter meter = new LoadMeter(inbox.hinters().get(), key -> key, 0);
            for (int second = 1; second <= 10; second++) {
                for (int i = 0; i < 200; i++) {
                    meter.onAccess(new byte[] {'m'}, AccessKind.WRITE, 1, 1_000);
                }
                meter.tick(TimeUnit.SECONDS.toNanos(second));
            }
            assertThat(meter.hint()).contains(new SplitHint(MIDDLE, 0.25));
            StoreSpec dist = BalanceSettings.DIST.store(Nothing::new, List.of(), config, loader);
            assertThat(dist.hinters().get().getClass().getClassLoader())
                    .as("the plugin's hinter is used only where the configuration names it")
                    .isSameAs(LoadMeter.class.getClassLoader());
        }
        String wrong = "storeConfig: {inbox: {splitHinter: last-key, balanceSettings: last-key.part=0.25}}";
        assertThatThrownBy(() -> plan(BalanceSettings.INBOX, Map.of(), wrong))
                .hasMessageContainingAll("split hinter last-key", "\"part\"", "[share]");
    }

    // --- the example

    private static Path example() {
        return Path.of(System.getProperty("user.dir")).resolveSibling("docs/examples/range-balancer");
    }

    /** As its README tells: its sources compile against plugin-api alone, its jar is dropped in and named. */
    @Test
    void theExampleIsLoadedAndMovesLeaders() throws Exception {
        Path classes = Files.createDirectory(directory.resolve("example"));
        PluginJars.compile(classes, PluginJars.sourcesIn(example().resolve("src/main/java")));
        Path resources = example().resolve("src/main/resources").resolve(SERVICE);
        Files.createDirectories(classes.resolve(SERVICE).getParent());
        Files.copy(resources, classes.resolve(SERVICE));
        PluginJars.pack(classes, plugins.resolve("leaders-in-zone-1.0.0.jar"));
        Path readme = example().resolve("README.md");
        String yaml = Files.readString(readme)
                .lines()
                .dropWhile(line -> !line.equals("    storeConfig:"))
                .takeWhile(line -> line.startsWith("    "))
                .map(line -> line.substring(4) + "\n")
                .reduce("", String::concat);
        BrokerConfig config = ConfigLoader.load(Files.writeString(directory.resolve("example.yml"), yaml), Map.of());
        try (PluginLoader loader = PluginLoader.open(plugins)) {
            BalancePlan plan = BalanceSettings.INBOX.plan(config, loader);
            RangeBalancer balancer = plan.steps().stream()
                    .filter(step -> step.name().equals("leaders-in-zone"))
                    .map(BalancePlan.Step::create)
                    .findFirst()
                    .orElseThrow();
            assertThat(balancer.next(view("a")))
                    .get()
                    .isInstanceOfSatisfying(
                            BalanceAction.MoveLeader.class,
                            move -> assertThat(move.to()).isEqualTo("c"));
            assertThat(balancer.next(view("c"))).isEmpty();
        }
    }

    private static ClusterView view(String leader) {
        Replica a = new Replica("a", true, true);
        Replica b = new Replica("b", true, false);
        Replica c = new Replica("c", true, true);
        RangeView range = new RangeView(
                1,
                Key.FIRST,
                Optional.empty(),
                1,
                List.of(a, b, c),
                Optional.of(leader),
                0,
                RangeLoad.UNKNOWN,
                Optional.empty(),
                Optional.empty(),
                Duration.ofHours(1));
        return new ClusterView(
                "inbox",
                leader,
                new ReplicaGoal(3, false),
                List.of(store("a", "rack-2"), store("b", "rack-1"), store("c", "rack-1")),
                List.of(range));
    }

    private static StoreView store(String id, String zone) {
        return new StoreView(id, zone, Liveness.ALIVE, Duration.ofHours(1), false, "1", 4, 0, 100, 50);
    }
}
