package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class StoreFailuresTest {
    private static final String SAID = "the store does not answer";

    private final Logger logger = (Logger) LoggerFactory.getLogger(StoreFailuresTest.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private long now;
    private final StoreFailures failures = new StoreFailures(logger, () -> now);

    @BeforeEach
    void open() {
        log.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
    }

    @AfterEach
    void close() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    @Test
    void theCallerGetsAnIdAndTheLogTheCause() {
        String told = failures.told(SAID, new IllegalStateException("range 7 of 10.0.0.3"));
        assertThat(told).startsWith(SAID).doesNotContain("range 7").doesNotContain("10.0.0.3");
        String id = told.substring(told.indexOf("id=") + 3);
        assertThat(id).matches("[0-9a-f]{8}");
        assertThat(log.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("id=" + id)
                        .contains("range 7 of 10.0.0.3"));
    }

    @Test
    void onlySoManyCausesAreLogged() {
        List<String> told = new ArrayList<>();
        for (int i = 0; i < StoreFailures.MOST_A_SECOND * 3; i++) {
            told.add(failures.told(SAID, new IllegalStateException("no leader")));
        }
        assertThat(log.list).hasSize(StoreFailures.MOST_A_SECOND);
        assertThat(told.get(told.size() - 1)).isEqualTo(SAID);
        now += Duration.ofSeconds(1).toNanos();
        assertThat(failures.told(SAID, new IllegalStateException("no leader"))).contains("id=");
    }
}
