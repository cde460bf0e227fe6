package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.EventReader.Told;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.watch.WatchFeed.Item;
import io.godwit.api.port.watch.WatchSource.EventFilter;
import io.godwit.api.port.watch.WatchSource.TraceFilter;
import io.godwit.api.stream.StreamBounds;
import io.godwit.testing.Await;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streamed answers: their events, and how they end. */
@Tag("slow")
class ApiEventsTest {
    private static final String EVENTS = "/api/v1/events";
    private static final String TRACE = "/api/v1/trace";
    private static final StreamBounds SHORT = new StreamBounds(4, 3, Duration.ofMillis(100), Duration.ofMillis(500));
    private static final Item HELLO = connected("a\nb\r\u2028c");

    private static Item connected(String clientId) {
        return new Item(
                "event", Map.of("node", FakeNode.ID, "atMillis", 7L, "type", "client-connected", "clientId", clientId));
    }

    private static ApiFixture open(StreamBounds bounds) throws Exception {
        return ApiFixture.streaming(ApiFixture.LIMITS, Optional.empty(), bounds);
    }

    @Test
    void eventsComeAsTheyHappen() throws Exception {
        try (ApiFixture api = open(SHORT);
                EventReader reader = new EventReader(api.port(), EVENTS)) {
            assertThat(reader.contentType()).isEqualTo("text/event-stream");
            FakeWatches.Feed feed = api.node.watches.last();
            feed.tell(Item.node(FakeNode.ID, true));
            assertThat(reader.next().name()).isEqualTo("node");
            feed.tell(HELLO);
            Told told = reader.next();
            assertThat(told.name()).isEqualTo("event");
            assertThat(told.data().getString("clientId")).isEqualTo("a\nb\r\u2028c");
            feed.tell(Item.lost(FakeNode.OTHER, 12));
            assertThat(reader.next())
                    .satisfies(lost -> assertThat(lost.data().getLong("count")).isEqualTo(12));
            assertThat(feed.isClosed).isFalse();
        }
    }

    @Test
    void theFilterIsHandedOn() throws Exception {
        try (ApiFixture api = open(SHORT);
                EventReader reader = new EventReader(
                        api.port(),
                        EVENTS + "?type=client-connected,message-dropped&clientId=a%2Fb&tenant=t&node="
                                + FakeNode.ID)) {
            assertThat(reader.contentType()).isNotEmpty();
            assertThat(api.node.watches.asked)
                    .containsExactly(new EventFilter(
                            Set.of("client-connected", "message-dropped"),
                            Optional.of("a/b"),
                            Optional.of("t"),
                            Optional.of(FakeNode.ID)));
        }
    }

    @Test
    void wrongParametersAreRefused() throws Exception {
        try (ApiFixture api = open(SHORT)) {
            assertThat(api.get(EVENTS + "?type=weather").field()).isEqualTo("type.0");
            assertThat(api.get(EVENTS + "?seconds=0").field()).isEqualTo("seconds");
            assertThat(api.get(EVENTS + "?seconds=3601").field()).isEqualTo("seconds");
            assertThat(api.get(EVENTS + "?node=nowhere").status()).isEqualTo(404);
            api.node.watches.isFull = true;
            assertThat(api.get(EVENTS).problem()).isEqualTo("unavailable");
            assertThat(api.send("HEAD", EVENTS, null).status()).isEqualTo(200);
            assertThat(api.node.watches.feeds).isEmpty();
        }
    }

