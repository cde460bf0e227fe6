package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A packaged broker whose settings provider, resource throttler, balancers of ranges and split hinters do what they
 * must not.
 */
@Tag("full")
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HostileAdvisersTest {
    private static final int SERVER_UNAVAILABLE = 0x88;
    private static final int QUOTA_EXCEEDED = 0x97;

    /**
     * The provider and the throttler misbehave by the name of the tenant, and for all tenants as the file {@code mode}
     * in their data directory says. Each balancer and each hinter has one way to misbehave.
     */
    private static final String PLUGINS = """
            import io.godwit.plugin.balance.*;
            import io.godwit.plugin.client.*;
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.tenant.*;
            import io.godwit.plugin.throttle.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;
            public class Hostile {
                public abstract static class Base implements Plugin {
                    PluginContext context;
                    private final Set<String> stuck = ConcurrentHashMap.newKeySet();
                    @Override public void create(PluginContext given) { context = given; }
                    boolean has(String file) { return Files.exists(context.dataDirectory().resolve(file)); }
                    String mode() {
                        try {
                            return has("mode") ? Files.readString(context.dataDirectory().resolve("mode")) : "well";
                        } catch (IOException e) { throw new UncheckedIOException(e); }
                    }
                    <T> CompletableFuture<T> act(String how, T answer) {
                        CompletableFuture<T> future = new CompletableFuture<>();
                        switch (how) {
                            case "throw": throw new IllegalStateException("as told");
                            case "fail": return CompletableFuture.failedFuture(new IllegalStateException("as told"));
                            case "null": return null;
                            case "nothing": return CompletableFuture.completedFuture(null);
                            case "never": return future;
                            case "late":
                                CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS)
                                    .execute(() -> future.complete(answer));
                                return future;
                            case "block":
                                while (stuck.add("once")) { // further calls are never answered
                                    try { new CountDownLatch(1).await(); } catch (InterruptedException e) { break; }
                                }
                                return future;
                            default: return CompletableFuture.completedFuture(answer);
                        }
                    }
                    /** What the name of a tenant that begins so says; else what is told for all. */
                    String how(String begin, TenantId tenant) {
                        return tenant.value().startsWith(begin)
                            ? tenant.value().substring(begin.length())
                            : tenant.value().startsWith("kept") ? mode() : "well";
                    }
                }
                public static class Plans extends Base implements TenantSettingsProviderFactory {
                    @Override public String name() { return "plans"; }
                    @Override public TenantSettingsProvider create(TenantChanges changes) {
                        ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
                            Thread thread = new Thread(task);
                            thread.setDaemon(true);
                            return thread;
                        });
                        String[] seen = {mode()};
                        watch.scheduleWithFixedDelay(() -> {
                            String now = mode();
                            boolean isWrong = !now.equals(seen[0]) && !now.equals("well");
                            seen[0] = now;
                            if (isWrong) { changes.changed(); }
                        }, 50, 50, TimeUnit.MILLISECONDS);
                        return tenant -> act(how("plan-", tenant), Optional.of(TenantSettings.builder()
                            .set(TenantSetting.MAX_QOS, has("changed") ? 0 : 1).build()));
                    }
                }
                public static class Caps extends Base implements ResourceThrottlerFactory {
                    @Override public String name() { return "caps"; }
                    @Override public ResourceThrottler create() {
                        return usage -> act(how("cap-", usage.tenant()), TenantLimits.builder()
                            .most(TenantResource.CONNECTIONS, usage.tenant().value().equals("kept") ? 1 : 100)
                            .build());
                    }
                }
                public abstract static class Ranges extends Base implements RangeBalancerFactory {
                    private final String how;
                    Ranges(String how) { this.how = how; }
                    @Override public String name() { return "ranges-" + how; }
                    @Override public RangeBalancer create(Map<String, String> settings) {
                        return view -> {
                            switch (how) {
                                case "throw": throw new IllegalStateException("as told");
                                case "null": return null;
                                case "late":
                                    try { new CountDownLatch(1).await(2, TimeUnit.SECONDS); }
                                    catch (InterruptedException e) { /* the end */ }
                                    return Optional.empty();
                                case "block":
                                    try { new CountDownLatch(1).await(); }
                                    catch (InterruptedException e) { /* the end */ }
                                    return Optional.empty();
                                default: return Optional.empty();
                            }
                        };
                    }
                }
                public static class RangesThrow extends Ranges { public RangesThrow() { super("throw"); } }
                public static class RangesNull extends Ranges { public RangesNull() { super("null"); } }
                public static class RangesLate extends Ranges { public RangesLate() { super("late"); } }
                public static class RangesBlock extends Ranges { public RangesBlock() { super("block"); } }
                public static class RangesGood extends Ranges { public RangesGood() { super("good"); } }
                public abstract static class Hint extends Base implements SplitHinterFactory {
                    private final String how;
                    Hint(String how) { this.how = how; }
                    @Override public String name() { return "hint-" + how; }
                    @Override public SplitHinter create(Map<String, String> settings) {
                        return new SplitHinter() {
                            @Override public void onAccess(byte[] key, AccessKind kind, int operations, long nanos) {}
                            @Override public Optional<SplitHint> hint(RangeLoad load) {
                                switch (how) {
                                    case "throw": throw new IllegalStateException("as told");
                                    case "null": return null;
                                    default:
                                        while (!has("released")) {
                                            try { new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS); }
                                            catch (InterruptedException e) { break; }
                                        }
                                        return Optional.empty();
                                }
                            }
                        };
                    }
                }
                public static class HintThrow extends Hint { public HintThrow() { super("throw"); } }
                public static class HintNull extends Hint { public HintNull() { super("null"); } }
                public static class HintBlock extends Hint { public HintBlock() { super("block"); } }
            }
            """;

    private static final Map<String, List<String>> SERVICES = Map.of(
            "io.godwit.plugin.tenant.TenantSettingsProviderFactory",
            List.of("Hostile$Plans"),
            "io.godwit.plugin.throttle.ResourceThrottlerFactory",
            List.of("Hostile$Caps"),
            "io.godwit.plugin.balance.RangeBalancerFactory",
            List.of(
                    "Hostile$RangesThrow",
                    "Hostile$RangesNull",
                    "Hostile$RangesLate",
                    "Hostile$RangesBlock",
                    "Hostile$RangesGood"),
            "io.godwit.plugin.balance.SplitHinterFactory",
            List.of("Hostile$HintThrow", "Hostile$HintNull", "Hostile$HintBlock"));

    @TempDir
    private static Path directory;

    private static BrokerProcess broker;
    private static PluginWitness witness;

    @BeforeAll
    static void start() throws Exception {
        PluginInstallation installation = new PluginInstallation(directory);
        installation.jar("hostile", "Hostile", PLUGINS, SERVICES);
        PluginWitness.addListener(installation);
        broker = new BrokerProcess(directory.resolve("broker"))
                .installedIn(installation.path())
                .setting("pluginConfig", "{eventListeners: [" + PluginWitness.LISTENER + "]}")
                .setting("authConfig", "{timeoutSeconds: 2, sessionsBelongToUsers: false}")
                .setting(
                        "tenantConfig",
                        "{sources: user-name, unknown: accept, settingsProvider: plans, resourceThrottler: caps}")
                .setting(
                        "storeConfig",
                        "{dist: {balancers: [replica-count, ranges-throw, ranges-null, ranges-late, ranges-block, "
                                + "ranges-good], splitHinter: hint-throw}, inbox: {splitHinter: hint-null}, "
                                + "retain: {splitHinter: hint-block}}");
        witness = new PluginWitness(broker);
        broker.start();
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
    }

    private static TestClient client(String tenant, String clientId) {
        return new TestClient(ClientConfig.of(broker.address(), clientId, 5)
                .withCleanSession()
                .withLogin(tenant + "/user", "any"));
    }

    /** The code of the CONNACK for a client that does not stay. */
    private static int answer(String tenant) throws IOException {
        try (TestClient client = client(tenant, "visitor-" + tenant)) {
            int code = client.connect().code();
            client.disconnect();
            return code;
        }
    }

    private static Path file(String plugin, String name) {
        return broker.data().resolve("plugins/" + plugin + "/" + name);
    }

    /** From now on a plugin answers so about all tenants that begin with "kept". */
    private static void mode(String plugin, String mode) throws IOException {
        Path next = Files.writeString(file(plugin, "next"), mode);
        Files.move(next, file(plugin, "mode"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Waits until a plugin has had one more fault of this kind. */
    private static void awaitAnother(String plugin, String fault, long before) throws IOException {
        Await.until("another fault of " + plugin + ": " + fault, () -> witness.counted(plugin, fault) > before);
    }

    // ---- tenants

    /** A client of a tenant without an answer is refused; other tenants do not notice. */
    @ParameterizedTest
    @CsvSource({
        "plan, throw, threw",
        "plan, fail, threw",
        "plan, null, null-answer",
        "plan, nothing, null-answer",
        "plan, never, no-answer",
        "plan, late, late-answer",
        "plan, block, no-answer",
        "cap, throw, threw",
        "cap, fail, threw",
        "cap, null, null-answer",
        "cap, nothing, null-answer",
        "cap, never, no-answer",
        "cap, late, late-answer",
        "cap, block, no-answer"
    })
    void aTenantWithoutAnAnswerIsRefused(String kind, String how, String fault) throws Exception {
        long before = witness.counted(kind + "s", fault);
        assertThat(answer(kind + '-' + how)).isEqualTo(SERVER_UNAVAILABLE);
        awaitAnother(kind + "s", fault, before);
        assertThat(answer(kind + "-good")).as("another tenant").isZero();
    }

    @Test
    void aTenantKeepsItsSettingsUntilThereIsAnAnswerAgain() throws Exception {
        try (TestClient kept = client("kept-settings", "kept")) {
            assertThat(kept.connect().code()).isZero();
            assertThat(kept.subscribe("t", 2)).isEqualTo(1);
            Files.createFile(file("plans", "changed"));
            for (Map.Entry<String, String> each :
                    Map.of("throw", "threw", "nothing", "null-answer").entrySet()) {
                long before = witness.counted("plans", each.getValue());
                mode("plans", each.getKey());
                awaitAnother("plans", each.getValue(), before);
                assertThat(kept.subscribe("t", 2)).as(each.getKey()).isEqualTo(1);
                assertThat(answer("kept-settings"))
                        .as("another client, %s", each.getKey())
                        .isZero();
            }
            mode("plans", "well");
            Await.until("the new settings, for which the provider is asked again", () -> kept.subscribe("t", 2) == 0);
        } finally {
            mode("plans", "well");
            Files.deleteIfExists(file("plans", "changed"));
        }
    }

    @Test
    void aTenantKeepsItsLimitsUntilThereIsAnAnswerAgain() throws Exception {
        try (TestClient kept = client("kept", "kept")) {
            assertThat(kept.connect().code()).isZero();
            Await.until("one more is refused", () -> answer("kept") == QUOTA_EXCEEDED);
            for (Map.Entry<String, String> each :
                    Map.of("throw", "threw", "nothing", "null-answer").entrySet()) {
                long before = witness.counted("caps", each.getValue());
                mode("caps", each.getKey());
                awaitAnother("caps", each.getValue(), before);
                assertThat(answer("kept")).as(each.getKey()).isEqualTo(QUOTA_EXCEEDED);
                assertThat(answer("kept-" + each.getKey()))
                        .as("a tenant without limits yet, %s", each.getKey())
                        .isEqualTo(SERVER_UNAVAILABLE);
                assertThat(kept.isOpen()).isTrue();
            }
            mode("caps", "well");
            Await.until("the other tenant has limits", () -> answer("kept-throw") == 0);
        } finally {
            mode("caps", "well");
        }
    }

    @ParameterizedTest
    @Order(Integer.MAX_VALUE - 1) // after those that cause the faults
    @ValueSource(strings = {"plans", "caps"})
    void whatDecidesAboutTenantsIsNamed(String plugin) throws Exception {
        for (String fault : List.of("threw", "null-answer", "no-answer", "late-answer")) {
            witness.awaitNamed(plugin, fault);
        }
    }

    // ---- ranges

    @ParameterizedTest
    @CsvSource({"throw, threw", "null, null-answer", "late, late-answer", "block, no-answer"})
    void aBalancerIsNamedAndHasNoAction(String how, String fault) throws Exception {
        String plugin = "ranges-" + how;
        witness.awaitNamed(plugin, fault);
        assertThat(balancer(plugin).get("done").getAsLong()).isZero();
        long before = calls("ranges-good");
        Await.until("the next balancer is still called", () -> calls("ranges-good") > before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"throw", "null", "late"})
    void aBalancerIsNotCalledForAWhile(String how) throws Exception {
        String plugin = "ranges-" + how;
        Await.until(
                "less than half of the calls of one that works",
                () -> calls(plugin) > 0 && calls(plugin) * 2 < calls("ranges-good"));
        assertThat(balancer(plugin).get("fault").getAsString()).contains(plugin);
    }

    private static long calls(String plugin) throws IOException {
        return witness.use(plugin).get("calls").getAsLong();
    }

    private static JsonObject balancer(String name) throws IOException {
        JsonObject answer = JsonParser.parseString(witness.get("/api/v1/balancers?store=dist"))
                .getAsJsonObject();
        for (JsonElement each : answer.getAsJsonArray("items")) {
            if (each.getAsJsonObject().get("name").getAsString().equals(name)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no balancer " + name + " in " + answer);
    }

    @ParameterizedTest
    @Order(Integer.MAX_VALUE) // hinters are asked every ten seconds, which pass during the other tests
    @CsvSource({"throw, threw", "null, null-answer", "block, no-answer"})
    void aSplitHinterIsNamedAndItsStoreServes(String how, String fault) throws Exception {
        witness.awaitNamed("hint-" + how, fault);
        if (how.equals("block")) {
            Files.createFile(file("hint-block", "released"));
            witness.awaitNamed("hint-block", "late-answer");
        }
        try (TestClient client = client("hint-" + how, "hint")) {
            assertThat(client.connect().code()).isZero();
            assertThat(client.subscribe("hint", 1)).isEqualTo(1);
            Packet.Ack ack = client.publish("hint", how, 1).get(20, TimeUnit.SECONDS);
            assertThat(ack).isNotNull();
            assertThat(ack.code()).isZero();
        }
    }
}
