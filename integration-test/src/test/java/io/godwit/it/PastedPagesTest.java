package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.ExampleProject;
import io.godwit.testing.DocumentPage;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The commands of pages for strangers, pasted in their order. Each block is pasted, or stands here with the reason. The
 * two longest runs, which wait for the load tool and for a cluster, wait beside the others.
 */
@Timeout(600)
class PastedPagesTest {
    private static final String README = "README.md";
    private static final String GET_STARTED = "docs/get-started.md";
    private static final String SECURE = "docs/secure.md";
    private static final String SECURITY = "docs/security.md";
    private static final String AUTHENTICATION = "docs/authentication.md";
    private static final String BACKUP = "docs/backup.md";
    private static final String MIGRATE = "docs/migrate.md";
    private static final String PLUGINS = "docs/plugins.md";
    private static final String SESSIONS = "docs/sessions.md";
    private static final String TENANTS = "docs/tenants.md";
    private static final String TROUBLESHOOTING = "docs/troubleshooting.md";
    private static final String UPGRADE = "docs/upgrade.md";
    private static final String WATCH = "docs/watch.md";

    /** The page has the same interceptor again, with others. */
    private static final String FIRST_PLUGIN = "pluginConfig:\n  publishInterceptors: [payload-check]\nplugins:";