    @Test
    void aTraceFollowsWhatIsAskedFor() throws Exception {
        try (ApiFixture api = open(SHORT);
                EventReader reader = new EventReader(
                        api.port(), TRACE + "?clientId=wren&topic=birds%2F%2B%2F%23&address=192.0.2.7&seconds=1")) {
            assertThat(api.node.watches.traced)
                    .containsExactly(new TraceFilter(
                            Optional.of("wren"), Optional.of("birds/+/#"), Optional.of("192.0.2.7"), Optional.empty()));
            api.node
                    .watches
                    .last()
                    .tell(new Item(
                            "trace",
                            Map.of("node", "a", "atMillis", 5L, "type", "sent", "packetId", 9L, "payloadBytes", 7L)));
            assertThat(reader.next().data().getInteger("packetId")).isEqualTo(9);
            assertThat(reader.next().data().getString("reason")).isEqualTo("duration");
        }
    }

    @Test
    void aTraceOfEverythingIsRefused() throws Exception {
        try (ApiFixture api = open(SHORT)) {
            assertThat(api.get(TRACE).field()).isEqualTo("clientId");
            assertThat(api.get(TRACE + "?tenant=birds").field()).isEqualTo("clientId");
            assertThat(api.get(TRACE + "?topic=a%2F%23%2Fb").field()).isEqualTo("topic");
            assertThat(api.get(TRACE + "?topic=$share%2Fg%2Fa").field()).isEqualTo("topic");
            assertThat(api.get(TRACE + "?clientId=a&seconds=3601").field()).isEqualTo("seconds");
            assertThat(api.node.watches.feeds).isEmpty();
        }
    }

