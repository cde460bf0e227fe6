package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import io.godwit.api.port.cluster.LogLevels.Level;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LogbackLevelsTest {
    private final LogbackLevels levels = new LogbackLevels();

    @Test
    void aLoggerOfTheBrokerIsSetAndTakenBack() {
        String logger = "io.godwit.levels.OfThisTest";
        assertThat(levels.set(logger, Level.TRACE)).isEmpty();
        assertThat(levels.levels()).containsEntry(logger, Level.TRACE);
        assertThat(LoggerFactory.getLogger(logger).isTraceEnabled()).isTrue();
        assertThat(levels.set(logger, Level.INHERIT)).isEmpty();
        assertThat(levels.levels()).doesNotContainKey(logger);
        assertThat(LoggerFactory.getLogger(logger).isTraceEnabled()).isFalse();
    }

    /** Below info, libraries log the data that they transfer, such as operators' tokens. */
    @Test
    void theRootGetsNoLevelBelowInfo() {
        assertThat(levels.set("ROOT", Level.DEBUG))
                .hasValueSatisfying(why -> assertThat(why).contains("info"));
        assertThat(levels.set("ROOT", Level.TRACE)).isPresent();
        Level before = levels.levels().get("ROOT");
        assertThat(levels.set("ROOT", Level.INFO)).isEmpty();
        if (before == Level.WARN || before == Level.ERROR) {
            levels.set("ROOT", before);
        }
    }

    @Test
    void otherNamesAreRefusedAndMakeNoLogger() {
        for (String name :
                new String[] {"com.example", "io.godwitty", "io.godwit.", "io.godwit.a b", "", "io.godwit.audit"}) {
            assertThat(levels.set(name, Level.ERROR)).as(name).isPresent();
        }
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        assertThat(context.exists("com.example")).isNull();
        assertThat(levels.set("ROOT", Level.INHERIT)).isPresent();
    }
}
