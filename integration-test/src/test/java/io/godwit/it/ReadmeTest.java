package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The snippets of README.md, pasted in their order as a stranger does, into a copy of the distribution. In a network
 * namespace of its own where that is possible, since they name ports; else port 1883 must be free.
 */
class ReadmeTest {
    private static final String START = "bin/standalone.sh start";
    private static final String RETAINED = "mosquitto_pub -t news/godwit -q 1 -r -m 'landed in Tasmania'";
    private static final String OFFLINE = "mosquitto_sub -i tracker -c -t 'birds/#' -q 1 -E";
    private static final String PASSWORD = "bin/godwit-passwd add ann";
    private static final String AUTHENTICATION = "authConfig:";
    private static final String TLS = "tlsListener:";
    private static final String ADMIN = "bin/godwit-admin members";
    private static final String LOAD = "bin/perf.sh run";

    /** Those that are not pasted here, and why; by what they begin with. */
    private static final Map<String, String> NOT_PASTED = Map.of(
            "mvn verify", "is the build that runs this test",
            ".ci/docker-engine start", "needs a Docker engine; .ci/run and ContainerCheckTest use it");

    private static final Duration LONGEST = Duration.ofMinutes(4);

    @TempDir
    private Path directory;

    /** Lines that are indented by four columns, as Markdown has it, without the indentation. */
    private static List<String> blocks() throws IOException {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        for (String line : Files.readAllLines(Path.of(System.getProperty("godwit.root"), "README.md"))) {
            assertThat(line).as("blocks are indented").doesNotStartWith("```");
            if (line.startsWith("    ")) {
                block.append(line.substring(4)).append('\n');
            } else if (!block.isEmpty()) {
                blocks.add(block.toString());
                block.setLength(0);
            }
        }
        return blocks;
    }

    private static String block(String beginning) throws IOException {
        return blocks().stream()
                .filter(block -> block.strip().startsWith(beginning))
                .findFirst()
                .orElseThrow(() -> new AssertionError("README.md has no block that begins with " + beginning));
    }

    @Test
    void everyBlockIsPastedOrSaysWhyNot() throws IOException {
        List<String> known =
                new ArrayList<>(List.of(START, RETAINED, OFFLINE, PASSWORD, AUTHENTICATION, TLS, ADMIN, LOAD));
        known.addAll(NOT_PASTED.keySet());
        assertThat(blocks())
                .hasSize(known.size())
                .allSatisfy(block -> assertThat(known)
                        .as("a block of README.md: %s", block)
                        .anyMatch(beginning -> block.strip().startsWith(beginning)));
    }

    @Test
    @Tag("full")
    @Tag("alone")
    void whatAStrangerPastesWorks() throws Exception {
        Needs.need(isThere("mosquitto_pub") && isThere("mosquitto_sub"), "mosquitto-clients", "by its package");
        Needs.need(isThere("openssl"), "openssl", "by its package");
        Path home = directory.resolve("godwit");
        run(List.of("cp", "-a", BrokerProcess.distribution() + "/.", home.toString()));
        try {
            paste(home);
        } finally {
            run(List.of(home.resolve("bin/standalone.sh").toString(), "stop"));
        }
    }

