package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.WatchedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReloadTest {
    @TempDir
    Path directory;

    private final List<String> applied = new ArrayList<>();
    private List<String> warnings = List.of("nothing told");
    /** What the disk fails with; empty while it works. */
    private String fault = "";

    private boolean isTargetFailing;
    private Path file;
    private ConfigReload reload;

    @BeforeEach
    void start() throws Exception {
        file = directory.resolve("standalone.yml");
        write("""
                mqttServerConfig:
                  maxConnections: 5
                  tcpListener: [{port: 1}, {port: 2, connectRate: 3}]
                """);
        WatchedFile watched = new WatchedFile(file);
        ConfigReload.Loading loading = () -> {
            if (!fault.isEmpty()) {
                throw new ConfigException(List.of(fault));
            }
            return ConfigLoader.load(file, Map.of());
        };
        reload = new ConfigReload(watched, loading, loading.load(), this::apply, told -> warnings = told);
    }

    private void apply(BrokerConfig config, boolean withListeners) {
        if (isTargetFailing) {
            throw new IllegalStateException("the target failed");
        }
        applied.add(config.mqtt().connections().maxConnections() + " " + withListeners);
    }

    @AfterEach
    void end() {
        reload.close();
    }

    private void write(String yaml) throws IOException {
        Files.writeString(file, yaml);
    }

    /** A file is not read while it is being written: it must be the same at two successive looks. */
    private void lookTwice() {
        reload.look();
        reload.look();
    }

    @Test
    void aFileThatStaysIsNotReadAgain() {
        lookTwice();
        assertThat(applied).isEmpty();
        assertThat(warnings).containsExactly("nothing told");
    }

    @Test
    void whatCanBeTakenOverIsTakenOverOnce() throws IOException {
        write("""
                mqttServerConfig:
                  maxConnections: 50
                  tcpListener: [{port: 1}, {port: 2, connectRate: 4}]
                """);
        reload.look();
        assertThat(applied)
                .as("nothing is applied while the file may still be written")
                .isEmpty();
        reload.look();
        assertThat(applied).containsExactly("50 true");
        assertThat(warnings).isEmpty();
        lookTwice();
        assertThat(applied).hasSize(1);
    }

    @Test
    void theRestIsSaidToNeedARestartUntilItIsTakenBack() throws IOException {
        write("""
                mqttServerConfig:
                  maxConnections: 5
                  eventLoops: 3
                  maxPacketBytes: 3MB
                  tcpListener: [{port: 1}, {port: 2, connectRate: 3}]
                """);
        lookTwice();
        assertThat(applied).isEmpty();
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("needs a restart for mqttServerConfig.eventLoops, mqttServerConfig.maxPacketBytes,"
                        + " mqttServerConfig.tcpListener[0].maxPacketBytes");
        write("""
                mqttServerConfig:
                  maxConnections: 6
                  tcpListener: [{port: 1}, {port: 2, connectRate: 3}]
                """);
        lookTwice();
        assertThat(applied).containsExactly("6 true");
        assertThat(warnings).isEmpty();
    }

    /** Otherwise the second listener would get the limits of the first. */
    @Test
    void limitsOfListenersWaitWhenTheListenersAreOthers() throws IOException {
        write("""
                mqttServerConfig:
                  maxConnections: 5
                  tcpListener: [{port: 2, connectRate: 9}]
                banConfig: {banSeconds: 1h}
                """);
        lookTwice();
        assertThat(applied).containsExactly("5 false");
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("tcpListener[0].connectRate", "tcpListener[0].port", "tcpListener[1].port")
                .doesNotContain("banSeconds");
    }

    @Test
    void aMistakeChangesNothingAndIsTold() throws IOException {
        write("mqttServerConfig: {maxConnections: 6, eventLops: 1}");
        lookTwice();
        assertThat(applied).isEmpty();
        assertThat(warnings).singleElement().asString().contains("has errors", "eventLops: unknown key (line 1)");
        Files.delete(file);
        lookTwice();
        assertThat(warnings).singleElement().asString().contains("no such configuration file");
        write("mqttServerConfig: {maxConnections: 6, tcpListener: [{port: 1}, {port: 2, connectRate: 3}]}");
        lookTwice();
        assertThat(applied).containsExactly("6 true");
        assertThat(warnings).isEmpty();
    }

    @Test
    void aFileThatCouldNotBeReadIsReadAtEachLook() throws IOException {
        write("mqttServerConfig: {maxConnections: 6, tcpListener: [{port: 1}, {port: 2, connectRate: 3}]}");
        fault = "the disk failed";
        lookTwice();
        assertThat(warnings).singleElement().asString().contains("the disk failed");
        warnings = List.of("told once");
        lookTwice();
        assertThat(warnings).containsExactly("told once");
        fault = "";
        reload.look();
        assertThat(applied).containsExactly("6 true");
        assertThat(warnings).isEmpty();
        lookTwice();
        assertThat(applied).hasSize(1);
    }

    @Test
    void whatCouldNotBeTakenOverIsTakenOverAtALaterLook() throws IOException {
        write("mqttServerConfig: {maxConnections: 6, tcpListener: [{port: 1}, {port: 2, connectRate: 3}]}");
        isTargetFailing = true;
        lookTwice();
        assertThat(applied).isEmpty();
        isTargetFailing = false;
        reload.look();
        assertThat(applied).containsExactly("6 true");
        lookTwice();
        assertThat(applied).hasSize(1);
    }
}