    /** What the blocks that are pasted begin with. */
    private static final Map<String, List<String>> PASTED = Map.ofEntries(
            Map.entry(
                    README,
                    List.of(
                            "bin/standalone.sh start",
                            "mosquitto_pub -t news/godwit",
                            "mosquitto_sub -i tracker",
                            "bin/perf.sh run")),
            Map.entry(
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
                            "for n in 1 2 3; do bin/standalone.sh stop")),
            Map.entry(
                    SECURE,
                    List.of(
                            "bin/godwit-passwd add ann",
                            "authConfig:",
                            "allow subscribe all weather/#",
                            "tlsListener:",
                            "bin/godwit-admin token add oncall",
                            "bin/standalone.sh check")),
            Map.entry(SECURITY, List.of("bin/godwit-passwd add ann")),
            Map.entry(AUTHENTICATION, List.of("head -c 32 /dev/urandom")),
            Map.entry(
                    BACKUP,
                    List.of(
                            "$ bin/godwit-admin --data n1/data backup all b",
                            "$ bin/godwit-admin --data n1/data backup inbox",
                            "$ bin/godwit-admin restore b-inbox.tar")),
            Map.entry(MIGRATE, List.of("bin/godwit-admin config import", "mosquitto_sub -h OLD")),
            Map.entry(
                    PLUGINS,
                    List.of(
                            "mvn -q -f docs/examples/publish-interceptor",
                            FIRST_PLUGIN,
                            "bin/standalone.sh check",
                            "mosquitto_sub -t 'chat/#'",
                            "bin/godwit-admin plugins")),
            Map.entry(SESSIONS, List.of("bin/godwit-admin ranges inbox")),
            Map.entry(TENANTS, List.of("mqttServerConfig:", "tenantConfig:", "defaults:", "mosquitto_sub -p 1884")),
            Map.entry(TROUBLESHOOTING, List.of("bin/standalone.sh status")),
            Map.entry(UPGRADE, List.of("bin/standalone.sh stop --drain 30", "bin/standalone.sh start --config OLD")),
            Map.entry(WATCH, List.of("bin/godwit-admin token add prometheus", "bin/standalone.sh status")));

    private static final String READ_BY_THE_BROKER = "PageConfigurationTest of broker-dist has the broker read it";

    private static final Map<String, Map<String, String>> NOT_PASTED = Map.of(
            GET_STARTED,
            Map.of("helm install", "needs Kubernetes; helm/check.sh renders the chart"),
            README,
            Map.of("mvn verify", "runs this test"),
            SECURITY,
            Map.of("(allow|deny)", "a grammar", "# everybody reads", READ_BY_THE_BROKER),
            AUTHENTICATION,
            Map.of(
                    "authConfig:\n  providers: [file",
                    READ_BY_THE_BROKER,
                    "authConfig:\n  provider: jwt",
                    READ_BY_THE_BROKER,
                    "authConfig:\n  provider: http",
                    READ_BY_THE_BROKER,
                    "authConfig:\n  providers: [x509",
                    READ_BY_THE_BROKER,
                    "\"acl\": {",
                    "a claim of a token",
                    "{\"check\": \"connect\"",
                    "a request of the broker",
                    "{\"check\": \"publish\"",
                    "requests of the broker"),
            PLUGINS,
            Map.of(
                    "pluginConfig:\n  eventListeners:",
                    READ_BY_THE_BROKER,
                    "pluginConfig:\n  publishInterceptors: [payload-check]\n  deliverInterceptors:",
                    READ_BY_THE_BROKER,
                    "storeConfig:",
                    READ_BY_THE_BROKER),
            SESSIONS,
            Map.of("publisher --> node A", "a drawing"));

    private static final String REQUESTS =
            "PageRequestsTest of broker-dist compares the requests with the API's description; it.api sends such ones";
    private static final String LOADS =
            "takes minutes; PerfPagesTest of perf parses the commands, its EndToEndTest runs such ones";

    /** Pages with shell lines that are not pasted. */
    private static final Map<String, String> PAGES_NOT_PASTED = Map.ofEntries(
            Map.entry("docs/api.md", REQUESTS),
            Map.entry("docs/cli.md", "synopses, written from the programs"),
            Map.entry("docs/cluster.md", "names nodes and ranges of its own; OperatorTest runs these commands"),
            Map.entry("docs/dashboard.md", REQUESTS),
            Map.entry("docs/install.md", "installs a package, and builds an image and a release"),
            Map.entry("docs/kubernetes.md", "needs a cluster of Kubernetes; helm/check.sh renders the chart"),
            Map.entry("docs/perf.md", LOADS),
            Map.entry("docs/performance-method.md", LOADS),
            Map.entry("docs/sizing.md", LOADS),
            Map.entry("docs/tuning.md", "changes the kernel, as root"));

    /** READMEs of plugins: {@code ExamplePluginsTest} builds some as they say. */
    private static final String EXAMPLES = "docs/examples/";

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

    /** For commands that run until they are ended. */
    private static final String FOR_A_SECOND = "--seconds 1";

    private static final String OLD_USERS = "/etc/mosquitto/passwd";

    /** As mosquitto_passwd writes it. */
    private static final String SHA512_OF_SECRET = "$6$hvzpGlkWk+pnY2Pd$radys5Ll1Wi3fRQzXUXIAPKbRQRo/OsJEqgpsOVQ"
            + "/HHnZ+GdYd+vRiOF8W30ejZFYnOR5VWiQtgC4Jhb3seSpw==";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                README,
                GET_STARTED,
                SECURE,
                SECURITY,
                AUTHENTICATION,
                BACKUP,
                MIGRATE,
                PLUGINS,
                SESSIONS,
                TENANTS,
                TROUBLESHOOTING,
                UPGRADE,
                WATCH
            })
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
    void everyPageWithShellLinesIsPastedOrSaysWhyNot() throws IOException {
        Set<String> known = new TreeSet<>(PASTED.keySet());
        known.addAll(PAGES_NOT_PASTED.keySet());
        Set<String> pages = DocumentPage.blocks(DocumentPage.all(), DocumentPage.Kind.SHELL).stream()
                .map(DocumentPage.Block::page)
                .filter(page -> !page.startsWith(EXAMPLES))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(pages).isEqualTo(known);
    }

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
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
    @Execution(ExecutionMode.CONCURRENT)
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

    /** The commands of several pages for one broker. What goes on for long is ended after a second. */
    @Test
    @Tag("full")
    void aBrokerIsLookedAt() throws Exception {
        PastedScript script = script();
        PastedPage watch = PastedPage.read(WATCH);
        script.step("start", "bin/standalone.sh start");
        script.step("client", "mosquitto_sub -i tracker -c -t 'birds/#' -q 1 -E");
        script.step("token", watch.block("bin/godwit-admin token add prometheus"));
        script.step(
                "watch",
                replaced(
                        watch.block("bin/standalone.sh status"),
                        "godwit-admin events",
                        "godwit-admin events " + FOR_A_SECOND));
        script.step("sessions", PastedPage.read(SESSIONS).block("bin/godwit-admin ranges inbox"));
        script.step(
                "trouble",
                replaced(
                        PastedPage.read(TROUBLESHOOTING).block("bin/standalone.sh status"),
                        "--client CLIENT_ID",
                        "--client tracker " + FOR_A_SECOND));
        script.run(1883, List.of("data"));

        assertThat(script.said("token")).isNotBlank();
        assertThat(script.said("watch")).contains("listening on tcp 127.0.0.1:1883", "REPLICAS");
        assertThat(script.said("sessions")).contains("LEADER", "VOTERS");
        assertThat(script.said("trouble")).contains("listening on tcp 127.0.0.1:1883", "a broker could start with");
    }

    @Test
    @Tag("full")
    void aBackupIsRestored() throws Exception {
        PastedScript script = script();
        PastedPage page = PastedPage.read(BACKUP);
        script.step(
                "start",
                "bin/standalone.sh start --data n1/data --log n1/log\n"
                        + "mosquitto_pub -t news/godwit -q 1 -r -m 'landed in Tasmania'");
        script.step("whole", page.prompted("$ bin/godwit-admin --data n1/data backup all"));
        script.step(
                "stores",
                page.prompted("$ bin/godwit-admin --data n1/data backup inbox")
                        + "bin/godwit-admin --data n1/data backup dist b-dist\n"
                        + "bin/godwit-admin --data n1/data backup retain b-retain\n");
        script.step(
                "parts", replaced(page.prompted("$ bin/godwit-admin restore b-inbox.tar"), "--into r1", "--into r2"));
        script.step("stop", "bin/standalone.sh stop --data n1/data");
        for (String restored : List.of("r1", "r2")) {
            script.step(restored, "bin/standalone.sh start --data " + restored + " --log " + restored + "-log");
            script.step("read from " + restored, "mosquitto_sub -t 'news/#' -q 1 -C 1 -W 30");
            script.step("stop " + restored, "bin/standalone.sh stop --data " + restored);
        }
        script.run(1883, List.of("n1/data", "r1", "r2"));

        assertThat(script.said("whole")).contains("restored into r1");
        assertThat(script.said("stores")).contains("are in b-inbox.tar");
        assertThat(script.said("parts")).contains("restored into r2");
        assertThat(script.said("read from r1")).isEqualTo("landed in Tasmania\n");
        assertThat(script.said("read from r2")).isEqualTo("landed in Tasmania\n");
    }

    /** The subscriber of the page waits for ever; this one comes back for its messages. */
    @Test
    @Tag("full")
    void tenantsAreTried() throws Exception {
        PastedScript script = script();
        PastedPage page = PastedPage.read(TENANTS);
        write(script, "conf/standalone.yml", page.block("mqttServerConfig:") + page.block("tenantConfig:"));
        write(script, "conf/tenants.yml", page.block("defaults:"));
        String tried = page.block("mosquitto_sub -p 1884");
        String subscriber = "mosquitto_sub -p 1884 -t '#' -v";
        script.step("check", "bin/standalone.sh check");
        script.step("start", "bin/standalone.sh start");
        script.step(
                "try",
                replaced(replaced(tried, subscriber, subscriber + " -i watcher -c -q 1 -E"), " -m on", " -m on -q 1"));
        script.step("received", subscriber + " -i watcher -c -q 1 -W 3 2>/dev/null || [ $? = 27 ]"); // its time is over
        script.run(1883, List.of("data"));

        assertThat(script.said("check")).contains("a broker could start with");
        assertThat(script.said("received"))
                .as("only the message of its own tenant")
                .isEqualTo("lamp on\n");
    }

    /**
     * The local repository of Maven is one that has plugin-api: the command that puts it there needs a plugin of Maven
     * that no build of the broker uses. The subscriber of the page waits for ever; this one comes back.
     */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void aFirstPluginIsTried() throws Exception {
        PastedScript script = script();
        PastedPage page = PastedPage.read(PLUGINS);
        String maven = "'" + String.join("' '", ExampleProject.maven(directory.resolve("repository"))) + "'";
        String subscriber = "mosquitto_sub -t 'chat/#'";
        script.step("build", replaced(page.block("mvn -q"), "mvn -q", maven + " -q"));
        write(script, "conf/standalone.yml", page.block(FIRST_PLUGIN));
        script.step("start", page.block("bin/standalone.sh check"));
        script.step("try", replaced(page.block(subscriber), subscriber, subscriber + " -i watcher -c -q 1 -E"));
        script.step("received", subscriber + " -i watcher -c -q 1 -W 3 2>/dev/null || [ $? = 27 ]"); // its time is over
        script.step("look", page.block("bin/godwit-admin plugins"));
        script.step(
                "counted",
                "timeout 60 bash -c 'until bin/standalone.sh status | grep \"publishes-intercepted 1\"; do :; done'");
        script.run(1883, List.of("data"));

        assertThat(script.said("start")).contains("a broker could start with", "listening on tcp 127.0.0.1:1883");
        assertThat(script.said("try")).contains("RC:0", "RC:16");
        assertThat(script.said("received")).as("only what is text").isEqualTo("hello\n");
        assertThat(script.said("look")).contains("payload-check");
    }

    @Test
    @Tag("full")
    void aTokenIsMadeByHand() throws Exception {
        Needs.need(Needs.program("openssl") != null, "openssl", "by its package");
        PastedScript script = script();
        String block = PastedPage.read(AUTHENTICATION).block("head -c 32");
        int end = block.indexOf('\n') + 1;
        Matcher plugins =
                Pattern.compile("(?m)^# standalone\\.yml: (plugins: .*)$").matcher(block);
        assertThat(plugins.find()).as(block).isTrue();
        write(script, "conf/standalone.yml", "authConfig: {provider: jwt}\n" + plugins.group(1) + "\n");
        script.step("secret", block.substring(0, end));
        script.step("check", "bin/standalone.sh check");
        script.step("start", "bin/standalone.sh start");
        script.step("token", block.substring(end));
        script.step("stranger", "! mosquitto_pub -u ann -P e30.e30.e30 -t ann/hello -m hi -q 1");
        script.run(1883, List.of("data"));

        assertThat(script.said("token")).isEmpty();
        assertThat(script.said("stranger")).contains("Refused");
    }

    /** Each command reads its own password, as the page says. */
    @Test
    @Tag("full")
    void usersAreKept() throws Exception {
        PastedScript script = new PastedScript(directory);
        write(script, "old-passwd", "bob:" + SHA512_OF_SECRET + "\n");
        String block = replaced(PastedPage.read(SECURITY).block("bin/godwit-passwd add ann"), OLD_USERS, "old-passwd");
        StringBuilder lines = new StringBuilder();
        block.lines()
                .filter(line -> line.startsWith("bin/"))
                .forEach(line ->
                        lines.append("printf 'grutto\\n' | ").append(line).append('\n'));
        script.step("users", lines.toString());
        script.step("left", "bin/godwit-passwd list");
        script.run(1883, List.of());

        assertThat(script.said("left")).contains("gate", "bob").doesNotContain("ann");
    }

    @Test
    @Tag("full")
    void retainedMessagesMoveToAnotherBroker() throws Exception {
        PastedScript script = script();
        write(script, "new.yml", """
                mqttServerConfig: {tcpListener: {host: 127.0.0.2}}
                apiServerConfig: {port: 8092}
                """);
        String block = PastedPage.read(MIGRATE).block("mosquitto_sub -h OLD");
        script.step(
                "start",
                "bin/standalone.sh start\nbin/standalone.sh start --config new.yml --data new/data --log new/log");
        script.step(
                "old",
                "mosquitto_pub -t news/godwit -q 1 -r -m 'landed in Tasmania'\n"
                        + "mosquitto_pub -t birds/tern -q 1 -r -m 'took off'");
        script.step("copy", replaced(replaced(block, "-h OLD", "-h 127.0.0.1"), "-h NEW", "-h 127.0.0.2"));
        script.step("new", "mosquitto_sub -h 127.0.0.2 -t '#' -q 1 -C 2 -W 30 -v | sort");
        script.run(1883, List.of("data", "new/data"));

        assertThat(script.said("new")).isEqualTo("birds/tern took off\nnews/godwit landed in Tasmania\n");
    }

    /** The page has a command for each broker; whoever pastes has one of them. 8 is: something is left to do. */
    @Test
    @Tag("full")
    void configurationsOfOtherBrokersAreConverted() throws Exception {
        PastedScript script = new PastedScript(directory);
        write(script, "mosquitto.conf", "listener 1883 127.0.0.1\nallow_anonymous true\nacl_file rules\n");
        write(script, "rules", "topic readwrite birds/#\n");
        write(script, "standalone.yml", "mqttServerConfig:\n  tcpListener:\n    port: 1883\n");
        List<String> lines = PastedPage.read(MIGRATE)
                .block("bin/godwit-admin config import")
                .lines()
                .toList();
        assertThat(lines).hasSize(3);
        String check = lines.get(2);
        script.step(
                "mosquitto",
                replaced(lines.get(0), "/etc/mosquitto/", "") + " || [ $? = 8 ]\n" + check + "\nrm -r site\n");
        script.step("bifromq", lines.get(1) + " || [ $? = 8 ]\n" + check + "\n");
        script.run(1883, List.of());

        assertThat(script.said("mosquitto")).contains("a broker could start with");
        assertThat(script.said("bifromq")).contains("a broker could start with");
    }

    @Test
    @Tag("full")
    void aReleaseTakesThePlaceOfAnother() throws Exception {
        PastedScript script = script();
        PastedPage page = PastedPage.read(UPGRADE);
        script.step("old", "bin/standalone.sh start\nmosquitto_pub -t news/godwit -q 1 -r -m 'landed in Tasmania'");
        script.step("stop", page.block("bin/standalone.sh stop --drain 30"));
        script.step("unpack", "mkdir OLD && mv data log OLD && cp -a conf OLD");
        script.step("new", page.block("bin/standalone.sh start --config OLD"));
        script.step("kept", "mosquitto_sub -t 'news/#' -q 1 -C 1 -W 30");
        script.run(1883, List.of("data", "OLD/data"));

        assertThat(script.said("kept")).isEqualTo("landed in Tasmania\n");
    }

    private static void write(PastedScript script, String name, String text) throws IOException {
        Files.writeString(script.home().resolve(name), text);
    }

    /** With what is there replaced, so that a change of the page is noticed. */
    private static String replaced(String block, String before, String after) {
        assertThat(block).contains(before);
        return block.replace(before, after);
    }

    private static Set<String> notPasted(String page) {
        return NOT_PASTED.getOrDefault(page, Map.of()).keySet();
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
