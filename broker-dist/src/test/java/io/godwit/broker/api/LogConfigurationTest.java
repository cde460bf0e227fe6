package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.status.Status;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** How {@code conf/logback.xml} treats texts that clients choose. */
class LogConfigurationTest {
    private static final String FORGED = "\r\n2026-01-01 00:00:00,000 INFO  [main] io.godwit.Broker - forged";
    private static final String NASTY = FORGED + "\u001b[2J\u202e\u2028x\u0085y";

    @TempDir
    private Path directory;

    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void configure() throws Exception {
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.putProperty("godwit.log.dir", directory.toString());
        JoranConfigurator reader = new JoranConfigurator();
        reader.setContext(context);
        reader.doConfigure(Path.of("../conf/logback.xml").toFile());
        assertThat(context.getStatusManager().getCopyOfStatusList())
                .filteredOn(status -> status.getLevel() >= Status.WARN)
                .isEmpty();
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    private List<String> lines(String file) throws Exception {
        return Files.readString(directory.resolve(file)).lines().toList();
    }

    @Test
    void aMessageIsOneLineOfVisibleCharacters() throws Exception {
        context.getLogger("io.godwit.Some").info("a {} b", NASTY);
        assertThat(lines("godwit.log"))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .containsPattern(
                                "^\\d{4}-.* INFO +\\[.*] io.godwit.Some - a \\?2026-.* forged\\?\\[2J\\?x\\?y b$")
                        .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]"));
    }

    /** Messages of exceptions may contain what a client has sent. */
    @Test
    void noLineOfAStackTraceLooksLikeOneOfTheLog() throws Exception {
        Exception failure = new IllegalStateException(
                "outer" + NASTY, new NumberFormatException("For input string: \"" + NASTY + "\""));
        failure.addSuppressed(new IllegalArgumentException("suppressed" + NASTY));
        context.getLogger("io.godwit.Some").error("failed", failure);
        List<String> all = lines("godwit.log");
        assertThat(all.get(0)).endsWith(" - failed");
        assertThat(all.subList(1, all.size()))
                .hasSizeGreaterThan(10)
                .allMatch(line -> line.startsWith("    "))
                .noneMatch(line -> line.matches(".*[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\\t]].*"))
                .anyMatch(line -> line.startsWith("    java.lang.IllegalStateException: outer"))
                .anyMatch(line -> line.contains("Caused by: java.lang.NumberFormatException"))
                .anyMatch(line -> line.contains("at " + getClass().getName()));
        assertThat(String.join("\n", all))
                .as("the exception is logged only once")
                .containsOnlyOnce("java.lang.IllegalStateException: outer");
    }

    /** However many other lines clients cause, they do not displace its lines. */
    @Test
    void theRecordOfChangesHasAFileOfItsOwn() throws Exception {
        try (LogbackAudit audit = new LogbackAudit(new SimpleMeterRegistry(), context)) {
            context.getLogger("io.godwit.Some").info("other");
            audit.write("by=ann");
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(ch.qos.logback.classic.Level.ERROR);
            audit.write("by=bob");
        }
        assertThat(lines("audit.log"))
                .extracting(line -> line.replaceAll(".* - ", ""))
                .containsExactly("by=ann", "by=bob");
        assertThat(lines("godwit.log")).hasSize(3);
    }

    /** They would log the headers of each call, which contain operators' tokens. */
    @Test
    void librariesThatTransferSecretsDoNotLogThemAtDebug() {
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(ch.qos.logback.classic.Level.TRACE);
        for (String name : List.of("io.grpc.netty.NettyServerHandler", "io.netty.handler.logging")) {
            assertThat(context.getLogger(name).isDebugEnabled()).as(name).isFalse();
        }
    }
}