    /** A trace shows who sends what to whom. */
    @Test
    void aTraceIsForOperators(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("tokens");
        Files.writeString(
                file,
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("viewer", Role.VIEWER, "", "gw_viewer"))
                        .with(TokenFile.Entry.ofToken("birds", Role.OPERATOR, "birds", "gw_birds"))
                        .text());
        try (ApiFixture api = ApiFixture.withTokens(file)) {
            assertThat(api.get(TRACE + "?clientId=a", "Authorization", "Bearer gw_viewer")
                            .status())
                    .isEqualTo(403);
            new EventReader(api.port(), TRACE + "?clientId=a", "Authorization", "Bearer gw_birds").close();
            assertThat(api.node.watches.traced).extracting(TraceFilter::tenant).containsExactly(Optional.of("birds"));
        }
    }

    /** The time limit of an answer applies only until it begins. */
    @Test
    void aStreamOutlivesTheTimeOfARequest() throws Exception {
        Duration brief = Duration.ofSeconds(1);
        HttpLimits limits = new HttpLimits(9, 9, 9_000, 9_000, 1_000, brief, brief, brief, 1_000, 1_000);
        try (ApiFixture api = ApiFixture.streaming(limits, Optional.empty(), SHORT);
                EventReader reader = new EventReader(api.port(), EVENTS + "?seconds=3")) {
            Told last = reader.next();
            assertThat(last.name()).isEqualTo("end");
            assertThat(last.data().getString("reason")).isEqualTo("duration");
            assertThat(reader.comments()).isGreaterThan(4);
            assertThat(reader.isAtEnd()).isTrue();
            assertThat(api.node.watches.last().isClosed).isTrue();
        }
    }

    @Test
    void whenTheClientGoesTheWatchEnds() throws Exception {
        try (ApiFixture api = open(StreamBounds.DEFAULTS)) {
            for (int i = 0; i < 20; i++) { // more than there may be at a time
                try (EventReader reader = new EventReader(api.port(), EVENTS)) {
                    api.node.watches.last().tell(HELLO);
                    reader.next();
                }
                Await.until("it ends", () -> api.node.watches.last().isClosed);
            }
            assertThat(api.node.watches.feeds).hasSize(20).allMatch(feed -> feed.isClosed);
        }
    }

    /** Its feed reports the events it missed, and only some kilobytes are held here. */
    @Test
    void aReceiverThatDoesNotReadIsDisconnected() throws Exception {
        try (ApiFixture api = open(SHORT);
                Socket socket = api.connect()) {
            api.node.watches.endless = connected("x".repeat(1_000));
            socket.getOutputStream()
                    .write(("GET " + EVENTS + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            Await.until("it is asked for", () -> !api.node.watches.feeds.isEmpty());
            Await.until("it is cut off", () -> api.node.watches.last().isClosed);
            long taken = api.node.watches.last().taken.get();
            assertThat(taken).isLessThan(20_000); // the kernel's buffers of both sides, and little more
            Await.until("its connection has ended", () -> api.node.counts.open() == 0);
            assertThat(api.get("/health/live").status()).isEqualTo(200);
            socket.setSoTimeout(20_000);
            assertThat(ApiFixture.readAll(socket)).doesNotContain("<open>");
        }
    }

    /** A feed that always has another item does not keep others from being served. */
    @Test
    void anEndlessFeedHoldsUpNobody() throws Exception {
        try (ApiFixture api = open(StreamBounds.DEFAULTS)) { // this test does not read while it makes another request
            api.node.watches.endless = HELLO;
            try (EventReader reader = new EventReader(api.port(), EVENTS + "?seconds=1")) {
                Told told = reader.next();
                for (int i = 0; told.name().equals("event"); i++) {
                    if (i == 100) {
                        assertThat(api.get("/health/live").status()).isEqualTo(200);
                    }
                    told = reader.next();
                }
                assertThat(told.data().getString("reason")).isEqualTo("duration");
            }
        }
    }

    /** Data waiting for the socket at the end does not hide the reason of the end. */
    @Test
    void aReceiverThatReadsLateGetsTheEndOfTheStream() throws Exception {
        try (ApiFixture api = open(StreamBounds.DEFAULTS)) {
            api.node.watches.endless = connected("x".repeat(1_000));
            try (EventReader reader = new EventReader(api.port(), EVENTS + "?seconds=1")) {
                Await.until("its time is over", () -> api.node.watches.last().isClosed);
                Told told = reader.next();
                while (told.name().equals("event")) {
                    told = reader.next();
                }
                assertThat(told.data().getString("reason")).isEqualTo("duration");
                assertThat(reader.isAtEnd()).isTrue();
            }
        }
    }

    /** Even if the queue is full at every check. */
    @Test
    void aReceiverThatReadsSlowlyIsNotDisconnected() throws Exception {
        StreamBounds bounds = new StreamBounds(4, 3, Duration.ofMillis(100), Duration.ofSeconds(5));
        try (ApiFixture api = open(bounds)) {
            api.node.watches.endless = connected("x".repeat(1_000));
            try (EventReader reader = new EventReader(api.port(), EVENTS + "?seconds=7")) {
                Told told = reader.next();
                for (int i = 0; told.name().equals("event"); i++) {
                    if (i % 200 == 0) {
                        api.get("/health/live"); // it does other things too, so the queue is full at most times
                    }
                    told = reader.next();
                }
                assertThat(told.data().getString("reason")).isEqualTo("duration");
            }
        }
    }

    @Test
    void streamsAreBounded() throws Exception {
        List<EventReader> open = new ArrayList<>();
        try (ApiFixture api = open(new StreamBounds(3, 2, Duration.ofSeconds(9), Duration.ofSeconds(9)))) {
            open.add(new EventReader(api.port(), EVENTS));
            open.add(new EventReader(api.port(), EVENTS));
            assertThat(api.get(EVENTS).problem()).isEqualTo("too-many-requests");
            open.remove(0).close();
            Await.until("there is room", () -> {
                try {
                    open.add(new EventReader(api.port(), EVENTS));
                    return true;
                } catch (java.io.IOException e) {
                    return false;
                }
            });
        } finally {
            open.forEach(EventReader::close);
        }
    }

    @Test
    void theServersStopIsTold() throws Exception {
        ApiFixture api = open(SHORT);
        try (EventReader reader = new EventReader(api.port(), EVENTS)) {
            api.close();
            assertThat(reader.next().data().getString("reason")).isEqualTo("stopping");
            assertThat(api.node.watches.last().isClosed).isTrue();
        }
    }

    @Test
    void theEndOfTheWatchIsTold() throws Exception {
        try (ApiFixture api = open(SHORT);
                EventReader reader = new EventReader(api.port(), EVENTS)) {
            api.node.watches.last().isOver = true;
            assertThat(reader.next().data().getString("reason")).isEqualTo("stopping");
        }
    }

    /** Where answers are compared with the document, as in this test. */
    @Test
    void anEventThatTheDocumentDoesNotDefineIsAFault() throws Exception {
        try (ApiFixture api = open(SHORT);
                EventReader reader = new EventReader(api.port(), EVENTS)) {
            api.node.watches.last().tell(new Item("event", Map.of("node", "a", "type", "weather", "atMillis", 1L)));
            assertThat(reader.next().data().getString("reason")).isEqualTo("fault");
        }
    }

    @Test
    void aTokenOfATenantSeesThatTenantOnlyUntilItIsRemoved(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("tokens");
        TokenFile all = TokenFile.parse("")
                .with(TokenFile.Entry.ofToken("birds", Role.VIEWER, "birds", "gw_birds"))
                .with(TokenFile.Entry.ofToken("ops", Role.VIEWER, "", "gw_ops"));
        Files.writeString(file, all.text());
        try (ApiFixture api = ApiFixture.streaming(ApiFixture.LIMITS, Optional.of(file), SHORT);
                EventReader birds = new EventReader(api.port(), EVENTS, "Authorization", "Bearer gw_birds");
                EventReader ops = new EventReader(api.port(), EVENTS, "Authorization", "Bearer gw_ops")) {
            assertThat(api.node.watches.asked)
                    .extracting(EventFilter::tenant)
                    .containsExactly(Optional.of("birds"), Optional.empty());
            assertThat(api.get(EVENTS + "?tenant=fish", "Authorization", "Bearer gw_birds")
                            .status())
                    .isEqualTo(403);
            assertThat(api.get(EVENTS).status()).isEqualTo(401);

            Files.writeString(file, all.without("birds").orElseThrow().text());
            assertThat(birds.next().data().getString("reason")).isEqualTo("token");
            assertThat(birds.isAtEnd()).isTrue();
            assertThat(api.node.watches.feeds).extracting(feed -> feed.isClosed).containsExactly(true, false);
            api.node.watches.last().tell(HELLO);
            assertThat(ops.next().name()).isEqualTo("event");
        }
    }

    /** Else a few tenants with many tokens could keep all others, and the operators of the node, from watching. */
    @Test
    void theTokensOfATenantShareItsStreams(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("tokens");
        TokenFile all = TokenFile.parse("")
                .with(TokenFile.Entry.ofToken("birds-1", Role.VIEWER, "birds", "gw_birds_1"))
                .with(TokenFile.Entry.ofToken("birds-2", Role.VIEWER, "birds", "gw_birds_2"))
                .with(TokenFile.Entry.ofToken("ops", Role.VIEWER, "", "gw_ops"));
        Files.writeString(file, all.text());
        StreamBounds one = new StreamBounds(32, 1, SHORT.heartbeat(), SHORT.slowAfter());
        try (ApiFixture api = ApiFixture.streaming(ApiFixture.LIMITS, Optional.of(file), one);
                EventReader birds = new EventReader(api.port(), EVENTS, "Authorization", "Bearer gw_birds_1")) {
            assertThat(birds.contentType()).startsWith("text/event-stream");
            assertThatThrownBy(() -> new EventReader(api.port(), EVENTS, "Authorization", "Bearer gw_birds_2"))
                    .hasMessageContaining("429");
            try (EventReader ops = new EventReader(api.port(), EVENTS, "Authorization", "Bearer gw_ops")) {
                assertThat(ops.contentType()).startsWith("text/event-stream");
            }
        }
    }
}
