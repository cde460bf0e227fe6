package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import io.godwit.api.port.LogLevels.Level;
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

    /** It has no level in the configuration, so it would inherit these. */
    @Test
    void theRecordOfChangesIsWrittenWhateverLevelsItWouldInherit() {
        Level root = levels.levels().getOrDefault("ROOT", Level.INFO);
        Level ours = levels.levels().getOrDefault("io.godwit", Level.INHERIT);
        try {
            assertThat(levels.set("ROOT", Level.ERROR)).isEmpty();
            assertThat(levels.set("io.godwit", Level.ERROR)).isEmpty();
            assertThat(LoggerFactory.getLogger("io.godwit.audit").isInfoEnabled())
                    .isTrue();
        } finally {
            levels.set("ROOT", root);
            levels.set("io.godwit", ours);
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
