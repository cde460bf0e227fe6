package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.FileAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Logback ignores that a disk is full, but the audit log must not. */
class LogbackAuditTest {
    private final LoggerContext context = new LoggerContext();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final LogbackAudit audit = new LogbackAudit(meters, context);

    @AfterEach
    void close() {
        audit.close();
        context.stop();
    }

    private FileAppender<ILoggingEvent> appendTo(String logger, Path file) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        context.setMDCAdapter(new LogbackMDCAdapter());
        encoder.setContext(context);
        encoder.setPattern("%msg%n");
        encoder.start();
        FileAppender<ILoggingEvent> appender = new FileAppender<>();
        appender.setContext(context);
        appender.setName("to-file");
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger(logger).setLevel(Level.INFO);
        context.getLogger(logger).addAppender(appender);
        return appender;
    }

    @Test
    void aRecordIsALineWhateverIsInIt(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("log");
        appendTo(Logger.ROOT_LOGGER_NAME, file);
        audit.write("by={} a {");
        assertThat(Files.readAllLines(file)).containsExactly("by={} a {");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsTold() {
        for (String logger : new String[] {Logger.ROOT_LOGGER_NAME, "io.godwit.audit"}) {
            context.reset(); // as when the configuration is read anew
            appendTo(logger, Path.of("/dev/full"));
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> audit.write("a"))
                        .as(logger)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("to-file");
            }
        }
    }

    /** Failures of other files do not matter if the audit log has its own. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileOfItsOwnIsWhatCounts(@TempDir Path directory) throws Exception {
        appendTo(Logger.ROOT_LOGGER_NAME, Path.of("/dev/full"));
        Path file = directory.resolve("audit");
        appendTo("io.godwit.audit", file);
        context.getLogger("io.godwit.audit").setAdditive(false);
        context.getLogger("io.godwit.other").info("does not get there");
        audit.write("a");
        assertThat(Files.readAllLines(file)).containsExactly("a");
    }

    @Test
    void anAppenderThatHasStoppedIsTold(@TempDir Path directory) throws Exception {
        FileAppender<ILoggingEvent> appender = appendTo("io.godwit", directory.resolve("log"));
        audit.write("a");
        appender.stop();
        assertThatThrownBy(() -> audit.write("b")).isInstanceOf(IOException.class);
    }

    /** Neither a level set by the API, nor a configuration that is read again and resets levels. */
    @Test
    void noLevelKeepsItFromBeingWritten(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("log");
        appendTo(Logger.ROOT_LOGGER_NAME, file);
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
        audit.write("a");
        context.reset();
        appendTo(Logger.ROOT_LOGGER_NAME, file);
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
        context.getLogger("io.godwit").setLevel(Level.OFF);
        audit.write("b");
        context.getLogger("io.godwit.audit").setLevel(Level.OFF);
        audit.write("c");
        assertThat(Files.readAllLines(file)).containsExactly("a", "b", "c");
    }

    @Test
    void whatIsRefusedAndLostIsCounted() {
        audit.refused();
        audit.lost(3);
        assertThat(meters.get("godwit.api.changes.unrecorded").counter().count())
                .isEqualTo(1);
        assertThat(meters.get("godwit.api.records.lost").counter().count()).isEqualTo(3);
    }
}
