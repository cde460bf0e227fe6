package io.godwit.it.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.Browser;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** One node's dashboard of a cluster of three packaged brokers, with clients that send messages. */
@Tag("full")
@Timeout(300)
class DashboardOfClusterTest {
    private static final Path PICTURES = Path.of("target/dashboard");
    private static final String HOSTILE = "<img src=x onerror=\"document.title='hacked'\">";
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path directory;

    private final String token = TokenText.make(new SecureRandom());
    private String address = "";

    /** The token stays in the tab, so it is asked for once. */
    private void open(Browser browser, String page) {
        browser.go(address + page);
        browser.find("#token, #logout");
        if (browser.count("#token") > 0) {
            browser.find("#token").sendKeys(token, Keys.ENTER);
        }
        browser.sees("#caller", "ola (operator)");
    }

    private BrokerCluster cluster() throws Exception {
        Path tokens = directory.resolve("tokens");
        Files.writeString(
                tokens,
                TokenFile.parse("")
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", token))
                        .text());
        BrokerCluster cluster = new BrokerCluster(directory.resolve("brokers"), 3);
        for (BrokerProcess node : cluster.nodes()) {
            int port = Ports.free().getPort();
            node.setting("apiServerConfig", "{port: " + port + ", tokensFile: " + tokens + ", checkAnswers: true}");
            if (address.isEmpty()) {
                address = "http://127.0.0.1:" + port + "/";
            }
        }
        cluster.nodes()
                .get(0)
                .mqttSetting("wsListener", "{port: " + Ports.free().getPort() + "}");
        cluster.start();
        return cluster;
    }

    @Test
    void anOperatorSeesTheClusterAndDisconnectsAClientOfAnotherNode() throws Exception {
        try (Browser browser = Browser.open(directory);
                BrokerCluster cluster = cluster();
                TestClient subscriber = TestClient.persistent(cluster.node(1).address(), 5, "subscriber");
                TestClient publisher = TestClient.clean(cluster.node(0).address(), 5, "publisher");
                TestClient hostile = TestClient.clean(cluster.node(2).address(), 5, HOSTILE)) {
            subscriber.subscribe(1, "dashboard/#", Qos.AT_LEAST_ONCE);
            open(browser, "#/overview");
            messagesAreSeen(browser, publisher, subscriber);
            nodesAreSeen(browser, cluster);
            aSplitIsSeen(browser, cluster);
            theClientIsDisconnected(browser, hostile);
            aMessageIsPublishedAndSeen(browser, subscriber);
            open(browser, "#/settings");
            browser.sees("#may-not", "the role admin");
            assertThat(browser.errors()).as("errors of the browser").isEmpty();
        }
    }

    private void aMessageIsPublishedAndSeen(Browser browser, TestClient subscriber) throws Exception {
        open(browser, "#/sessions");
        browser.sees("#found", "1 session");
        browser.find("tbody a").click();
        browser.sees("#session-state", "Its client is connected.");
        browser.picture(PICTURES.resolve("cluster-session.png"));
        open(browser, "#/publish?topic=dashboard%2Fpage");
        browser.find("#live-begin").click();
        browser.sees("#live-state", "Subscribed to dashboard/page with QoS 1.");
        browser.find("#payload").sendKeys(HOSTILE);
        browser.find("#retain").sendKeys(Keys.SPACE);
        browser.find("#topic").sendKeys(Keys.ENTER);
        browser.sees("#outcome", "Somebody is subscribed.");
        browser.sees("#arrivals .topic", "dashboard/page");
        browser.sees("#arrivals .payload", HOSTILE);
        browser.picture(PICTURES.resolve("cluster-publish.png"));
        Publish copy = subscriber.receive(Publish.class);
        assertThat(new String(copy.payload(), StandardCharsets.UTF_8)).isEqualTo(HOSTILE);
        subscriber.send(new PubAck(copy.packetId(), ReasonCode.SUCCESS));
        open(browser, "#/subscriptions?by=topic&text=dashboard%2Fpage");
        browser.sees("tbody th", "subscriber");
        browser.picture(PICTURES.resolve("cluster-subscriptions.png"));
        open(browser, "#/retained?filter=dashboard%2F%23");
        browser.sees("#found", "1 message");
        browser.find("tbody a").click();
        browser.sees("#payload", HOSTILE);
        browser.picture(PICTURES.resolve("cluster-retained.png"));
        browser.find("#clear").click();
        browser.find("#dialog-yes").click();
        browser.sees("#retained-state", "Cleared.");
    }

