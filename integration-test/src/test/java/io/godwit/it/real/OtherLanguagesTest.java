package io.godwit.it.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Client libraries of JavaScript and Python in processes of their own, and MQTT.js in a browser. They
 * {@link Needs need} to be installed.
 */
class OtherLanguagesTest {
    private static final int PATIENCE_SECONDS = 90;
    private static final String INSTALLER = ".ci/install-test-clients does it";
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final Issued CERTIFICATE = AUTHORITY.issue("CN=server");

    @TempDir
    private static Path directory;

    private static BrokerProcess broker;
    private static Map<String, Integer> ports;

    /** What the scripts have printed; each runs once, for all its ways and versions. */
    private static final Map<Library, Printed> PRINTED = new EnumMap<>(Library.class);

    private record Printed(List<String> lines, @Nullable IOException failure) {}

    private enum Library {
        MQTTJS("node", "mqtt", true),
        AIOMQTT("python3", "aiomqtt", true),
        GMQTT("python3", "gmqtt", false);

        final String program;
        final String module;
        final boolean speaksWebSocket;

        Library(String program, String module, boolean speaksWebSocket) {
            this.program = program;
            this.module = module;
            this.speaksWebSocket = speaksWebSocket;
        }

        List<String> ways() {
            return speaksWebSocket ? List.of("tcp", "tls", "ws", "wss") : List.of("tcp", "tls");
        }
    }

    @BeforeAll
    static void startBroker() throws Exception {
        ports = Map.of(
                "tls", Ports.free().getPort(),
                "ws", Ports.free().getPort(),
                "wss", Ports.free().getPort());
        TestAuthority.write(directory, "server", CERTIFICATE);
        TestAuthority.writePem(directory.resolve("root.crt"), AUTHORITY.certificate());
        String certificate = "sslConfig: {certFile: server.crt, keyFile: server.key}";
        broker = new BrokerProcess(directory)
                .mqttSetting("tlsListener", "{port: " + ports.get("tls") + ", " + certificate + "}")
                .mqttSetting("wsListener", "{port: " + ports.get("ws") + "}")
                .mqttSetting("wssListener", "{port: " + ports.get("wss") + ", " + certificate + "}");
        broker.start();
    }

    @AfterAll
    static void stopBroker() throws Exception {
        broker.close();
    }

    // ---- scripts

    static Stream<Arguments> librariesAndWays() {
        return Stream.of(Library.values())
                .flatMap(library -> library.ways().stream()
                        .flatMap(way -> Stream.of(Arguments.of(library, way, 4), Arguments.of(library, way, 5))));
    }

    @ParameterizedTest
    @MethodSource("librariesAndWays")
    void aLibraryOfAnotherLanguageDoesItAll(Library library, String way, int version) throws Exception {
        Path modules = library == Library.MQTTJS ? Programs.NODE_MODULES : Programs.PYTHON_MODULES;
        Needs.need(Programs.find(library.program) != null, library.program, INSTALLER);
        Needs.need(Files.isDirectory(modules.resolve(library.module)), library.module, INSTALLER);
        Printed printed = PRINTED.get(library);
        if (printed == null) {
            printed = run(library);
            PRINTED.put(library, printed);
        }
        if (printed.failure() != null) {
            throw printed.failure();
        }
        String own = "{\"via\":\"" + way + "\",\"version\":" + version + ',';
        assertThat(printed.lines().stream().filter(line -> line.startsWith(own)))
                .containsExactlyElementsOf(expected(library, own, version));
    }

    private static Printed run(Library library) throws Exception {
        List<String> command = new ArrayList<>(List.of(library.program));
        if (library == Library.MQTTJS) {
            command.add(Programs.script("check.cjs", directory).toString());
        } else {
            command.addAll(List.of(Programs.script("check.py", directory).toString(), library.module));
        }
        command.add(directory.resolve("root.crt").toString());
        for (String way : library.ways()) {
            command.add(way + '=' + (way.equals("tcp") ? broker.address().getPort() : ports.get(way)));
        }
        Map<String, String> environment =
                Map.of("NODE_PATH", Programs.NODE_MODULES.toString(), "PYTHONPATH", Programs.PYTHON_MODULES.toString());
        try {
            Path output = directory.resolve(library.module + ".out");
            return new Printed(Programs.run(command, environment, output, PATIENCE_SECONDS), null);
        } catch (IOException e) {
            return new Printed(List.of(), e);
        }
    }

