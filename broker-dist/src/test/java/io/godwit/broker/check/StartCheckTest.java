package io.godwit.broker.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.mqtt.certificates.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartCheckTest {
    @TempDir
    private Path directory;

    private List<String> errors(String configuration) throws Exception {
        Path file = Files.writeString(directory.resolve("standalone.yml"), configuration);
        return StartCheck.errors(ConfigLoader.load(file, Map.of()), directory.resolve("plugins"));
    }

    @Test
    void aConfigurationThatWouldStartPassesTheCheck() throws Exception {
        assertThat(errors("")).isEmpty();
        assertThat(errors("authConfig: {provider: allow-all}")).isEmpty();
        Files.writeString(directory.resolve("passwd"), "# nobody\n");
        assertThat(errors("authConfig: {provider: file}")).isEmpty();
    }

    @Test
    void mistakesInEveryFileAreTold() throws Exception {
        Files.writeString(directory.resolve("passwd"), "ann\n");
        Files.writeString(directory.resolve("rules"), "allow everything\n");
        assertThat(errors("""
                        authConfig: {provider: file, aclFile: rules}
                        storeConfig: {inbox: {balancers: [no-such]}}
                        """))
                .hasSize(3)
                .anySatisfy(error -> assertThat(error).contains("storeConfig.inbox.balancers", "no-such"))
                .anySatisfy(error -> assertThat(error).contains("passwd: line 1"))
                .anySatisfy(error -> assertThat(error).contains("rules: line 1"));
    }

    /** Without this error such rules would be ignored silently, and a publish that they deny would be allowed. */
    @Test
    void rulesThatNobodyReadsAreAnError() {
        for (String provider : List.of("", "allow-all", "broken")) {
            assertThatThrownBy(() -> errors("authConfig: {provider: " + provider + ", aclFile: no-such-file}"))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("authConfig.aclFile: has no effect");
        }
    }

    @Test
    void aCertificateWhoseTimeIsOverOrHasNotComeFailsTheCheck() throws Exception {
        TestAuthority.write(directory, "server", new TestAuthority("root").issue("CN=server"));
        String file =
                "mqttServerConfig: {tlsListener: {port: 0, sslConfig: {certFile: server.crt, keyFile: server.key}}}";
        assertThat(errors(file)).isEmpty();
        BrokerConfig config = ConfigLoader.load(directory.resolve("standalone.yml"), Map.of());
        Instant now = Instant.now();
        assertThat(StartCheck.certificateErrors(config, now.plus(Duration.ofDays(40_000))))
                .singleElement()
                .asString()
                .contains("mqttServerConfig.tlsListener.sslConfig.certFile", "server.crt has expired on ");
        assertThat(StartCheck.certificateErrors(config, now.minus(Duration.ofDays(40_000))))
                .singleElement()
                .asString()
                .contains("is not valid before ");
    }

    @Test
    void missingFilesAreNamedAndHowToMakeThem() throws Exception {
        String passwords = directory.resolve("passwd").toString();
        assertThat(errors("authConfig: {provider: file, aclFile: rules}"))
                .containsExactly(
                        passwords + ": there is no such file; \"bin/godwit-passwd --file " + passwords
                                + " add NAME\" makes it",
                        directory.resolve("rules") + ": there is no such file");
    }

    /** The plugin is searched for but not instantiated, as it might open what the running broker uses. */
    @Test
    void aPluginIsFoundAndNotStarted() throws Exception {
        assertThat(errors("authConfig: {provider: broken}")).isEmpty();
        assertThat(errors("authConfig: {provider: ldap}"))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("\"ldap\"", "for-the-test"));
        Files.createDirectory(directory.resolve("plugins"));
        Files.writeString(directory.resolve("plugins/broken.jar"), "not a jar");
        assertThat(errors(""))
                .singleElement()
                .satisfies(error -> assertThat(error).contains("broken.jar cannot be read"));
    }
}
