package io.godwit.broker.conversion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.conversion.Note.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The conversion of each line, with files as people write them. */
@Timeout(60)
class ForeignFileTest {
    @TempDir
    private Path directory;

    private Path sample(String name) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(name), name)) {
            Files.copy(in, file);
        }
        return file;
    }

    private Converted convert(ForeignFile from, String text) throws Exception {
        return from.convert(Files.writeString(directory.resolve("in"), text), directory);
    }

    private static List<String> told(Converted converted, String key) {
        return converted.notes().stream()
                .filter(note -> note.key().equals(key))
                .map(note -> note.outcome().word() + ": " + note.text())
                .toList();
    }

    // ---- mosquitto

    @Test
    void mosquittosFileIsTakenLineByLine() throws Exception {
        sample("passwords");
        sample("rules");
        for (String file : List.of("server.crt", "server.key", "root.crt")) {
            Files.writeString(directory.resolve(file), "");
        }
        Converted made = ForeignFile.MOSQUITTO.convert(sample("mosquitto.conf"), directory);
        assertThat(made.yaml()).contains("""
                sessionConfig:
                  maxExpirySeconds: 1209600
                """, """
                  sendMaximum: '20'
                """, """
                  maxPacketBytes: '262144'
                """, """
                    - enable: true
                      port: '8883'
                      sslConfig:
                        certFile: server.crt
                        keyFile: server.key
                        trustCertsFile: root.crt
                        clientAuth: require
                        userName: cn
                        protocols: TLSv1.3
                """, """
                    - enable: true
                      port: '9001'
                      host: 0.0.0.0
                """, """
                authConfig:
                  provider: file
                  file: passwd
                  aclFile: acl
                  allowAnonymous: false
                """);
        assertThat(made.besides().get("passwd")).startsWith("ann:$7$101$").doesNotContain("bob");
        assertThat(made.besides().get("acl").lines().skip(1))
                .containsExactly(
                        "deny all all \"#\"",
                        "deny all user \"ann\" \"gates/100%%/secret\"",
                        "allow all user \"ann\" \"gates/100%%/#\"",
                        "allow publish user \"ann\" \"logs\"",
                        "allow subscribe user \"gate keeper\" \"gates/+/state\"",
                        "allow all all \"devices/%c/#\"");
        assertThat(told(made, "password_file").get(0))
                .startsWith("left out: line 2 of ")
                .contains("the user bob");
        assertThat(told(made, "remote_password")).containsExactly("left out: there are no bridges here");
        assertThat(told(made, "persistence_location").get(0))
                .startsWith("left out: ")
                .contains("--data DIR");
        assertThat(told(made, "message_size_limit").get(0))
                .startsWith("changed: mqttServerConfig.maxPacketBytes: 262144");
        assertThat(told(made, "max_connections"))
                .contains("taken: mqttServerConfig.tcpListener[0].maxConnections: 500");
        assertThat(told(made, "psk_hint").get(0)).startsWith("left out: ");
        assertThat(made.notes().toString()).doesNotContain("very-secret", "plain-text", "$7$101$");
        assertThat(made.isWhole()).isFalse();
    }

    /** A user with a denial that cannot be converted is shut out, so that the denied topics stay closed. */
    @Test
    void aDenialThatCannotBeWrittenDeniesAll() throws Exception {
        sample("passwords");
        sample("rules");
        Converted made = ForeignFile.MOSQUITTO.convert(Files.writeString(directory.resolve("m.conf"), """
                        listener 1883
                        password_file passwords
                        acl_file rules
                        """), directory);
        assertThat(made.besides().get("acl")).contains("deny all all \"#\"\n");
        assertThat(told(made, "acl_file")).anyMatch(each -> each.contains("line 14 of "));
    }

    @Test
    void limitsOfAllListenersAreSettingsOfTheTenant() throws Exception {
        Converted made = convert(ForeignFile.MOSQUITTO, """
                retain_available false
                allow_anonymous true
                listener 1883
                max_qos 1
                accept_protocol_versions 5, 4
                listener 1884
                accept_protocol_versions 4,5
                max_qos 1
                listener 0 /run/mosquitto.sock
                """);
        assertThat(made.yaml()).contains("tenantConfig:\n  file: tenants.yml\n");
        assertThat(made.besides().get("tenants.yml")).endsWith("""
                tenants:
                  default:
                    protocols: [3.1.1, 5.0]
                    maxQos: 1
                    retain: false
                """);
        assertThat(told(made, "max_qos"))
                .hasSize(2)
                .containsOnly("taken: maxQos: 1, of the tenant default in tenants.yml");
        assertThat(told(made, "accept_protocol_versions"))
                .hasSize(2)
                .containsOnly("taken: protocols: [3.1.1, 5.0], of the tenant default in tenants.yml");
        assertThat(told(made, "retain_available"))
                .containsExactly("taken: retain: false, of the tenant default in tenants.yml");
    }

    /** A tenant for each listener would keep messages from clients that got them before. */
    @ParameterizedTest
    @CsvSource({"listener 1884,''", "listener 1884\\nmax_qos 0,''", "listener 1884\\nmax_qos 2,retain_available false"})
    void aLimitOfOneListenerIsLeftToDo(String other, String whole) throws Exception {
        Converted made = convert(
                ForeignFile.MOSQUITTO,
                whole + "\nallow_anonymous true\nlistener 1883\nmax_qos 1\n" + other.replace("\\n", "\n") + "\n");
        assertThat(made.besides().containsKey("tenants.yml")).isEqualTo(!whole.isEmpty());
        assertThat(made.besides().toString()).doesNotContain("maxQos");
        assertThat(told(made, "max_qos").get(0))
                .startsWith("to do: ")
                .contains(
                        whole.isEmpty()
                                ? "write \"tenants: {default: {maxQos: 1}}\" into tenants.yml and \"tenantConfig:"
                                        + " {file: tenants.yml}\" into the configuration"
                                : "add \"maxQos: 1\" to default in tenants.yml");
        assertThat(made.isWhole()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "max_qos 2,taken: the default",
        "max_qos 3,'left out: must be 0, 1 or 2'",
        "'accept_protocol_versions 3,4,5',taken: the default",
        "'accept_protocol_versions 4, 6','left out: must be out of 3, 4 and 5'",
    })
    void limitsThatLimitNothingMakeNoTenant(String line, String told) throws Exception {
        Converted made =
                convert(ForeignFile.MOSQUITTO, "allow_anonymous true\nretain_available true\nlistener 1883\n" + line);
        assertThat(told(made, line.replaceFirst(" .*", ""))).containsExactly(told);
        assertThat(told(made, "retain_available")).containsExactly("taken: the default");
        assertThat(made.besides()).isEmpty();
        assertThat(made.yaml()).doesNotContain("tenantConfig");
    }

    @Test
    void everyLineIsToldOf() throws Exception {
        Path file = sample("mosquitto.conf");
        List<String> lines = Files.readAllLines(file);
        Converted made = ForeignFile.MOSQUITTO.convert(file, directory);
        for (int i = 1; i <= lines.size(); i++) {
            int line = i;
            if (!lines.get(i - 1).isBlank() && !lines.get(i - 1).startsWith("#")) {
                assertThat(made.notes()).as("line %d: %s", i, lines.get(i - 1)).anyMatch(note -> note.line() == line);
            }
        }
    }

    @Test
    void aFileWithoutListenersServesThisMachine() throws Exception {
        Converted made = convert(ForeignFile.MOSQUITTO, "max_inflight_messages 0\n");
        assertThat(made.yaml()).contains("port: '1883'", "host: 127.0.0.1", "sendMaximum: '65535'");
        assertThat(made.isWhole()).isTrue();
    }

    @Test
    void everybodyIsLetInOnlyWhereTheFileSaysSo() throws Exception {
        assertThat(convert(ForeignFile.MOSQUITTO, "listener 1883\nallow_anonymous true\n")
                        .yaml())
                .contains("provider: allow-all");
        assertThat(convert(ForeignFile.MOSQUITTO, "max_connections 5\n").yaml()).contains("host: 127.0.0.1");
        assertThat(convert(ForeignFile.MOSQUITTO, "max_connections 5\nlistener 1884\n")
                        .yaml())
                .contains("port: '1884'")
                .doesNotContain("1883", "maxConnections");
        Converted closed = convert(ForeignFile.MOSQUITTO, "listener 1883 0.0.0.0\n");
        assertThat(closed.yaml()).doesNotContain("provider", "0.0.0.0");
        assertThat(closed.isWhole()).isFalse();
        Converted apart = convert(ForeignFile.MOSQUITTO, """
                per_listener_settings true
                listener 1883 0.0.0.0
                allow_anonymous true
                listener 1884 0.0.0.0
                password_file nobody
                """);
        assertThat(apart.yaml()).doesNotContain("provider", "0.0.0.0");
        assertThat(apart.isWhole()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "listener 8883\ncertfile a\n",
                "listener 8883\ncertfile a\nkeyfile b\nrequire_certificate true\n",
                "listener 8883\ncertfile a\nkeyfile b\nrequire_certificate true\ncapath c\n",
                "listener 1883\nmount_point birds\n",
                "listener 1883\nuse_username_as_clientid true\n",
                "listener x\n",
                "listener 99999\n"
            })
    void aListenerThatWouldKeepOutFewerIsSwitchedOff(String conf) throws Exception {
        Converted made = convert(ForeignFile.MOSQUITTO, conf + "allow_anonymous true\n");
        assertThat(made.yaml()).contains("enable: false").doesNotContain("enable: true");
        assertThat(made.isWhole()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"listener 8080\\nprotocol teapot,listener", "listener 1\\npsk_hint a,psk_hint", "listener 0 /m,listener"
    })
    void aListenerThatThereIsNothingLikeIsLeftOut(String conf, String key) throws Exception {
        Converted made = convert(ForeignFile.MOSQUITTO, conf.replace("\\n", "\n") + "\nallow_anonymous true\n");
        assertThat(told(made, key)).anyMatch(each -> each.startsWith("left out: "));
        assertThat(made.yaml()).contains("enable: false").doesNotContain("enable: true");
    }

    @Test
    void aPasswordFileThatIsNotThereLetsNobodyIn() throws Exception {
        Converted made = convert(ForeignFile.MOSQUITTO, "listener 1883\npassword_file nowhere\n");
        assertThat(made.yaml()).contains("provider: file", "file: passwd");
        assertThat(made.besides()).containsEntry("passwd", "");
        assertThat(told(made, "password_file").get(0)).startsWith("to do: ").contains("godwit-passwd add");
    }

    /**
     * By {@code pattern readwrite #} these users would be allowed here what the first rule denies them in Mosquitto.
     */
    @ParameterizedTest
    @CsvSource({"topic deny secret/#,false", "topic read open/#,true"})
    void whoeverIsDeniedSomethingWithoutAUserNameIsKeptOut(String rule, boolean letsIn) throws Exception {
        Files.writeString(directory.resolve("acl"), rule + "\npattern readwrite #\n");
        Files.writeString(directory.resolve("users"), "");
        Converted made = convert(
                ForeignFile.MOSQUITTO, "listener 1883\npassword_file users\nacl_file acl\nallow_anonymous true\n");
        assertThat(made.yaml().contains("allowAnonymous: true")).isEqualTo(letsIn);
        assertThat(told(made, "allow_anonymous").get(0).startsWith("to do: ")).isEqualTo(!letsIn);
    }

    @Test
    void aVariableOfOursIsNoneThere() throws Exception {
        Converted made = convert(ForeignFile.MOSQUITTO, "listener 8883\ncertfile ${HOME}\nkeyfile k\n");
        assertThat(made.yaml()).contains("certFile: $${HOME}");
    }

    // ---- BifroMQ

    @Test
    void bifromqsFileIsTakenLineByLine() throws Exception {
        Converted made = ForeignFile.BIFROMQ.convert(sample("standalone-v3.yml"), directory);
        assertThat(made.yaml()).contains("""
                mqttServerConfig:
                  connectTimeoutSeconds: '20'
                  connectRate: '2000'
                  maxPacketBytes: '262144'
                  maxConnBandwidth: '524288'
                  eventLoops: '4'
                  tcpListener:
                    enable: 'true'
                    host: 0.0.0.0
                    port: '1883'
                """, "clientAuth: require", "port: 1884", "clientAuth: none", "plain: true");
        assertThat(told(made, "resourceThrottlerFQN").get(0)).contains("here it is tenantConfig.resourceThrottler");
        assertThat(told(made, "mqttServerConfig.maxDisconnPerSec").get(0)).contains("--drain SECONDS");
        assertThat(told(made, "newerThanThis")).containsExactly("left out: is not known as a key of BifroMQ");
        assertThat(told(made, "apiServerConfig.host")).anyMatch(each -> each.startsWith("to do: "));
        assertThat(made.yaml()).contains("wsListener:\n    enable: true").contains("port: '8092'");
    }

    /** Without the plugin, clients that it would have refused must not be accepted. */
    @Test
    void withoutTheAuthPluginListenersServeThisMachine() throws Exception {
        Converted made = ForeignFile.BIFROMQ.convert(sample("standalone-v4.yml"), directory);
        assertThat(made.yaml()).doesNotContain("0.0.0.0", "provider").contains("maxConnectBytes: '131072'");
        assertThat(told(made, "authProviderFQN")).anyMatch(each -> each.startsWith("to do: "));
        assertThat(told(made, "clientBalancerFQN").get(0)).contains("redirectConfig.balancer");
    }

    @Test
    void otherPluginsAreToldByTheKeyThatNamesThemHere() throws Exception {
        Converted made = convert(ForeignFile.BIFROMQ, """
                settingProviderFQN: com.example.Settings
                mqttServiceConfig: {server: {userPropsCustomizerFactoryConfig: {Customizer: {site: north}}}}
                """);
        assertThat(told(made, "settingProviderFQN").get(0))
                .startsWith("left out: ")
                .contains("tenantConfig.settingsProvider");
        assertThat(told(made, "mqttServiceConfig.server.userPropsCustomizerFactoryConfig.Customizer.site"))
                .singleElement()
                .asString()
                .contains("pluginConfig.userProperties");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{clientAuth: REQUIRE}", "{clientAuth: requrie, trustCertsFile: c}", "{clientAuth: none}"})
    void aTlsListenerThatIsNotWholeIsSwitchedOff(String ssl) throws Exception {
        String files = ssl.contains("none") ? "" : "certFile: a, keyFile: b, ";
        Converted made = convert(
                ForeignFile.BIFROMQ,
                "mqttServerConfig: {tlsListener: {enable: true, sslConfig: " + ssl.replace("{", "{" + files) + "}}");
        assertThat(made.yaml()).contains("tlsListener:\n    enable: false");
        assertThat(made.isWhole()).isFalse();
    }

    @Test
    void nodesThatSpokeTlsDoNotSpeakInTheClear() throws Exception {
        Converted made = convert(ForeignFile.BIFROMQ, """
                clusterConfig: {host: 10.0.0.1, port: 8899, seedEndpoints: "10.0.0.2:8899"}
                rpcConfig: {enableSSL: true, serverSSLConfig: {certFile: a, keyFile: b}}
                """);
        assertThat(made.yaml()).doesNotContain("plain", "10.0.0.1");
        assertThat(told(made, "clusterConfig")).anyMatch(each -> each.startsWith("to do: the node is alone"));
    }

    // ---- hostile files

    @ParameterizedTest
    @EnumSource(ForeignFile.class)
    void whatIsNoTextIsRefusedInWords(ForeignFile from) throws Exception {
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, 0, 1});
        assertThatThrownBy(() -> from.convert(binary, directory))
                .isInstanceOf(ConversionException.class)
                .hasMessage(binary + ": is not text (UTF-8)");
        assertThatThrownBy(() -> convert(from, "a\0b: c")).hasMessageContaining("zero byte");
        assertThatThrownBy(() -> from.convert(directory, directory)).hasMessageContaining("is a directory");
        assertThatThrownBy(() -> from.convert(directory.resolve("no"), directory))
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> convert(from, "x".repeat(SourceText.MAX_BYTES + 1)))
                .hasMessageContaining("more than");
        assertThatThrownBy(() -> convert(from, "#\n".repeat(SourceText.MAX_LINES + 1)))
                .hasMessageContaining("lines");
    }

    @Test
    void hostileYamlIsRefusedInWords() {
        StringBuilder bomb = new StringBuilder("a0: &a0 {x: 1}\n");
        for (int i = 1; i < 30; i++) {
            bomb.append("a" + i + ": &a" + i + " {x: *a" + (i - 1) + ", y: *a" + (i - 1) + "}\n");
        }
        for (String text : List.of(
                bomb.toString(),
                "a: &a {b: *a}",
                "{a: ".repeat(10_000) + "}".repeat(10_000),
                "[".repeat(10_000),
                "? {a: b}\n: c",
                "- a",
                "!!javax.script.ScriptEngineManager [x]",
                "a: b: c",
                "a: " + List.of("x, ".repeat(20_000)))) {
            assertThatThrownBy(() -> convert(ForeignFile.BIFROMQ, text))
                    .as(text.substring(0, Math.min(60, text.length())))
                    .isInstanceOf(ConversionException.class);
        }
    }

    @Test
    void whatIsNoConfigurationOfMosquittoIsRefused() {
        assertThatThrownBy(() -> convert(ForeignFile.MOSQUITTO, "port 1883\n<html>\n"))
                .isInstanceOf(ConversionException.class)
                .hasMessageContaining("line 2");
    }

    @Test
    void nothingIsTakenOfAnEmptyFile() throws Exception {
        for (ForeignFile from : ForeignFile.values()) {
            assertThat(convert(from, "# nothing\n").notes()).noneMatch(note -> note.outcome() == Outcome.LEFT_OUT);
        }
    }
}
