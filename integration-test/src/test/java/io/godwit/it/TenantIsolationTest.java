package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two tenants of one packaged broker use the same client ids, topics and groups, and share nothing. */
class TenantIsolationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String BOTH = "tenants: {birds: {}, fish: {}}";

    @TempDir
    private Path directory;

    private BrokerProcess broker;
    private final List<TestClient> opened = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        say(BOTH);
        broker = new BrokerProcess(directory)
                .setting("tenantConfig", "{sources: user-name, file: tenants.yml}")
                .setting("authConfig", "{sessionsBelongToUsers: false}")
                .setting(
                        "topicConfig",
                        "{delayedPublish: {maxSeconds: 60, maxMessages: 10}, exclusiveSubscriptions: true}");
        broker.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (TestClient client : opened) {
            client.close();
        }
        broker.close();
    }

    private void say(String tenants) throws Exception {
        Files.writeString(directory.resolve("tenants.yml"), tenants);
    }

    private ClientConfig config(String tenant, String clientId) {
        return ClientConfig.of(broker.address(), clientId, 5).withLogin(tenant + "/user", "any");
    }

    private TestClient client(ClientConfig config) throws Exception {
        TestClient client = new TestClient(config);
        opened.add(client);
        assertThat(client.connect().code()).isZero();
        return client;
    }

    private TestClient client(String tenant, String clientId) throws Exception {
        return client(config(tenant, clientId));
    }

    private static void publish(TestClient client, String topic, String payload) throws Exception {
        client.publish(topic, payload, 1).get(20, TimeUnit.SECONDS);
    }

    private static void retain(TestClient client, String topic, String payload) throws Exception {
        client.publish(topic, payload.getBytes(StandardCharsets.UTF_8), 1, true, Properties.NONE);
        publish(client, "barrier", "");
    }

    private static String next(TestClient client) throws Exception {
        Packet.Publish publish = client.next(PATIENCE);
        return publish == null
                ? "nothing"
                : publish.topic() + " " + new String(publish.payload(), StandardCharsets.UTF_8);
    }

    /** What comes after all that other tenants have published before. */
    private static void assertGetsOnlyItsOwn(TestClient client, String topic) throws Exception {
        publish(client, topic, "own");
        assertThat(next(client)).isEqualTo(topic + " own");
    }

    @Test
    void liveMessagesAndClientIdsStayInTheirTenant() throws Exception {
        TestClient bird = client(config("birds", "same").withCleanSession());
        TestClient fish = client(config("fish", "same").withCleanSession());
        assertThat(bird.isOpen())
                .as("a client of another tenant does not take over the client id")
                .isTrue();
        bird.subscribe("t/#", 1);
        fish.subscribe("t/#", 1);
        publish(bird, "t/1", "of birds");
        assertThat(next(bird)).isEqualTo("t/1 of birds");
        assertGetsOnlyItsOwn(fish, "t/1");
        assertGetsOnlyItsOwn(bird, "t/2");
        assertThat(bird.isOpen()).isTrue();
        TestClient again = client(config("birds", "same").withCleanSession());
        Await.until("its own tenant takes over", () -> !bird.isOpen());
        assertThat(fish.isOpen()).isTrue();
        assertThat(again.isOpen()).isTrue();
    }

    @Test
    void storedSessionsOfOneClientIdAreTwo() throws Exception {
        client("birds", "away").subscribe("t/#", 1);
        client("fish", "away").subscribe("t/#", 1);
        opened.forEach(TestClient::close);
        publish(client("birds", "publisher"), "t/1", "of birds");
        TestClient fish = client("fish", "publisher");
        publish(fish, "t/1", "of fish");
        TestClient backBird = new TestClient(config("birds", "away"));
        opened.add(backBird);
        assertThat(backBird.connect().sessionPresent()).isTrue();
        assertThat(next(backBird)).isEqualTo("t/1 of birds");
        assertGetsOnlyItsOwn(backBird, "t/2");
        TestClient backFish = new TestClient(config("fish", "away"));
        opened.add(backFish);
        assertThat(backFish.connect().sessionPresent()).isTrue();
        assertThat(next(backFish)).isEqualTo("t/1 of fish");
        assertGetsOnlyItsOwn(backFish, "t/2");
        assertThat(backFish.connectAnew().sessionPresent()).isFalse();
        assertThat(backBird.connect().sessionPresent())
                .as("a clean start in another tenant does not affect the session")
                .isTrue();
    }

    @Test
    void retainedMessagesStayInTheirTenant() throws Exception {
        TestClient bird = client("birds", "a");
        TestClient fish = client("fish", "a");
        retain(bird, "r/1", "of birds");
        retain(fish, "r/2", "of fish");
        fish.subscribe("r/#", 1);
        assertThat(next(fish)).isEqualTo("r/2 of fish");
        assertGetsOnlyItsOwn(fish, "r/3");
        retain(fish, "r/1", ""); // clears nothing of the other
        bird.subscribe("r/#", 1);
        assertThat(next(bird)).isEqualTo("r/1 of birds");
        assertGetsOnlyItsOwn(bird, "r/3");
    }

    @Test
    void sharedGroupsOfOneNameAreTwo() throws Exception {
        TestClient bird = client("birds", "member");
        TestClient fish = client("fish", "member");
        assertThat(bird.subscribe("$share/g/s/#", 1)).isEqualTo(1);
        assertThat(fish.subscribe("$share/g/s/#", 1)).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
            publish(bird, "s/" + i, "of birds");
        }
        for (int i = 0; i < 20; i++) {
            assertThat(next(bird)).isEqualTo("s/" + i + " of birds");
        }
        assertGetsOnlyItsOwn(fish, "s/x");
    }

    @Test
    void exclusiveSubscriptionsAndDelayedMessagesStayInTheirTenant() throws Exception {
        TestClient bird = client("birds", "holder");
        TestClient fish = client("fish", "holder");
        assertThat(bird.subscribe("$exclusive/e/+", 1)).isEqualTo(1);
        assertThat(fish.subscribe("$exclusive/e/+", 1)).isEqualTo(1);
        assertThat(client("birds", "other").subscribe("$exclusive/e/+", 1)).isEqualTo(0x97);
        publish(bird, "$delayed/1/e/1", "of birds");
        assertThat(next(bird)).isEqualTo("e/1 of birds");
        assertGetsOnlyItsOwn(fish, "e/1");
    }

    @Test
    void aTenantLeavesRoomForDelayedMessagesOfOthers() throws Exception {
        TestClient bird = client("birds", "a");
        TestClient fish = client("fish", "a");
        for (int i = 0; i < 9; i++) {
            assertThat(code(bird, "$delayed/60/e")).isZero();
        }
        assertThat(code(bird, "$delayed/60/e")).isEqualTo(0x97);
        assertThat(code(fish, "$delayed/60/e")).isZero();
        assertThat(code(fish, "$delayed/60/e")).as("the node is full").isEqualTo(0x97);
    }

    @Test
    void aTenantHasNoMoreDelayedMessagesThanItsQuota() throws Exception {
        TestClient bird = client("birds", "a");
        TestClient fish = client("fish", "a");
        say("tenants: {birds: {maxTopicLevels: 3, maxDelayedMessages: 1}, fish: {}}");
        Await.until("connected clients are told", () -> refuses(bird, "a/b/c/d"));
        assertThat(code(bird, "$delayed/60/e")).isZero();
        assertThat(code(bird, "$delayed/60/e")).isEqualTo(0x97);
        assertThat(code(fish, "$delayed/60/e")).isZero();
        assertThat(code(fish, "$delayed/60/e")).isZero();
    }

    @Test
    void willsStayInTheirTenant() throws Exception {
        TestClient bird = client("birds", "watcher");
        TestClient fish = client("fish", "watcher");
        bird.subscribe("w/#", 1);
        fish.subscribe("w/#", 1);
        Packet.Will will =
                new Packet.Will("w/1", "of birds".getBytes(StandardCharsets.UTF_8), 1, false, Properties.NONE);
        client(config("birds", "dying").withWill(will)).abort();
        assertThat(next(bird)).isEqualTo("w/1 of birds");
        assertGetsOnlyItsOwn(fish, "w/1");
    }

    @Test
    void settingsHoldForOneTenantAndChangeWhileItIsConnected() throws Exception {
        TestClient bird = client("birds", "a");
        TestClient fish = client("fish", "a");
        say("tenants: {birds: {maxTopicLevels: 2, maxQueuedMessages: 2, queueQos0: false}, fish: {}}");
        Await.until("connected clients are told", () -> refuses(bird, "a/b/c"));
        assertThat(refuses(fish, "a/b/c")).isFalse();
        client("birds", "away").subscribe("t/#", 1);
        client("fish", "away").subscribe("t/#", 1);
        opened.get(2).close();
        opened.get(3).close();
        for (TestClient publisher : List.of(bird, fish)) {
            publisher.publish("t/0", "q0", 0);
            for (int i = 1; i <= 4; i++) {
                publish(publisher, "t/" + i, "q1");
            }
        }
        TestClient backBird = client("birds", "away");
        assertThat(next(backBird)).isEqualTo("t/1 q1");
        assertThat(next(backBird)).isEqualTo("t/2 q1");
        assertGetsOnlyItsOwn(backBird, "t/x");
        TestClient backFish = client("fish", "away");
        for (String expected : List.of("t/0 q0", "t/1 q1", "t/2 q1", "t/3 q1", "t/4 q1")) {
            assertThat(next(backFish)).isEqualTo(expected);
        }
        say("tenants: {birds: {maxTopicLevels: two}}");
        Path status = directory.resolve("data/godwit.status");
        Await.until("the mistake is told", () -> Files.readString(status).contains("tenants.birds.maxTopicLevels"));
        assertThat(refuses(bird, "a/b/c"))
                .as("after a mistake in the file, the old settings stay in force")
                .isTrue();
        say(BOTH);
        Await.until("it is allowed again", () -> !refuses(bird, "a/b/c"));
        Await.until("the warning is gone", () -> !Files.readString(status).contains("maxTopicLevels"));
    }

    @Test
    void aSubscriptionGetsNoMoreRetainedMessagesThanItsTenantAllows() throws Exception {
        TestClient bird = client("birds", "a");
        TestClient fish = client("fish", "a");
        say("tenants: {birds: {maxTopicLevels: 2, maxRetainedMatches: 2}, fish: {}}");
        Await.until("connected clients are told", () -> refuses(bird, "a/b/c"));
        for (TestClient client : List.of(bird, fish)) {
            for (int i = 0; i < 3; i++) {
                retain(client, "r/" + i, "kept");
            }
            client.subscribe("r/#", 1);
        }
        assertThat(List.of(next(bird), next(bird))).allMatch(each -> each.matches("r/[012] kept"));
        assertGetsOnlyItsOwn(bird, "r/live");
        for (int i = 0; i < 3; i++) {
            assertThat(next(fish)).matches("r/[012] kept");
        }
        assertGetsOnlyItsOwn(fish, "r/live");
    }

    private static boolean refuses(TestClient client, String topic) throws Exception {
        return code(client, topic) == 0x90;
    }

    private static int code(TestClient client, String topic) throws Exception {
        Packet.Ack ack = client.publish(topic, "x", 1).get(20, TimeUnit.SECONDS);
        assertThat(ack).isNotNull();
        return ack.code();
    }

    @Test
    void aTenantThatNobodyListsIsRefused() throws Exception {
        try (TestClient stranger = new TestClient(config("cats", "a"))) {
            assertThat(stranger.connect().code()).isEqualTo(0x87);
        }
        say("tenants: {birds: {}, fish: {}, cats: {}}");
        Await.until("it is listed", () -> {
            try (TestClient known = new TestClient(config("cats", "a"))) {
                return known.connect().code() == 0;
            }
        });
    }
}
