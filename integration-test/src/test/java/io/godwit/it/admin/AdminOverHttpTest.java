package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Needs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/godwit-admin} as it is shipped, over the HTTP API of a packaged broker that asks for tokens. */
@Tag("full")
@Timeout(240)
class AdminOverHttpTest {
    private static final String LONG_ID = "c".repeat(150);

    @TempDir
    private Path directory;

    private final String token = TokenText.make(new SecureRandom());

    private record Ended(int code, String out, String err) {}

    /** In a locale without letters beyond ASCII, as programs in containers have it. */
    private Ended run(boolean hasToken, List<String> command) throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_"));
        builder.environment().put("LANG", "C");
        builder.environment().put("TERM", "xterm");
        if (hasToken) {
            builder.environment().put("GODWIT_TOKEN", token);
        }
        Process process = builder.start();
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        return new Ended(
                process.exitValue(),
                new String(Files.readAllBytes(out), StandardCharsets.UTF_8),
                new String(Files.readAllBytes(err), StandardCharsets.UTF_8));
    }

    private static String program() {
        return BrokerProcess.distribution().resolve("bin/godwit-admin").toString();
    }

    private Ended admin(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(program()));
        command.addAll(List.of(words));
        Ended ended = run(true, command);
        assertThat(ended.code()).as(ended.err()).isZero();
        return ended;
    }

    @Test
    void anOperatorLooksPublishesAndDisconnects() throws Exception {
        Path tokens = directory.resolve("tokens");
        Files.writeString(
                tokens,
                TokenFile.parse("")
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", token))
                        .text());
        int port = Ports.free().getPort();
        String url = "http://127.0.0.1:" + port;
        try (BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .setting("apiServerConfig", "{port: " + port + ", tokensFile: " + tokens + ", checkAnswers: true}")) {
            broker.start();
            String data = broker.data().toString();
            try (TestClient subscriber = TestClient.persistent(broker.address(), 5, "m\u00fcller\u202e");
                    TestClient other = TestClient.clean(broker.address(), 5, LONG_ID)) {
                subscriber.subscribe(1, "rooms/#", Qos.AT_LEAST_ONCE);
                Ended stranger = run(false, List.of(program(), "--data", data, "clients"));
                assertThat(stranger.code()).isEqualTo(3);
                assertThat(stranger.err()).contains("--token-file", "GODWIT_TOKEN");

                assertThat(admin("--data", data, "clients").out())
                        .contains("m\u00fcller\\u202e", LONG_ID)
                        .doesNotContain("\u202e");
                assertThat(admin("--url", url, "health").out()).contains("ready  ok");
                assertThat(admin("--url", url, "who", "rooms/1").out()).contains("m\u00fcller");
                assertThat(admin("--url", url, "publish", "rooms/1", "gr\u00fcn", "--retain")
                                .out())
                        .contains("delivered");
                assertThat(subscriber.receivePayload()).isEqualTo("gr\u00fcn");
                assertThat(admin("--url", url, "retained", "get", "rooms/1").out())
                        .contains("gr\u00fcn");
                JsonObject sessions = JsonParser.parseString(
                                admin("--url", url, "sessions", "--json").out())
                        .getAsJsonObject();
                assertThat(sessions.getAsJsonArray("items")
                                .get(0)
                                .getAsJsonObject()
                                .get("clientId")
                                .getAsString())
                        .isEqualTo("m\u00fcller\u202e");
                tablesFitTheTerminal(url);
                admin("--url", url, "kick", LONG_ID, "--reason", "quota-exceeded");
                assertThat(other.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            }
            Ended refused = run(true, List.of(program(), "--url", url, "log-level", "ROOT", "debug"));
            assertThat(refused.code()).as("an operator may not set log levels").isEqualTo(3);
            broker.stop();
            assertThat(broker.data().resolve("godwit.api")).doesNotExist();
            assertThat(run(true, List.of(program(), "--data", data, "clients")).code())
                    .isEqualTo(3);
        }
    }

    private void tablesFitTheTerminal(String url) throws Exception {
        String terminal = Needs.program("script");
        Needs.need(terminal != null, "script", "bsdutils or util-linux has it");
        Ended shown = run(
                true,
                List.of(
                        String.valueOf(terminal),
                        "-qec",
                        "stty cols 70 rows 30; " + program() + " --url " + url + " clients",
                        "/dev/null"));
        assertThat(shown.code()).as(shown.out()).isZero();
        assertThat(shown.out()).contains("\u001b[1mCLIENT", "ccc..").doesNotContain(LONG_ID);
        assertThat(shown.out().replaceAll("\u001b\\[[0-9]+m", "").lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line.strip()).hasSizeLessThanOrEqualTo(70));
    }
}
