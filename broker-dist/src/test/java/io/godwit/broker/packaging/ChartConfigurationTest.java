package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.mqtt.certificates.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The configuration that the Helm chart renders is valid for the broker. {@code helm/check.sh} compares the golden
 * files with what helm renders.
 */
class ChartConfigurationTest {
    private static final Path HELM = Path.of("..", "helm");

    @TempDir
    private Path directory;

    /** What the pod has mounted below /etc, where its files are asked for at once. */
    @BeforeEach
    void mountCertificates() throws Exception {
        TestAuthority authority = new TestAuthority("chart");
        for (String volume : List.of("godwit-tls", "godwit-nodes")) {
            Path mount = Files.createDirectory(directory.resolve(volume));
            TestAuthority.Issued issued = authority.issue("CN=" + volume);
            TestAuthority.writePem(mount.resolve("ca.crt"), authority.certificate());
            TestAuthority.writePem(mount.resolve("tls.crt"), issued.certificate());
            TestAuthority.writeKey(mount.resolve("tls.key"), issued);
        }
    }

    private static List<Map<?, ?>> documents(String name) throws Exception {
        List<Map<?, ?>> documents = new ArrayList<>();
        for (Object document : new Yaml().loadAll(Files.readString(HELM.resolve(Path.of("golden", name + ".yaml"))))) {
            if (document instanceof Map<?, ?> object) {
                documents.add(object);
            }
        }
        return documents;
    }

    private static Object at(Object from, Object... path) {
        Object at = from;
        for (Object key : path) {
            at = key instanceof Integer index ? ((List<?>) at).get(index) : ((Map<?, ?>) at).get(key);
            assertThat(at).as("%s of %s", key, List.of(path)).isNotNull();
        }
        return at;
    }

    private static Map<?, ?> of(List<Map<?, ?>> documents, String kind) {
        return documents.stream()
                .filter(document -> kind.equals(document.get("kind")))
                .findFirst()
                .orElseThrow();
    }

    /** Loads it with the variables and properties of the pod; values from other sources are made up. */
    private BrokerConfig load(String name) throws Exception {
        List<Map<?, ?>> documents = documents(name);
        String content = (String) at(of(documents, "ConfigMap"), "data", "standalone.yml");
        Path file = Files.writeString(
                directory.resolve("standalone.yml"), content.replace("/etc/godwit-", directory + "/godwit-"));
        Map<String, String> environment = new HashMap<>(Map.of(
                "GODWIT_BOOTSTRAP", "false",
                "GODWIT_CLUSTER_CONFIG_FOUND_ALONE", "false",
                "GODWIT_CLUSTER_CONFIG_HOST", "10.0.0.7",
                "GODWIT_CLUSTER_CONFIG_SEED_ENDPOINTS", "10.0.0.7:8899",
                "GODWIT_CLUSTER_CONFIG_ZONE", "eu-1a"));
        Map<String, String> properties = new HashMap<>();
        Object variables = at(of(documents, "StatefulSet"), "spec", "template", "spec", "containers", 0, "env");
        for (Object variable : (List<?>) variables) {
            String called = (String) at(variable, "name");
            Object value = ((Map<?, ?>) variable).get("value");
            environment.put(called, value == null ? "made-up" : value.toString());
            if (called.equals("JVM_OPTS")) {
                for (String option : String.valueOf(value).split(" ", -1)) {
                    if (option.startsWith("-D")) {
                        properties.put(option.substring(2).split("=", 2)[0], option.split("=", 2)[1]);
                    }
                }
            }
        }
        return ConfigLoader.load(file, properties, environment);
    }

    @ParameterizedTest
    @ValueSource(strings = {"trial", "production", "plugins", "jars"})
    void theBrokerTakesWhatTheChartRenders(String name) throws Exception {
        BrokerConfig config = load(name);
        assertThat(config.bootstrap()).isFalse();
        assertThat(config.cluster().clusterDomainName()).endsWith(".mqtt.svc.cluster.local");
        assertThat(config.cluster().tls().plain()).isEqualTo(name.equals("trial"));
    }

    @Test
    void propertiesOfTheValuesReachTheBroker() throws Exception {
        assertThat(load("plugins").properties().inboxVoters()).isEqualTo(5);
        assertThat(load("production").mqtt().connections().maxConnections()).isEqualTo(100_000);
    }

    /** A directory would follow the ConfigMap while the pod still has the environment of the previous release. */
    @ParameterizedTest
    @ValueSource(strings = {"trial", "production", "plugins", "jars"})
    void aRunningPodKeepsTheScriptsThatItWasStartedWith(String name) throws Exception {
        List<Map<?, ?>> documents = documents(name);
        Map<?, ?> set = of(documents, "StatefulSet");
        List<String> mounted = new ArrayList<>();
        for (Object mount : (List<?>) at(set, "spec", "template", "spec", "containers", 0, "volumeMounts")) {
            if (at(mount, "name").equals("pods")) {
                String file = (String) at(mount, "subPath");
                assertThat(at(mount, "mountPath")).isEqualTo("/opt/godwit-pods/" + file);
                mounted.add(file);
            }
        }
        assertThat(mounted).containsExactlyInAnyOrder("lib.sh", "start.sh", "started.sh", "stop.sh", "seeds");
        // Other scripts replace the pods.
        assertThat(at(set, "spec", "template", "metadata", "annotations", "checksum/scripts"))
                .isNotNull();
    }

    /** RBAC cannot limit a creation to a name; each other right must be limited to one. */
    @ParameterizedTest
    @ValueSource(strings = {"trial", "production", "plugins", "jars"})
    void rightsAreLimitedToNamesWhereKubernetesCanDoThat(String name) throws Exception {
        List<String> unlimited = new ArrayList<>();
        int roles = 0;
        for (Map<?, ?> document : documents(name)) {
            if ("Role".equals(document.get("kind"))) {
                roles++;
                for (Object rule : (List<?>) at(document, "rules")) {
                    if (((Map<?, ?>) rule).get("resourceNames") == null) {
                        unlimited.add(at(rule, "verbs") + " " + at(rule, "resources"));
                    }
                }
            }
        }
        assertThat(roles).isEqualTo(2);
        assertThat(unlimited).containsExactly("[create] [secrets]");
    }

    @Test
    void versionsFollowTheRelease() throws Exception {
        String pom = Files.readString(Path.of("..", "pom.xml"));
        String version = pom.replaceFirst("(?s).*?<version>([^<]*)</version>.*", "$1");
        Map<?, ?> chart = new Yaml().load(Files.readString(HELM.resolve(Path.of("godwit", "Chart.yaml"))));
        assertThat(at(chart, "appVersion")).isEqualTo(version);
        assertThat(Files.readString(Path.of("..", "release", "pom.xml")))
                .contains("<release.deb.version>" + version.replace('-', '~') + "</release.deb.version>");
    }

    /** Each case must be one that the tests above read. */
    @Test
    void everyCaseHasAGoldenFile() throws Exception {
        try (var cases = Files.list(HELM.resolve("cases"));
                var golden = Files.list(HELM.resolve("golden"))) {
            List<String> names = cases.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".yaml"))
                    .sorted()
                    .toList();
            assertThat(names).containsExactly("jars.yaml", "plugins.yaml", "production.yaml", "trial.yaml");
            assertThat(golden.map(file -> file.getFileName().toString()).sorted())
                    .containsExactlyElementsOf(names);
        }
    }
}
