package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.ClusterSettings;
import io.godwit.cluster.config.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The configuration in the compose files is valid for the broker, and does not make it reachable from other machines.
 * The containers' logs are bounded.
 */
class ComposeFilesTest {
    private static final Path FILES = Path.of("..", "release", "compose");

    @TempDir
    private Path directory;

    private static Map<?, ?> services(String file) throws Exception {
        Map<?, ?> compose = new Yaml().load(Files.readString(FILES.resolve(file)));
        return (Map<?, ?>) compose.get("services");
    }

    private BrokerConfig load(Object service) throws Exception {
        Map<String, String> environment = new HashMap<>();
        ((Map<?, ?>) ((Map<?, ?>) service).get("environment"))
                .forEach((name, value) -> environment.put(name.toString(), value.toString()));
        Path shipped = Path.of("..", "conf", "standalone.yml");
        Path file = directory.resolve("standalone.yml");
        if (!Files.exists(file)) {
            Files.copy(shipped, file);
        }
        return ConfigLoader.load(file, Map.of(), environment);
    }

    private static void assertIsForThisMachineOnly(Object service) {
        List<?> ports = (List<?>) ((Map<?, ?>) service).get("ports");
        assertThat(ports).isNotEmpty().allMatch(port -> port.toString().startsWith("127.0.0.1:"));
    }

    /** Docker's default keeps all of it, until the disk is full. */
    private static void assertLogIsBounded(Object service) {
        Map<?, ?> logging = (Map<?, ?>) ((Map<?, ?>) service).get("logging");
        assertThat(logging).isNotNull();
        assertThat(logging.get("driver")).isEqualTo("json-file");
        Map<?, ?> options = (Map<?, ?>) logging.get("options");
        assertThat(options.get("max-size")).asString().matches("[1-9][0-9]?m");
        // Compose refuses an option that is a number.
        assertThat(options.get("max-file"))
                .isInstanceOf(String.class)
                .asString()
                .matches("[1-9]");
    }

    @Test
    void oneBroker() throws Exception {
        Map<?, ?> services = services("compose.yml");
        assertThat(services).hasSize(1);
        for (Object service : services.values()) {
            assertIsForThisMachineOnly(service);
            assertLogIsBounded(service);
            assertThat(ClusterSettings.isClustered(load(service))).isFalse();
        }
    }

    @Test
    void threeBrokersNameEachOther() throws Exception {
        Map<?, ?> services = services("compose.cluster.yml");
        assertThat(services.keySet()).hasToString("[godwit1, godwit2, godwit3]");
        for (Object service : services.values()) {
            assertIsForThisMachineOnly(service);
            assertLogIsBounded(service);
            BrokerConfig config = load(service);
            assertThat(config.bootstrap()).isTrue();
            assertThat(config.cluster().seedEndpoints())
                    .extracting(HostPort::toString)
                    .containsExactly("godwit1:8899", "godwit2:8899", "godwit3:8899");
        }
    }
}
