package io.godwit.it.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.api.Browser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.hostile.Canary;
import io.godwit.it.hostile.Swarm;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import io.netty.buffer.ByteBuf;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * Many stored sessions, a part of them with their clients connected: the API and the page in a browser list them, go
 * through them and find one by its id, each page within {@link #PAGE}, while no client is disconnected and none waits.
 */
@Timeout(900)
class DashboardAtScaleTest {
    /** From the question until it is answered, or until the browser shows it. */
    private static final Duration PAGE = Duration.ofSeconds(2);
    /** No message of an honest client is ever later. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** Connects under way while the sessions are made. */
    private static final int AT_ONCE = 100;

    private static final byte[] DISCONNECT = PacketWriter.bytes(new Packet.Disconnect(0, Properties.NONE), 5);

    @TempDir
    private Path directory;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private String address = "";

    @Test
    @Tag("full")
    @Tag("alone")
    void twoThousandSessionsAreListedWithoutAPause() throws Exception {
        listed(2_000, 300);
    }

    /** Needs 20,000 open files, as many as the connections in this process and in the broker's, and 4,096 more. */
    @Test
    @Tag("long")
    void aHundredThousandSessionsAreListedWithoutAPause() throws Exception {
        listed(Integer.getInteger("scale.sessions", 100_000), Integer.getInteger("scale.connected", 15_000));
    }

    private void listed(int sessions, int connected) throws Exception {
        int port = Ports.free().getPort();
        address = "http://127.0.0.1:" + port;
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                        .longLived()
                        .setting("apiServerConfig", "{port: " + port + "}");
                Swarm swarm = new Swarm()) {
            broker.start();
            AtomicInteger standing = new AtomicInteger();
            make(swarm, broker, sessions, connected, standing);
            try (Browser browser = Browser.open(directory)) {
                Canary canary = Canary.singing(broker.address());
                try (canary) {
                    Canary.Song before = undisturbed(broker);
                    byApi(sessions, connected);
                    inTheBrowser(browser, sessions);
                    Canary.Song song = canary.end();
                    System.out.printf(
                            "%d sessions, %d connected: %s%n  before: %s%n", sessions, connected, song, before);
                    assertThat(song.longest()).as("%s", song).isLessThan(PAUSE);
                }
                assertThat(browser.errors()).as("errors of the browser").isEmpty();
            }
            assertThat(standing).as("clients that are still connected").hasValue(connected);
        }
    }

    /** For people: what it is like on this machine when nobody looks. */
    private static Canary.Song undisturbed(BrokerProcess broker) throws Exception {
        try (Canary canary = Canary.singing(broker.address())) {
            Pace.pass(Duration.ofSeconds(2));
            return canary.end();
        }
    }

    private static String id(int number) {
        return String.format(Locale.ROOT, "device-%06d", number);
    }

    // ---- sessions

    /** Each connects once; the last ones stay. */
    private static void make(Swarm swarm, BrokerProcess broker, int sessions, int connected, AtomicInteger standing) {
        long begin = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        Runnable one = new Runnable() {
            @Override
            public void run() {
                int number = next.getAndIncrement();
                if (number < sessions) {
                    boolean stays = number >= sessions - connected;
                    swarm.open(broker.address(), new Device(number, stays, standing, answered, this));
                }
            }
        };
        for (int i = 0; i < AT_ONCE; i++) {
            one.run();
        }
        Await.until(
                () -> answered.get() + " of " + sessions + " sessions; \"ulimit -n\" must be above " + connected
                        + " by 4,200",
                PATIENCE,
                () -> answered.get() == sessions);
        assertThat(standing).hasValue(connected);
        System.out.printf("%d sessions made in %d ms%n", sessions, (System.nanoTime() - begin) / 1_000_000);
    }

    /** @param next what is to be done when it is connected, or has gone again */
    private record Device(int number, boolean stays, AtomicInteger standing, AtomicInteger answered, Runnable next)
            implements Swarm.Manner {
        @Override
        public void opened(Swarm.Peer peer) {
            Properties properties = Properties.NONE.with(Properties.SESSION_EXPIRY, 86_400);
            peer.send(PacketWriter.bytes(new Packet.Connect(5, id(number), false, 0, properties, null, null), 5));
        }

        @Override
        public void received(Swarm.Peer peer, ByteBuf bytes) {
            // a CONNACK of code 0, and nothing else: it subscribes to nothing
            assertThat(bytes.getByte(bytes.readerIndex() + 3)).isZero();
            answered.incrementAndGet();
            if (stays) {
                standing.incrementAndGet();
                next.run();
            } else {
                peer.send(DISCONNECT);
            }
        }

        @Override
        public void closed() {
            if (stays) {
                standing.decrementAndGet();
            } else {
                next.run();
            }
        }
    }

    // ---- by the API

    private JsonObject get(String path) throws Exception {
        long begin = System.nanoTime();
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(URI.create(address + path)).build(), BodyHandlers.ofString());
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
        assertThat(took).as(path).isLessThan(PAGE);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private void byApi(int sessions, int connected) throws Exception {
        Set<String> seen = new HashSet<>();
        int withClient = 0;
        int pages = 0;
        long begin = System.nanoTime();
        String cursor = "";
        do {
            JsonObject page = get("/api/v1/sessions?limit=1000" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
            for (JsonElement each : page.getAsJsonArray("items")) {
                JsonObject session = each.getAsJsonObject();
                String id = session.get("clientId").getAsString();
                if (id.startsWith("device-")) {
                    assertThat(seen.add(id)).as(id).isTrue();
                    withClient += session.get("connected").getAsBoolean() ? 1 : 0;
                }
            }
            cursor = page.has("next") ? page.get("next").getAsString() : "";
            pages++;
        } while (!cursor.isEmpty());
        System.out.printf("%d pages by the API in %d ms%n", pages, (System.nanoTime() - begin) / 1_000_000);
        assertThat(seen).hasSize(sessions);
        assertThat(withClient).isEqualTo(connected);
        String id = id(sessions / 3);
        for (String search : new String[] {"clientIdPrefix=" + id, "clientIdContains=" + id.substring(3)}) {
            begin = System.nanoTime();
            JsonObject found = get("/api/v1/sessions?limit=50&" + search);
            System.out.printf("%s in %d ms%n", search, (System.nanoTime() - begin) / 1_000_000);
            assertThat(found.getAsJsonArray("items")).as(search).hasSize(1);
            assertThat(found.has("next")).isFalse();
        }
        assertThat(get("/api/v1/sessions/" + id)
                        .getAsJsonObject("item")
                        .get("clientId")
                        .getAsString())
                .isEqualTo(id);
    }

    // ---- in the browser

    private void inTheBrowser(Browser browser, int sessions) {
        browser.go(address + "/#/sessions"); // loads the page itself, which is not timed
        browser.sees("#found", "Page 1, 50 sessions");
        String first = browser.find("tbody a").getText();
        within("page 2", () -> {
            browser.find("#next").click();
            browser.sees("#found", "Page 2, 50 sessions");
        });
        assertThat(browser.find("tbody a").getText()).isNotEqualTo(first);
        within("page 3", () -> {
            browser.find("#next").click();
            browser.sees("#found", "Page 3, 50 sessions");
        });
        within("page 2 again", () -> {
            browser.find("#back").click();
            browser.sees("#found", "Page 2, 50 sessions");
        });
        String id = id(sessions / 2);
        browser.find("#text").sendKeys(id);
        within("the search", () -> {
            browser.find("#text").sendKeys(Keys.ENTER);
            browser.sees("#found", "Page 1, 1 session");
        });
        assertThat(browser.find("tbody a").getText()).isEqualTo(id);
        within("the session", () -> {
            browser.find("tbody a").click();
            browser.sees("#session-state", "Its client is not connected.");
        });
    }

    private static void within(String what, Runnable steps) {
        long begin = System.nanoTime();
        steps.run();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        System.out.printf("%s in the browser in %d ms%n", what, took.toMillis());
        assertThat(took).as(what).isLessThan(PAGE);
    }
}