    private void paste(Path home) throws Exception {
        Path script = directory.resolve("pasted.sh");
        Files.writeString(script, "cd '" + home + "'\n");
        step(script, "start", block(START));
        step(script, "retained", block(RETAINED));
        step(script, "offline", block(OFFLINE));
        step(script, "admin", block(ADMIN));
        // the first line runs a load, the second lists; the third runs all for twenty minutes (SuiteDurationTest)
        step(script, "load", block(LOAD).lines().limit(2).reduce("", (all, line) -> all + line + '\n'));

        step(script, "password", "printf 'grutto\\ngrutto\\n' | " + block(PASSWORD));
        step(
                script,
                "provider",
                "cp '" + edited(home, "users.yml", AUTHENTICATION, "  provider:") + "' conf/standalone.yml\n");
        step(script, "check", "bin/standalone.sh check");
        step(script, "restart", "bin/standalone.sh restart");
        step(script, "user", "mosquitto_pub -u ann -P grutto -t a -m b");
        step(script, "stranger", "! mosquitto_pub -t a -m b");

        step(script, "certificates", CERTIFICATES);
        step(script, "tls", "cp '" + edited(home, "tls.yml", TLS, null) + "' conf/standalone.yml\n");
        step(script, "restartTls", "bin/standalone.sh check && bin/standalone.sh restart");
        step(
                script,
                "certified",
                "cd conf/certs && mosquitto_pub -h localhost -p 8883 --cafile server.crt --cert ann.crt --key ann.key"
                        + " -t a -m b");
        step(script, "uncertified", "! mosquitto_pub -h localhost -p 8883 --cafile conf/certs/server.crt -t a -m b");
        step(script, "stop", "bin/standalone.sh stop");

        if (runs(List.of("unshare", "-rn", "true"))) {
            run(List.of("unshare", "-rn", "bash", "-c", "ip link set lo up && exec bash " + script));
        } else {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1883)); // fails where it is not free
            }
            run(List.of("bash", script.toString()));
        }
        assertThat(said("start")).contains("listening on tcp 127.0.0.1:1883");
        assertThat(said("retained")).isEqualTo("landed in Tasmania\n");
        assertThat(said("offline")).endsWith("took off\n");
        assertThat(said("admin")).contains("alive", "inbox.tar");
        assertThat(home.resolve("inbox.tar")).isNotEmptyFile();
        assertThat(said("load")).contains("lost 0");
        assertThat(said("tls")).isEmpty();
    }

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

    /** Adds a step in a shell of its own; what it says is kept, and its failure ends all. */
    private void step(Path script, String name, String pasted) throws IOException {
        Path block = Files.writeString(directory.resolve(name + ".sh"), pasted);
        Path output = directory.resolve(name + ".out");
        Files.writeString(
                script,
                "bash '" + block + "' >'" + output + "' 2>&1 </dev/null || { echo 'failed: " + name + "'; cat '"
                        + output + "'; exit 1; }\n",
                StandardOpenOption.APPEND);
    }

    private String said(String step) throws IOException {
        return Files.readString(directory.resolve(step + ".out"));
    }

    /**
     * The shipped configuration, or what was made of it before, as the README has it changed: the block's lines in the
     * place of those with the same keys.
     *
     * @param only the one line that is taken over; null for all
     */
    private Path edited(Path home, String name, String section, String only) throws IOException {
        Path before = directory.resolve("users.yml");
        List<String> lines = new ArrayList<>(
                Files.readAllLines(Files.exists(before) ? before : home.resolve("conf/standalone.yml")));
        List<String> pasted = block(section).lines().toList();
        int at = lines.indexOf(pasted.get(0));
        assertThat(at).as("the line %s of conf/standalone.yml", pasted.get(0)).isNotNegative();
        int last = at;
        for (String line : pasted.subList(1, pasted.size())) {
            String key = line.substring(0, line.indexOf(':') + 1);
            if (only != null && !key.equals(only)) {
                continue;
            }
            int place = at + 1;
            while (isWithin(lines, place, at) && !lines.get(place).startsWith(key)) {
                place++;
            }
            if (isWithin(lines, place, at)) {
                lines.set(place, line);
                last = place;
            } else {
                lines.add(++last, line);
            }
        }
        return Files.write(directory.resolve(name), lines);
    }

    /** Whether the line there belongs to the section that begins at line {@code at}. */
    private static boolean isWithin(List<String> lines, int place, int at) {
        return place < lines.size()
                && (lines.get(place).isBlank() || indentation(lines.get(place)) > indentation(lines.get(at)));
    }

    private static int indentation(String line) {
        return line.length() - line.stripLeading().length();
    }

    private static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    private boolean runs(List<String> command) throws Exception {
        return start(command).waitFor() == 0;
    }

    private void run(List<String> command) throws Exception {
        Process process = start(command);
        assertThat(process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as("%s ends", command)
                .isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("all.out")))
                .isZero();
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("all.out").toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JVM_HEAP_OPTS", "-Xmx512m");
        return builder.start();
    }
}
