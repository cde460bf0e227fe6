package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.kv.KvNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails leaves nothing open, and does not touch another broker's files. */
class BrokerStartTest {
    @TempDir
    private Path directory;

    private BrokerConfig config;
    private Path data;

    @BeforeEach
    void makeConfiguration() throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), "bootstrap: true\n");
        config = ConfigLoader.load(file, Map.of());
        data = Files.createDirectories(directory.resolve("data"));
    }

    @Test
    void givesTheDataBackWhenItCannotTellOfItself() throws Exception {
        Path inTheWay = Files.createDirectory(data.resolve("godwit.pid.next"));
        try (Broker broker = broker()) {
            assertThatThrownBy(broker::start).isInstanceOf(IOException.class).hasMessageContaining("godwit.pid");
        }
        Files.delete(inTheWay);

        try (KvNode node = KvNode.open(BrokerSettings.node(config, data))) {
            assertThat(node.health()).isEmpty();
        }
    }

    @Test
    void leavesTheFilesOfTheOneWhoseDataItIs() throws Exception {
        Path pid = data.resolve("godwit.pid");
        try (KvNode node = KvNode.open(BrokerSettings.node(config, data));
                Broker broker = broker()) {
            Files.writeString(pid, "1");
            assertThatThrownBy(broker::start).isInstanceOf(IOException.class).hasMessageContaining("LOCK");
            assertThat(node.health()).isEmpty();
        }
        assertThat(pid).hasContent("1");
    }

    private Broker broker() {
        return new Broker(config, data, directory.resolve("plugins"));
    }
}
