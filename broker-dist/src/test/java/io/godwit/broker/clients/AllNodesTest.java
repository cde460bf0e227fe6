package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.api.port.NotServingException;
import io.godwit.broker.clients.node.MemoryClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The reports about failures. */
@Timeout(60)
class AllNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private final Logger logger = (Logger) LoggerFactory.getLogger(AllNodes.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the clock may overflow

    @SuppressWarnings("NullAway.Init")
    private ThreeNodes nodes;

    @BeforeEach
    void open() throws Exception {
        nodes = new ThreeNodes(directory);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void close() {
        logger.detachAppender(log);
        nodes.close();
    }

    private AllNodes all(Executor thread) {
        return new AllNodes(nodes, nodes.a, thread, nanos::get);
    }

    private List<ILoggingEvent> warnings() {
        return log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .toList();
    }

    private static AllNodes.Answers<Boolean> ask(AllNodes all, RuntimeException failure) throws Exception {
        return all.<Boolean>ask(LONG, node -> CompletableFuture.failedFuture(failure))
                .get(30, TimeUnit.SECONDS);
    }

    @Test
    void aFaultIsLoggedOnceInAWhile() throws Exception {
        AllNodes all = all(Runnable::run);
        for (int i = 0; i < 10; i++) {
            assertThat(ask(all, new IllegalStateException("broken")).missing()).containsOnlyKeys("a", "b", "c");
        }
        assertThat(warnings()).hasSize(1);
        nanos.addAndGet(AllNodes.TELLING_PERIOD.toNanos());
        ask(all, new IllegalStateException("broken"));
        assertThat(warnings()).hasSize(2);
    }

    @Test
    void nodesThatGoAreNoFault() throws Exception {
        AllNodes all = all(Runnable::run);
        nodes.disconnect("b");
        nodes.kill("c");
        AllNodes.Answers<Boolean> answers = all.ask(
                        LONG, node -> node.find(MemoryClients.key("x"), LONG).thenApply(found -> true))
                .get(30, TimeUnit.SECONDS);
        assertThat(answers.missing()).containsOnlyKeys("b", "c");
        ask(all, new RejectedExecutionException());
        assertThat(warnings()).isEmpty();
    }

    @Test
    void onlyANodeThatStopsSaysThatItStops() {
        AllNodes stopping = all(task -> {
            throw new RejectedExecutionException("shut down");
        });
        assertThat(stopping.ask(LONG, node -> CompletableFuture.completedFuture(true)))
                .failsWithin(LONG)
                .withThrowableThat()
                .withCauseInstanceOf(NotServingException.class)
                .withMessageContaining("stopping");
        AllNodes broken = all(task -> {
            throw new IllegalStateException("broken");
        });
        assertThat(broken.ask(LONG, node -> CompletableFuture.completedFuture(true)))
                .failsWithin(LONG)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("broken");
    }
}
