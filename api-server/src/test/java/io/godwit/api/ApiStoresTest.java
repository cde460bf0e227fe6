package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.port.OperationException;
import io.godwit.api.port.cluster.StoreAdmin;
import io.godwit.testing.Await;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of ranges, balancers, replicas and nodes; and backups. */
class ApiStoresTest {
    private static final String RANGE = "/api/v1/ranges/inbox/7";
    private static final String NODE = "/api/v1/nodes/node-a";
    private static final String[] JSON = {"Content-Type", "application/json"};

    private ApiFixture api;
    private FakeStores fake;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
        fake = api.node.stores;
    }

    @AfterEach
    void close() {
        api.close();
    }

    private Got post(String path, String body) throws Exception {
        return api.send("POST", path, body, JSON);
    }

    private Got put(String path, String body) throws Exception {
        return api.send("PUT", path, body, JSON);
    }

    @Test
    void rangesAreChanged() throws Exception {
        assertThat(post(RANGE + "/split", "{}").json().getString("detail")).isEqualTo("cut");
        assertThat(post(RANGE + "/split", "{\"epoch\":3,\"key\":\"0a\\\\x80\"}").status())
                .isEqualTo(200);
        assertThat(post(RANGE + "/merge", "{\"epoch\":3,\"rightEpoch\":9}").status())
                .isEqualTo(200);
        assertThat(post(RANGE + "/transfer", "{\"to\":\"node-b\"}").status()).isEqualTo(200);
        assertThat(post(RANGE + "/move", "{\"from\":\"node-a\",\"to\":\"node-b\"}")
                        .json()
                        .getString("state"))
                .isEqualTo("done");
        fake.isSlow = true;
        Got moving = post(RANGE + "/move", "{\"from\":\"node-a\",\"to\":\"node-b\",\"lower\":true}");
        assertThat(moving.status()).isEqualTo(202);
        assertThat(moving.json().getMap()).containsEntry("state", "moving").containsEntry("step", "add-learner");
        assertThat(fake.calls)
                .containsExactly(
                        "split inbox 7",
                        "split inbox 7 at 3 by 0a\\x80",
                        "merge inbox 7 at 3 with 9",
                        "transfer inbox 7 to node-b",
                        "move inbox 7 node-a-node-b false",
                        "move inbox 7 node-a-node-b true");
    }

    @Test
    void requestsThatMakeNoSenseAreRefusedWithTheReason() throws Exception {
        assertThat(post(RANGE + "/split", "{\"epoch\":-1}").field()).isEqualTo("epoch");
        assertThat(post(RANGE + "/split", "{\"at\":\"00\"}").field()).isEqualTo("at");
        assertThat(post(RANGE + "/transfer", "{}").field()).isEqualTo("to");
        assertThat(post(RANGE + "/move", "{\"from\":\"node-a\"}").field()).isEqualTo("to");
        assertThat(post("/api/v1/ranges/inbox/x/split", "{}").field()).isEqualTo("rangeId");
        String balancer = "{\"store\":\"inbox\",\"balancer\":\"split\",";
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"stop\"}").field())
                .isEqualTo("action");
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"resume\",\"forSeconds\":5}")
                        .field())
                .isEqualTo("forSeconds");
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"pause\",\"forSeconds\":86401}")
                        .field())
                .isEqualTo("forSeconds");
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"tune\"}").field())
                .isEqualTo("settings");
        assertThat(put("/api/v1/replicas", "{\"store\":\"inbox\",\"count\":0}").field())
                .isEqualTo("count");
        assertThat(api.get("/api/v1/backup").field()).isEqualTo("store");
        assertThat(fake.calls).isEmpty();
    }

    @Test
    void eachRefusalHasItsStatus() throws Exception {
        List<String> expected = List.of(
                "400 invalid-request",
                "404 not-found",
                "409 stale",
                "409 refused",
                "429 too-many-requests",
                "503 unavailable",
                "503 not-finished");
        for (OperationException.Kind kind : OperationException.Kind.values()) {
            fake.refusal = kind;
            Got got = post(RANGE + "/merge", "{}");
            assertThat(got.status() + " " + got.problem()).isEqualTo(expected.get(kind.ordinal()));
        }
    }

    @Test
    void balancersReplicasAndNodesAreSeenAndChanged() throws Exception {
        JsonObject listed = api.get("/api/v1/balancers?store=inbox").json();
        assertThat(listed.getJsonArray("items")
                        .getJsonObject(0)
                        .getJsonObject("settings")
                        .getString("limit"))
                .isEqualTo("7");
        assertThat(listed.getJsonArray("missingNodes")).containsExactly("node-b");
        String balancer = "{\"store\":\"inbox\",\"balancer\":\"split\",";
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"pause\",\"forSeconds\":60}")
                        .status())
                .isEqualTo(200);
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"resume\",\"node\":\"node-b\"}")
                        .status())
                .isEqualTo(200);
        assertThat(put("/api/v1/balancers", balancer + "\"action\":\"tune\",\"settings\":{\"limit\":\"9\"}}")
                        .status())
                .isEqualTo(200);
        assertThat(api.get("/api/v1/replicas")
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getInteger("fewer"))
                .isEqualTo(1);
        assertThat(put("/api/v1/replicas", "{\"store\":\"inbox\",\"count\":1,\"lower\":true}")
                        .status())
                .isEqualTo(200);
        assertThat(api.get(NODE + "/drain").json().getString("unclear")).isEqualTo("who knows");
        assertThat(post(NODE + "/drain", "{}").json().getBoolean("draining")).isTrue();
        assertThat(api.send("DELETE", NODE + "/drain", null).json().getBoolean("draining"))
                .isFalse();
        assertThat(api.send("DELETE", NODE, null).status()).isEqualTo(200);
        assertThat(fake.calls)
                .containsExactly(
                        "balancers [inbox]",
                        "PAUSE inbox split all 60 {}",
                        "RESUME inbox split node-b 0 {}",
                        "TUNE inbox split all 0 {limit=9}",
                        "replicas",
                        "voters inbox 1 true",
                        "state node-a",
                        "drain node-a true false",
                        "drain node-a false false",
                        "forget node-a");
    }

    @Test
    void aReplacementIsBegunAndSeenUntilItsEnd() throws Exception {
        String replace = NODE + "/replace";
        assertThat(api.get(replace).status()).isEqualTo(404);
        Got begun = post(replace, "{\"by\":\"node-b\"}");
        assertThat(begun.status()).as(begun.text()).isEqualTo(202);
        assertThat(begun.json().getMap())
                .containsEntry("node", "node-a")
                .containsEntry("by", "node-b")
                .containsEntry("state", "running")
                .containsEntry("left", 7);
        assertThat(api.get(replace).json()).isEqualTo(begun.json());
        fake.replacements.put(
                "node-a",
                new StoreAdmin.ReplaceView(
                        "node-a", "node-b", StoreAdmin.ReplaceState.FAILED, 3, 4, 1, "add-learner", "disk full"));
        assertThat(api.get(replace).json().getMap())
                .containsEntry("state", "failed")
                .containsEntry("moved", 3)
                .containsEntry("reason", "disk full");
        assertThat(fake.calls).containsExactly("replace node-a by node-b");
    }

    @Test
    void mistakesInAReplacementAreNamed() throws Exception {
        String replace = NODE + "/replace";
        assertThat(post(replace, "{}").field()).isEqualTo("by");
        assertThat(post(replace, "{\"by\":\"\"}").field()).isEqualTo("by");
        assertThat(post(replace, "{\"by\":7}").field()).isEqualTo("by");
        assertThat(post(replace, "{\"by\":\"node-b\",\"lower\":true}").field()).isEqualTo("lower");
        assertThat(fake.calls).isEmpty();
        fake.refusedField = "by";
        for (OperationException.Kind kind : List.of(OperationException.Kind.INVALID, OperationException.Kind.REFUSED)) {
            fake.refusal = kind;
            Got got = post(replace, "{\"by\":\"node-b\"}");
            assertThat(got.status()).isEqualTo(kind == OperationException.Kind.INVALID ? 400 : 409);
            assertThat(got.field()).isEqualTo("by");
        }
        assertThat(fake.replacements).isEmpty();
    }

    @Test
    void aBackupIsStreamedAndEndsProperly() throws Exception {
        byte[] piece = new byte[300_000];
        fake.body = out -> {
            for (int i = 0; i < 10; i++) {
                out.write(piece);
            }
        };
        Got got = api.get("/api/v1/backup?store=inbox");
        assertThat(got.status()).isEqualTo(200);
        assertThat(got.type()).isEqualTo("application/x-tar");
        assertThat(got.text()).hasSize(3_000_000);
        assertThat(api.send("HEAD", "/api/v1/backup?store=inbox", null).status())
                .isEqualTo(200);
        awaitNoBackup();
    }

    /** A client that reads to the end must notice: the last chunk is missing. */
    @Test
    void aBackupThatFailsEndsWithItsConnection() throws Exception {
        fake.body = out -> {
            out.write(new byte[100_000]);
            throw new IOException("a node is lost");
        };
        String raw = api.raw("GET /api/v1/backup?store=inbox HTTP/1.1\r\nHost: localhost\r\n\r\n", 20_000);
        assertThat(raw)
                .startsWith("HTTP/1.1 200")
                .doesNotEndWith("\r\n0\r\n\r\n")
                .doesNotEndWith("<open>");
        awaitNoBackup();
    }

    /** Else the rest of the data would go to a caller who is no longer authorized. */
    @Test
    void aBackupEndsWhenItsTokenIsRemoved(@TempDir Path dir) throws Exception {
        Path tokens = Files.writeString(
                dir.resolve("tokens"),
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("ada", Role.ADMIN, "", "a secret"))
                        .text());
        Semaphore pieces = new Semaphore(0);
        try (ApiFixture own = ApiFixture.withTokens(tokens);
                Socket socket = own.connect()) {
            own.node.stores.body = out -> {
                while (true) { // until its receiver may not have more
                    pieces.acquireUninterruptibly();
                    out.write(new byte[65_536]);
                }
            };
            String target = "/api/v1/backup?store=inbox";
            String head = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a secret\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            byte[] read = new byte[1 << 20];
            pieces.release();
            assertThat(socket.getInputStream().read(read)).isPositive();
            Files.writeString(tokens, "");
            socket.setSoTimeout(100);
            Await.until("it ends", () -> {
                pieces.release();
                try {
                    return socket.getInputStream().read(read) < 0;
                } catch (SocketTimeoutException e) {
                    return false;
                } catch (SocketException e) {
                    return true; // cut off
                }
            });
            pieces.release(10);
            Await.until("nothing is open", () -> own.node.stores.openBackups.get() == 0);
        }
    }

    /** Only a few pieces are in memory, while the producer waits. */
    @Test
    void aBackupWaitsForItsReaderAndEndsWhenTheReaderGoes() throws Exception {
        AtomicLong made = new AtomicLong();
        CountDownLatch ended = new CountDownLatch(1);
        fake.body = out -> {
            try {
                for (int i = 0; i < 100_000; i++) {
                    out.write(new byte[65_536]);
                    made.addAndGet(65_536);
                }
            } finally {
                ended.countDown();
            }
        };
        try (Socket socket = api.connect()) {
            socket.setReceiveBufferSize(8_192);
            socket.getOutputStream()
                    .write("GET /api/v1/backup?store=inbox HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            assertThat(in.readNBytes(12)).asString(StandardCharsets.US_ASCII).isEqualTo("HTTP/1.1 200");
            long before = -1;
            while (made.get() != before) { // until nothing moves any more
                before = made.get();
                assertThat(ended.await(500, TimeUnit.MILLISECONDS)).isFalse();
            }
            assertThat(before).isLessThan(64 << 20);
        }
        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        awaitNoBackup();
    }

    private void awaitNoBackup() {
        Await.until("no backup is open", () -> fake.openBackups.get() == 0);
    }
}
