package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.config.ConfigException;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.PluginJars;
import io.godwit.broker.tenants.TenantFile;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.plugin.client.TenantId;
import io.godwit.testing.DocumentPage;
import io.godwit.testing.DocumentPage.Block;
import io.godwit.testing.DocumentPage.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The broker takes what pages say of its files. Each block of YAML counts as a part of the configuration file and goes
 * through the checks of {@code bin/standalone.sh check}, with the sample plugins of {@code docs/examples} installed,
 * unless it is listed here.
 */
class PageConfigurationTest {
    private static final String REFERENCE = "docs/configuration.md";

    /**
     * A block that needs more than its text.
     *
     * @param beginning of the block, without its indentation
     * @param what see the lists
     */
    private record Listed(String page, String beginning, String what) {
        boolean is(Block block) {
            return block.page().equals(page) && block.beginsWith(beginning);
        }
    }

    /** Text of programs that looks like YAML. */
    private static final List<Listed> PRINTED = List.of(
            new Listed("docs/api.md", "event: node", "what the API sends"),
            new Listed("docs/api.md", "event: trace", "what the API sends"),
            new Listed("docs/cluster.md", "godwit: store dist waits", "what standalone.sh prints"),
            new Listed("docs/cluster.md", "godwit: pid 4711", "what standalone.sh prints"));

    /** Other files, each with a test of its own below. */
    private static final Listed TENANTS = new Listed("docs/tenants.md", "defaults:", "a file of tenants");

    private static final List<Listed> VALUES = List.of(
            new Listed("docs/kubernetes.md", "auth:", "values of the chart"),
            new Listed("docs/kubernetes.md", "networkPolicy:", "values of the chart"));

    /** Keys of a section: its path. */
    private static final List<Listed> WITHIN =
            List.of(new Listed("docs/secure.md", "tlsListener:", "mqttServerConfig"));

    /** What the page says elsewhere, or leaves to the reader. */
    private static final List<Listed> BESIDE = List.of(
            new Listed("docs/authentication.md", "authConfig:\n  providers: [file, jwt, http]", """
                    plugins:
                      jwt: {algorithms: [RS256], jwksUrl: "https://id.example.org/jwks"}
                      http: {connectUrl: "https://auth.example.org/mqtt/connect"}
                    """),
            new Listed(REFERENCE, "plugins:\n  jwt:", "authConfig: {providers: [jwt, http, x509]}\n"));

    /** Examples of what the broker refuses without a part that does not exist: the only error. */
    private static final List<Listed> REFUSED =
            List.of(new Listed(REFERENCE, "plugins:\n  ldap:", "plugins.ldap: no plugin of this name is in use"));

