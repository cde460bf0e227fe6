package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.godwit.api.ApiFixture.Got;
import io.godwit.api.audit.RecordBudget;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Every change is recorded, and a hanging disk blocks nobody. */
class ApiAuditTest {
    private final Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
    private final CountDownLatch mayWrite = new CountDownLatch(1);
    private final List<String> lines = new CopyOnWriteArrayList<>();

    /** Hangs, as a disk may. */
    private final class Hanging extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            try {
                mayWrite.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            lines.add(event.getFormattedMessage());
        }
    }

    private final Hanging appender = new Hanging();

    @BeforeEach
    void hang() {
        appender.start();
        audit.addAppender(appender);
        audit.setLevel(Level.INFO);
    }

    @AfterEach
    void goOn() {
        mayWrite.countDown();
        audit.detachAppender(appender);
        audit.setLevel(null);
    }

    private static CompletableFuture<Got> ask(ApiFixture api, String method, String path) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return api.send(method, path, null);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void aDiskThatHangsHoldsUpNoOtherRequest() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            CompletableFuture<Got> change = ask(api, "DELETE", "/api/v1/clients/none");
            Await.until(
                    "the record is being written",
                    () -> Thread.getAllStackTraces().values().stream()
                            .flatMap(Arrays::stream)
                            .anyMatch(frame -> frame.getClassName().equals(Hanging.class.getName())));
            CompletableFuture<Got> health = ask(api, "GET", "/health/live");
            Await.until("health is told", health::isDone);
            assertThat(health.join().status()).isEqualTo(200);
            mayWrite.countDown();
            assertThat(change.join().status()).isEqualTo(404);
        }
    }

    /**
     * The change whose record finds the disk full is recorded once there is space; later changes are refused until
     * then.
     */
    @Test
    void withAFullDiskNothingIsChanged() throws Exception {
        mayWrite.countDown();
        try (ApiFixture api = ApiFixture.open()) {
            api.node.add("default", "lamp", "ann", 5, true, 0);
            api.node.audit.isFull = true;
            assertThat(api.send("DELETE", "/api/v1/clients/lamp", null).status())
                    .isEqualTo(204);
            Got refused = api.send("DELETE", "/api/v1/clients/lamp", null);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.json().getString("detail")).startsWith("nothing was done");
            assertThat(api.node.disconnected).hasSize(1);
            assertThat(api.node.audit.refused).hasValue(1);
            assertThat(api.get("/api/v1/clients").status()).isEqualTo(200);
            api.node.audit.isFull = false;
            Await.until(
                    "changes are made again",
                    () -> api.send("DELETE", "/api/v1/clients/none", null).status() == 404);
        }
        assertThat(lines).hasSizeGreaterThanOrEqualTo(2);
        assertThat(lines.get(0)).contains("\"clientId\":\"lamp\"", "status=204");
        assertThat(lines).noneMatch(line -> line.contains("status=503"));
    }

    /** The files of the log have a maximum size. */
    @Test
    void oneCallerCannotPushOutTheRecordsOfOthers(@TempDir Path directory) throws Exception {
        mayWrite.countDown();
        Path tokens = Files.writeString(
                directory.resolve("tokens"),
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("vic", Role.VIEWER, "", "gdw_vic"))
                        .with(TokenFile.Entry.ofToken("ola", Role.OPERATOR, "", "gdw_ola"))
                        .with(TokenFile.Entry.ofToken("oki", Role.OPERATOR, "", "gdw_oki"))
                        .text());
        int most = 20_000;
        try (ApiFixture api = ApiFixture.recording(tokens, new RecordBudget.Bounds(most / 2, most))) {
            Got refused = null;
            for (int i = 0; i < 1_000 && refused == null; i++) {
                Got got = kick(api, "x".repeat(10_000), "gdw_ola");
                refused = got.status() == 404 ? null : got;
            }
            assertThat(refused).isNotNull();
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.json().getString("detail")).startsWith("nothing was done");
            for (int i = 0; i < 100; i++) {
                assertThat(kick(api, "y".repeat(10_000), "gdw_vic").status()).isEqualTo(403);
            }
            assertThat(api.node.audit.lost)
                    .as("refusals that were not recorded")
                    .hasPositiveValue();
            assertThat(kick(api, "none", "gdw_oki").status())
                    .as("another caller")
                    .isEqualTo(404);
        }
        for (String name : List.of("ola", "vic")) {
            List<String> its =
                    lines.stream().filter(line -> line.contains("by=" + name)).toList();
            assertThat(its.stream().mapToInt(String::length).sum()).as(name).isLessThan(most + 3_000);
            assertThat(its.get(0)).as(name).hasSizeGreaterThan(500);
            assertThat(its.get(its.size() - 1))
                    .as(name)
                    .contains("... of 10", "sha256=", "operation=disconnectClient")
                    .hasSizeLessThan(400);
        }
        assertThat(lines).anyMatch(line -> line.contains("by=oki") && line.contains("\"clientId\":\"none\""));
    }

    private static Got kick(ApiFixture api, String client, String token) throws Exception {
        return api.send("DELETE", "/api/v1/clients/" + client, null, "Authorization", "Bearer " + token);
    }
}
