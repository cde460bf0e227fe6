package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.mqtt.certificates.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OtherReadersTest {
    @TempDir
    private Path directory;

    private Path listenerKey;
    private Path clusterKey;
    private BrokerConfig config;

    @BeforeEach
    void configure() throws Exception {
        TestAuthority authority = new TestAuthority("root");
        TestAuthority.writePem(directory.resolve("root.crt"), authority.certificate());
        TestAuthority.write(directory, "listener", authority.issue("CN=listener"));
        TestAuthority.write(directory, "cluster", authority.issue("CN=cluster"));
        listenerKey = directory.resolve("listener.key");
        clusterKey = directory.resolve("cluster.key");
        Path file = Files.writeString(directory.resolve("test.yml"), """
                mqttServerConfig:
                  tlsListener: {port: 0, sslConfig: {certFile: listener.crt, keyFile: listener.key}}
                  wssListener: {port: 0, sslConfig: {certFile: listener.crt, keyFile: listener.key}}
                clusterConfig:
                  host: 127.0.0.1
                  tls: {certFile: cluster.crt, keyFile: cluster.key, trustCertsFile: root.crt}
                """);
        config = ConfigLoader.load(file, Map.of());
    }

    private static void permit(Path path, String permissions) throws Exception {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void privateKeysThatEverybodyMayReadAreWarnedOf() throws Exception {
        permit(listenerKey, "rw-r--r--");
        permit(clusterKey, "rw-rw-r--");
        assertThat(BrokerSettings.warnings(config))
                .filteredOn(warning -> warning.contains("private key"))
                .satisfiesExactly(
                        first -> assertThat(first).contains(listenerKey.toString(), "chmod"),
                        second -> assertThat(second).contains(clusterKey.toString(), "chmod"));
    }

    @Test
    void passwordsThatEverybodyMayReadAreWarnedOf() throws Exception {
        Path passwords = Files.writeString(directory.resolve("passwd"), "");
        Path file = Files.writeString(directory.resolve("auth.yml"), "authConfig: {provider: file}");
        permit(passwords, "rw-r--r--");
        assertThat(BrokerSettings.warnings(ConfigLoader.load(file, Map.of())))
                .filteredOn(warning -> warning.contains("password hashes"))
                .singleElement()
                .asString()
                .contains(passwords.toString(), "chmod");
        permit(passwords, "rw-------");
        assertThat(BrokerSettings.warnings(ConfigLoader.load(file, Map.of())))
                .noneMatch(warning -> warning.contains("password hashes"));
    }

    @Test
    void aDirectoryWhereOthersMayReplaceTheTokensIsWarnedOf() throws Exception {
        Path sub = Files.createDirectory(directory.resolve("api"));
        Path tokens = Files.writeString(sub.resolve("tokens"), "");
        permit(tokens, "rw-------");
        BrokerConfig withTokens = ConfigLoader.load(
                Files.writeString(directory.resolve("api.yml"), "apiServerConfig: {tokensFile: api/tokens}"), Map.of());
        for (String open : List.of("rwxrwx---", "rwxr-x-wx")) {
            permit(sub, open);
            assertThat(OtherReaders.ofTokens(withTokens))
                    .as(open)
                    .singleElement()
                    .asString()
                    .contains("replace", "chmod go-w " + sub);
        }
        permit(sub, "rwxr-xr-x");
        assertThat(OtherReaders.ofTokens(withTokens)).isEmpty();
        permit(tokens, "rw-r--r--");
        assertThat(OtherReaders.ofTokens(withTokens)).singleElement().asString().contains("hashes of tokens");
    }

    /** A group may be made for the key, as some systems have one. */
    @Test
    void aKeyOfItsOwnerAndGroupIsFine() throws Exception {
        permit(listenerKey, "rw-r-----");
        permit(clusterKey, "r--------");
        assertThat(OtherReaders.ofPrivateKeys(config)).isEmpty();
        Files.delete(clusterKey);
        assertThat(OtherReaders.ofPrivateKeys(config))
                .as("a missing file is reported elsewhere")
                .isEmpty();
    }

    @Test
    void aDataDirectoryThatEverybodyMayEnterIsWarnedOf() throws Exception {
        for (String open : List.of("rwxr-xr-x", "rwx-----x", "rwx---r--")) {
            permit(directory, open);
            assertThat(OtherReaders.ofData(directory))
                    .as(open)
                    .singleElement()
                    .asString()
                    .contains("chmod -R o= ");
        }
        permit(directory, "rwxr-x---");
        assertThat(OtherReaders.ofData(directory)).isEmpty();
    }
}