    private static final Pattern KEY = Pattern.compile("^\\*\\*`([^`]+)`\\*\\*.*");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z_]+)}");

    @TempDir
    private static Path directory;

    @BeforeAll
    static void makeWhatPagesName() throws Exception {
        TestAuthority authority = new TestAuthority("pages");
        Files.createDirectory(directory.resolve("certs"));
        for (String name : List.of("certs/server.crt", "certs/api.crt", "node1.pem")) {
            TestAuthority.Issued issued = authority.issue("CN=" + name.replaceAll("\\W", "-"));
            TestAuthority.writePem(directory.resolve(name), issued.certificate());
            TestAuthority.writeKey(directory.resolve(name.replaceAll("\\.(crt|pem)$", ".key")), issued);
        }
        for (String name : List.of("certs/clients-ca.crt", "cluster-ca.pem")) {
            TestAuthority.writePem(directory.resolve(name), authority.certificate());
        }
        for (String name : List.of("passwd", "acl", "tokens")) {
            Path file = Files.writeString(directory.resolve(name), "# nobody, nothing\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
        Files.writeString(directory.resolve("tenants.yml"), "tenants: {birds: {maxQos: 1}}\n");
        installExamples();
    }

    /** As one jar, compiled once. */
    private static void installExamples() throws IOException {
        Path classes = directory.resolve("classes");
        Path offered = Files.createDirectories(classes.resolve("META-INF/services"));
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> examples = Files.list(Path.of(System.getProperty("godwit.root"), "docs/examples"))) {
            for (Path example : examples.toList()) {
                sources.addAll(PluginJars.sourcesIn(example.resolve("src/main/java")));
                try (Stream<Path> services = Files.list(example.resolve("src/main/resources/META-INF/services"))) {
                    for (Path service : services.toList()) { // each example has another kind
                        Files.copy(service, offered.resolve(service.getFileName()));
                    }
                }
            }
        }
        PluginJars.compile(classes, sources);
        PluginJars.pack(classes, directory.resolve("plugins/examples.jar"));
    }

    static Stream<Named<Block>> configurations() throws IOException {
        return blocks(
                Kind.YAML,
                block -> !TENANTS.is(block)
                        && find(VALUES, block).isEmpty()
                        && find(PRINTED, block).isEmpty());
    }

    static Stream<Named<Block>> rules() throws IOException {
        return blocks(Kind.RULES, block -> true);
    }

    private static Stream<Named<Block>> blocks(Kind kind, Predicate<Block> wanted) throws IOException {
        return DocumentPage.blocks(DocumentPage.all(), kind).stream()
                .filter(wanted)
                .map(block -> Named.of(block.place(), block));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void theBrokerTakesTheConfigurationOf(Block block) throws Exception {
        String text = inFile(block);
        Optional<Listed> refused = find(REFUSED, block);
        if (refused.isPresent()) {
            assertThat(errors(text))
                    .as(text)
                    .singleElement()
                    .asString()
                    .contains(refused.get().what());
        } else {
            assertThat(errors(text)).as(text).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theBrokerTakesTheRulesOf(Block block) throws Exception {
        Files.writeString(directory.resolve("rules"), block.stripped());

        assertThat(errors("authConfig: {provider: file, aclFile: rules}")).isEmpty();
    }

    @Test
    void theFileOfTenantsIsRead() throws Exception {
        Block block = DocumentPage.blocks(DocumentPage.all(), Kind.YAML).stream()
                .filter(TENANTS::is)
                .findFirst()
                .orElseThrow();
        Path file = Files.writeString(directory.resolve("tenants-of-page.yml"), block.stripped());

        assertThat(TenantFile.read(file)).containsKeys(new TenantId("birds"), new TenantId("fish"));
    }

    @Test
    void whatTheBrokerDoesNotTakeIsFound() throws Exception {
        for (String wrong : List.of(
                "mqttServerConfig: {maxPaketBytes: 1}",
                "mqttServerConfig: {maxPacketBytes: much}",
                "pluginConfig: {deliverInterceptors: [unit-converter]}",
                "pluginConfig: {publishInterceptors: [payload-check]}",
                "authConfig: {provider: jwt}\nplugins: {jwt: {algorithm: [RS256], jwksFile: keys}}",
                "unknownConfig: {}")) {
            assertThat(errors(wrong)).as(wrong).isNotEmpty();
        }
        Files.writeString(directory.resolve("rules"), "allow reading all a/#\n");
        assertThat(errors("authConfig: {provider: file, aclFile: rules}")).isNotEmpty();
    }

    @Test
    void eachListedBlockIsThere() throws IOException {
        List<Block> blocks = DocumentPage.blocks(DocumentPage.all(), Kind.YAML);
        Stream.of(PRINTED, WITHIN, BESIDE, REFUSED, VALUES, List.of(TENANTS))
                .flatMap(List::stream)
                .forEach(listed -> assertThat(blocks)
                        .as(listed.toString())
                        .filteredOn(listed::is)
                        .hasSize(1));
    }

    /** {@code helm/check.sh} renders the chart; this finds values that the chart does not have. */
    @Test
    void theChartHasTheValuesOfThePages() throws IOException {
        List<String> unknown = new ArrayList<>();
        int found = 0;
        Object shipped = yaml(Files.readString(Path.of(System.getProperty("godwit.root"), "helm/godwit/values.yaml")));
        for (DocumentPage page : DocumentPage.all()) {
            for (Block block : page.blocks()) {
                Matcher given = Pattern.compile("(?ms)<<'YAML'$(.*?)^YAML$").matcher(block.stripped());
                boolean isAll = find(VALUES, block).isPresent();
                Object values = isAll ? yaml(block.stripped()) : given.find() ? yaml(given.group(1)) : null;
                if (values != null) {
                    found++;
                    addUnknown(unknown, block.place(), values, shipped);
                }
            }
            Matcher set = Pattern.compile("--set(?:-string)? ([a-z][a-zA-Z.]*=[^\\s`]*)")
                    .matcher(page.text());
            while (set.find()) {
                for (String value : set.group(1).split(",", -1)) {
                    found++;
                    int equals = value.indexOf('=');
                    addUnknown(unknown, page.name(), values(value.substring(0, equals), value), shipped);
                }
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(found).isGreaterThan(8);
    }

    private static Object values(String path, String leaf) {
        Object values = leaf;
        List<String> parts = List.of(path.split("\\.", -1));
        for (int at = parts.size() - 1; at >= 0; at--) {
            values = Map.of(parts.get(at), values);
        }
        return values;
    }

    /** Where the chart has an empty object or a list, any is taken. */
    private static void addUnknown(List<String> unknown, String path, Object given, Object shipped) {
        if (!(shipped instanceof Map<?, ?> known) || known.isEmpty()) {
            if (given instanceof Map && !(shipped instanceof Map)) {
                unknown.add(path + " is no object");
            }
            return;
        }
        if (!(given instanceof Map<?, ?> values)) {
            unknown.add(path + " is an object");
            return;
        }
        values.forEach((key, value) -> {
            Object own = known.get(key);
            if (own == null) {
                unknown.add(path + " " + key);
            } else {
                addUnknown(unknown, path + " " + key, value, own);
            }
        });
    }

    private static Object yaml(String text) {
        return new Yaml().load(text);
    }

    private static Optional<Listed> find(List<Listed> list, Block block) {
        return list.stream().filter(listed -> listed.is(block)).findFirst();
    }

    /** The block as a configuration file. */
    private static String inFile(Block block) throws IOException {
        if (block.page().equals(REFERENCE) && block.beginsWith("- ")) {
            return below(keyBefore(block), block.stripped());
        }
        Optional<Listed> within = find(WITHIN, block);
        if (within.isPresent()) {
            return below(within.get().what(), block.stripped());
        }
        return block.stripped() + find(BESIDE, block).map(Listed::what).orElse("");
    }

    /** The key that the reference describes there. */
    private static String keyBefore(Block block) throws IOException {
        return DocumentPage.read(block.page())
                .text()
                .lines()
                .limit(block.line())
                .map(KEY::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .reduce((earlier, later) -> later)
                .orElseThrow();
    }

    private static String below(String path, String text) {
        StringBuilder file = new StringBuilder();
        int depth = 0;
        for (String key : path.split("\\.", -1)) {
            file.append("  ".repeat(depth++)).append(key).append(":\n");
        }
        return file.append(text.indent(2 * depth)).toString();
    }

    private static List<String> errors(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("standalone.yml"), text);
        Map<String, String> environment = new HashMap<>();
        Matcher variable = VARIABLE.matcher(text);
        while (variable.find()) {
            environment.put(variable.group(1), "made-up");
        }
        try {
            BrokerConfig config = ConfigLoader.load(file, Map.of(), environment);
            return StartCheck.errors(config, directory.resolve("plugins"));
        } catch (ConfigException e) {
            return e.errors();
        }
    }
}
