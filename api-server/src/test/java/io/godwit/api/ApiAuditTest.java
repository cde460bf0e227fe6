package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.godwit.api.ApiFixture.Got;
import io.godwit.testing.Await;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
}