    private static List<String> expected(Library library, String own, int version) {
        List<String> steps = new ArrayList<>();
        steps.add("qos: ['level 0 q0','level 1 q1','level 2 q2',true]");
        steps.add("retained: [['kept q1 retained'],['live q1']]");
        steps.add("will: ['gone q1','last q1']");
        steps.add("away: [false,true,['0 q1','1 q1','2 q1','3 q1','4 q1','5 q1','6 q1','7 q1','8 q1','9 q1','10 q2',"
                + "'11 q2','12 q2','13 q2','14 q2','15 q2','16 q2','17 q2','18 q2','19 q2','last q2']]");
        // Paho answers PUBLISH of QoS 2 in any case and leaves PUBREL unanswered, which is what comes again then
        String unanswered = library == Library.AIOMQTT ? "'one q1 dup'" : "'one q1 dup','two q2 dup'";
        steps.add("again: [['one q1','two q2'],true,[" + unanswered + ",'three q2'],true,['four q2']]");
        steps.add("shared: {'each':true,'all':true}");
        if (version == 5) {
            steps.add("properties: ['rich q1',{'user':[['a','1'],['a','2']],'content':'text/plain',"
                    + "'response':'answers/here','correlation':'0102','expiry':true,'subscription':[7]}]");
        }
        if (library != Library.AIOMQTT) { // which leaves it to its user to connect again
            steps.add("lost: {'once':true,'all':41}");
        }
        return steps.stream()
                .map(step -> step.split(": ", 2))
                .map(step -> own + "\"step\":\"" + step[0] + "\",\"seen\":" + step[1].replace('\'', '"') + '}')
                .toList();
    }

    // ---- a browser

    @Test
    void aPageInABrowserDoesItAllOverSecureWebSocket() throws Exception {
        String browser = Objects.requireNonNullElse(Programs.find("chromium", "chromium-browser", "google-chrome"), "");
        Path bundle = Programs.NODE_MODULES.resolve("mqtt/dist/mqtt.min.js");
        Needs.need(!browser.isEmpty(), "chromium", INSTALLER);
        Needs.need(Files.exists(bundle), Library.MQTTJS.module, INSTALLER);
        byte[] page = Files.readAllBytes(Programs.script("page.html", directory));
        CompletableFuture<String> result = new CompletableFuture<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve(server, "/page.html", "text/html", page);
        serve(server, "/mqtt.js", "text/javascript", Files.readAllBytes(bundle));
        server.createContext("/result", exchange -> {
            result.complete(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        Path said = directory.resolve("browser.out");
        Process process = new ProcessBuilder(browserCommand(
                        browser,
                        "http://127.0.0.1:" + server.getAddress().getPort() + "/page.html?url=wss://127.0.0.1:"
                                + ports.get("wss") + "/mqtt"))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            process.onExit().thenAccept(ended -> result.complete("the browser ended with " + ended.exitValue()));
            assertThat(result.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as(() -> text(said))
                    .isEqualTo("ok");
        } finally {
            server.stop(0);
            end(process);
        }
    }

    private static List<String> browserCommand(@Nullable String browser, String page) throws Exception {
        byte[] key = CERTIFICATE.certificate().getPublicKey().getEncoded();
        String pin = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
        return List.of(
                String.valueOf(browser),
                "--headless=new",
                "--no-sandbox", // which root cannot have; the page is ours
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--user-data-dir=" + directory.resolve("browser"),
                "--ignore-certificate-errors-spki-list=" + pin,
                page);
    }

    private static void serve(HttpServer server, String path, String type, byte[] content) {
        server.createContext(path, exchange -> {
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(200, content.length);
            try (exchange;
                    var out = exchange.getResponseBody()) {
                out.write(content);
            }
        });
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** With its helper processes, which write to its directory while they live. */
    private static void end(Process process) throws Exception {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle each : all) {
            each.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