    private static void messagesAreSeen(Browser browser, TestClient publisher, TestClient subscriber) throws Exception {
        int[] packetId = {0};
        Await.until(() -> browser.text(), PATIENCE, () -> {
            for (int i = 0; i < 50; i++) {
                packetId[0] = packetId[0] % 60_000 + 1;
                publisher.send(TestClient.publish(packetId[0], Qos.AT_LEAST_ONCE, false, "dashboard/" + i, "x"));
                publisher.receive(PubAck.class);
                Publish copy = subscriber.receive(Publish.class);
                subscriber.send(new PubAck(copy.packetId(), ReasonCode.SUCCESS));
            }
            return browser.find("#tile-connections dd").getText().equals("3")
                    && number(browser, "#tile-in dd") > 0
                    && number(browser, "#tile-out dd") > 0
                    && browser.find("#chart-latency .legend").getText().matches("(?s).*p99\\s*[0-9.]+ ms.*");
        });
        browser.sees("#tile-nodes dd", "3");
        browser.sees("#health", "is ready");
        assertThat(browser.find("#chart-connections .legend").getText()).contains("All", "127.0.0.1:");
        assertThat(browser.find("#missing").getText()).isEmpty();
        browser.picture(PICTURES.resolve("cluster-overview.png"));
    }

    private static double number(Browser browser, String css) {
        String text = browser.find(css).getText().replace(",", "");
        return text.matches("[0-9.]+") ? Double.parseDouble(text) : 0;
    }

    private void nodesAreSeen(Browser browser, BrokerCluster cluster) throws Exception {
        open(browser, "#/nodes");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            browser.sees("tbody th", cluster.rpcAddress(i));
            browser.sees("tbody th", cluster.id(i));
            names.add(cluster.rpcAddress(i));
        }
        assertThat(names).doesNotHaveDuplicates();
        assertThat(browser.count("tbody .good")).isEqualTo(3);
        browser.picture(PICTURES.resolve("cluster-nodes.png"));
    }

    private void aSplitIsSeen(Browser browser, BrokerCluster cluster) throws Exception {
        open(browser, "#/ranges");
        browser.sees("#store-inbox h2", "inbox: 1 range");
        cluster.atLast(Way.RPC, 1, "split", "inbox", "1", "--at", "0764656661756c7480");
        browser.sees("#store-inbox h2", "inbox: 2 ranges");
        browser.sees("#news li", "inbox: range 1 was split at");
        browser.picture(PICTURES.resolve("cluster-ranges.png"));
    }

    private void theClientIsDisconnected(Browser browser, TestClient hostile) throws Exception {
        open(browser, "#/clients");
        browser.sees("#found", "3 clients");
        browser.picture(PICTURES.resolve("cluster-clients.png"));
        browser.find("#text").sendKeys("<img", Keys.ENTER);
        browser.sees("#found", "1 client");
        browser.sees("tbody a", HOSTILE);
        browser.find("tbody a").click();
        browser.sees("#client-state", "Connected.");
        browser.find("#kick").click();
        browser.sees("dialog", HOSTILE);
        browser.find("#dialog-yes").click();
        browser.sees("#client-state", "Disconnected.");
        assertThat(hostile.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
        assertThat(browser.driver().getTitle()).startsWith("Client <img src=x");
        open(browser, "#/clients");
        browser.sees("#found", "2 clients");
    }
}
