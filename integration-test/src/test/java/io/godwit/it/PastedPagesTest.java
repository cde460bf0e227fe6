package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of pages for strangers, pasted in their order. Each block is pasted, or stands here with the reason. */
@Timeout(600)
class PastedPagesTest {
    private static final String README = "README.md";
    private static final String GET_STARTED = "docs/get-started.md";
    private static final String SECURE = "docs/secure.md";

    /** What the blocks that are pasted begin with. */
    private static final Map<String, List<String>> PASTED = Map.of(
            README,
            List.of(
                    "bin/standalone.sh start",
                    "mosquitto_pub -t news/godwit",
                    "mosquitto_sub -i tracker",
                    "bin/perf.sh run"),
            GET_STARTED,
            List.of(
                    "bin/standalone.sh start",
                    "mosquitto_pub -t news/godwit",
                    "mosquitto_sub -i tracker",
                    "bin/standalone.sh status",
                    "bin/standalone.sh stop",
                    "for n in 1 2 3; do\n",
                    "export JVM_HEAP_OPTS",
                    "bin/godwit-admin --data n3/data members",
                    "for store in dist inbox retain",
                    "mosquitto_sub -p 21881 -i tracker",
                    "bin/standalone.sh start --config n1",
                    "for n in 1 2 3; do bin/standalone.sh stop"),
            SECURE,
            List.of(
                    "bin/godwit-passwd add ann",
                    "authConfig:",
                    "allow subscribe all weather/#",
                    "tlsListener:",
                    "bin/godwit-admin token add oncall",
                    "bin/standalone.sh check"));

    private static final Map<String, Map<String, String>> NOT_PASTED = Map.of(
            GET_STARTED,
            Map.of("helm install", "needs Kubernetes; helm/check.sh renders the chart"),
            README,
            Map.of("mvn verify", "runs this test"),
            SECURE,
            Map.of());

    /** A key of its own for the server, and an authority with one client, ann. */
    private static final String CERTIFICATES = """
            umask 077
            mkdir conf/certs && cd conf/certs || exit 1
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \\
              -addext subjectAltName=DNS:localhost -keyout server.key -out server.crt 2>&1 || exit 1
            openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority \\
              -keyout ca.key -out clients-ca.crt 2>&1 || exit 1
            openssl req -newkey rsa:2048 -nodes -subj /CN=ann -keyout ann.key -out ann.csr 2>&1 || exit 1
            openssl x509 -req -in ann.csr -CA clients-ca.crt -CAkey ca.key -CAcreateserial -days 2 -out ann.crt 2>&1
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {README, GET_STARTED, SECURE})
    void everyBlockIsPastedOrSaysWhyNot(String name) throws IOException {
        List<String> known = new ArrayList<>(Objects.requireNonNull(PASTED.get(name)));
        known.addAll(notPasted(name));
        PastedPage page = PastedPage.read(name);

        assertThat(page.blocks())
                .hasSize(known.size())
                .allSatisfy(block -> assertThat(known)
                        .as("a block of %s: %s", name, block)
                        .anyMatch(beginning -> block.strip().startsWith(beginning)));
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void whatTheReadmeSaysWorks() throws Exception {
        PastedScript script = script();
        paste(script, PastedPage.read(README));
        script.run(1883, List.of("data"));

        assertThat(script.said("1")).contains("listening on tcp 127.0.0.1:1883");
        assertThat(script.said("2")).isEqualTo("landed in Tasmania\n");
        assertThat(script.said("3")).endsWith("took off\n");
        assertThat(script.said("4")).contains("lost 0");
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void aStrangerGetsStarted() throws Exception {
        Needs.need(Needs.program("curl") != null, "curl", "by its package");
        PastedScript script = script();
        paste(script, PastedPage.read(GET_STARTED));
        script.run(1883, List.of("data", "n1/data", "n2/data", "n3/data"));

        assertThat(script.said("1"))
                .as("the commands wait until the broker has started")
                .doesNotContain("No such file");
        assertThat(script.said("2")).isEqualTo("landed in Tasmania\n");
        assertThat(script.said("3")).as("a message survives kill -9").endsWith("took off\n");
        assertThat(script.said("4")).contains("ready", "listening on tcp 127.0.0.1:1883");
        assertThat(script.said("8")).contains("alive").endsWith("three nodes\n");
        assertThat(script.said("10"))
                .as("a session survives the loss of its node")
                .endsWith("still here\n");
        assertThat(script.said("11")).contains("LEADER", "voters wanted of each range: 3");
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void aBrokerIsSecured() throws Exception {
        Needs.need(Needs.program("openssl") != null, "openssl", "by its package");
        PastedPage page = PastedPage.read(SECURE);
        PastedScript script = script();
        Path shipped = script.home().resolve("conf/standalone.yml");
        Path users = script.edited(shipped, "users.yml", page.block("authConfig:"), "  provider:");
        Path tls = script.edited(users, "tls.yml", page.block("tlsListener:"), "");

        script.step("password", "printf 'grutto\\ngrutto\\n' | " + page.block("bin/godwit-passwd add"));
        script.step("users", "cp '" + users + "' conf/standalone.yml\n");
        script.step("check", page.block("bin/standalone.sh check"));
        script.step("start", "bin/standalone.sh start");
        script.step("user", "mosquitto_pub -u ann -P grutto -t a -m b");
        script.step("stranger", "! mosquitto_pub -t a -m b");

        script.step("certificates", CERTIFICATES);
        script.step("tls", "cp '" + tls + "' conf/standalone.yml\n");
        script.step("restart", "bin/standalone.sh check && bin/standalone.sh restart");
        script.step(
                "certified",
                "cd conf/certs && mosquitto_pub -h localhost -p 8883 --cafile server.crt --cert ann.crt --key ann.key"
                        + " -t a -m b");
        script.step("uncertified", "! mosquitto_pub -h localhost -p 8883 --cafile conf/certs/server.crt -t a -m b");

        script.step(
                "rules",
                "cat >conf/rules <<'RULES'\n" + page.block("allow subscribe") + "RULES\n"
                        + "sed -i 's/^  aclFile:.*/  aclFile: rules/' conf/standalone.yml\n"
                        + "bin/standalone.sh check && bin/standalone.sh restart\n");
        script.step("allowed", "mosquitto_pub -V mqttv5 -u ann -P grutto -i gull -q 1 -t devices/gull/x -m b");
        script.step("denied", "mosquitto_pub -V mqttv5 -u ann -P grutto -i gull -q 1 -t devices/tern/x -m b || true");
        script.step("token", page.block("bin/godwit-admin token add oncall"));
        script.run(1883, List.of("data"));

        assertThat(script.said("allowed")).isEmpty();
        assertThat(script.said("denied")).contains("Not authorized");
        assertThat(script.said("token")).isNotBlank();
    }

    private static Set<String> notPasted(String page) {
        return Objects.requireNonNull(NOT_PASTED.get(page)).keySet();
    }

    private PastedScript script() throws Exception {
        Needs.need(
                Needs.program("mosquitto_pub") != null && Needs.program("mosquitto_sub") != null,
                "mosquitto-clients",
                "by its package");
        return new PastedScript(directory);
    }

    /** Those that are pasted, as the steps 1, 2 and so on. */
    private static void paste(PastedScript script, PastedPage page) throws IOException {
        Set<String> left = notPasted(page.name());
        int step = 0;
        for (String block : page.blocks()) {
            if (left.stream().noneMatch(beginning -> block.strip().startsWith(beginning))) {
                script.step(Integer.toString(++step), block);
            }
        }
    }
}
