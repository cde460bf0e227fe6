package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.auth.AllowAll;
import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.auth.FileAuth;
import io.godwit.broker.auth.chain.AuthChain;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.config.ConfigException;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthProvidersTest {
    @TempDir
    Path directory;

    private AuthProvider open(String yaml) throws IOException, ConfigException {
        Path file = Files.writeString(directory.resolve("test.yml"), yaml);
        return AuthProviders.open(
                ConfigLoader.load(file, Map.of()),
                PluginLoader.none(),
                new AuthFileReports(EventListener.NONE, new SimpleMeterRegistry()));
    }

    @Test
    void everybodyIsLetInWhenNothingOrAllowAllIsConfigured() throws Exception {
        assertThat(open("")).isInstanceOf(AllowAll.class);
        assertThat(open("authConfig: {provider: allow-all}")).isInstanceOf(AllowAll.class);
        assertThat(new AllowAll().checks()).isEmpty();
    }

    @Test
    void fileNamesStartAtTheConfigurationFile() throws Exception {
        assertThatThrownBy(() -> open("authConfig: {provider: file}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory.resolve("passwd").toString());
        Files.writeString(directory.resolve("passwd"), "# nobody\n");
        assertThatThrownBy(() -> open("authConfig: {provider: file, aclFile: rules}"))
                .hasMessageContaining(directory.resolve("rules").toString());
        try (AuthProvider provider = open("authConfig: {provider: file}")) {
            assertThat(provider).isInstanceOf(FileAuth.class);
        }
    }

    /** All rules in the shipped file are comments, so configuring the unchanged file adds no rules. */
    @Test
    void theShippedRulesAreValid() throws Exception {
        Files.writeString(directory.resolve("passwd"), "# nobody\n");
        Path shipped =
                Path.of(System.getProperty("user.dir")).resolveSibling("conf").resolve("acl");
        try (AuthProvider provider = open("authConfig: {provider: file, aclFile: " + shipped + "}")) {
            assertThat(provider.checks()).hasSize(3);
        }
    }

    @Test
    void othersAreFoundByTheirName() throws Exception {
        assertThat(open("authConfig: {provider: for-the-test}")).isInstanceOf(Found.class);
        assertThatThrownBy(() -> open("authConfig: {provider: ldap}"))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("\"ldap\"", "allow-all", "file", "for-the-test");
        assertThatThrownBy(() -> open("authConfig: {provider: broken}"))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("broken", "no ladder");
    }

    @Test
    void severalAreAskedOneAfterTheOther() throws Exception {
        Files.writeString(directory.resolve("passwd"), "# nobody\n");
        try (AuthProvider provider = open("authConfig: {providers: [file]}")) {
            assertThat(provider).isInstanceOf(FileAuth.class);
        }
        try (AuthProvider chain = open("authConfig: {providers: [x509, file]}")) {
            assertThat(chain).isInstanceOf(AuthChain.class);
            assertThat(((AuthChain) chain).providers()).hasSize(2).last().isInstanceOf(FileAuth.class);
            assertThat(AuthProviders.files(chain)).isPresent();
        }
    }

    @Test
    void namesThatCannotStandTogetherAreErrors() {
        for (String auth : List.of(
                "{provider: file, providers: [file]}",
                "{providers: [file, file]}",
                "{providers: [file, allow-all]}",
                "{providers: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q]}",
                "{providers: [jwt, http], aclFile: acl}")) {
            assertThatThrownBy(() -> open("authConfig: " + auth))
                    .as(auth)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("authConfig.");
        }
    }

    /**
     * Before other providers the file decides about its own users only; at the end of the chain it decides about all
     * that are left.
     */
    @Test
    void usersThatTheFileLacksAreLeftToTheNextProvider() throws Exception {
        String user = "ann:$2b$10$JbXkLyHbY8xGIhRhpLVCZeTrmjCNEjjsvcDcH0qJvVqSuQdNVgrvW\n";
        Files.writeString(directory.resolve("passwd"), user);
        try (AuthStage stage = new AuthStage(directory, "authConfig: {providers: [file, x509]}\n")) {
            assertThat(stage.connect("bob", "x")).isEqualTo(ConnectResult.UNDECIDED);
            assertThat(stage.connect(null, "token")).isEqualTo(ConnectResult.UNDECIDED);
            assertThat(stage.refused("ann", "wrong").reason()).isEqualTo(RefusalReason.BAD_CREDENTIALS);
        }
        try (AuthStage stage = new AuthStage(directory, "authConfig: {providers: [x509, file]}\n")) {
            assertThat(stage.refused("bob", "x").reason()).isEqualTo(RefusalReason.BAD_CREDENTIALS);
            assertThat(stage.refused(null, null).reason()).isEqualTo(RefusalReason.NOT_AUTHORIZED);
        }
        try (AuthStage stage =
                new AuthStage(directory, "authConfig: {providers: [file, x509], allowAnonymous: true}\n")) {
            assertThat(stage.accepted(null, null).userName()).isNull();
            assertThat(stage.connect(null, "token"))
                    .as("a password without a user name is left to the next provider")
                    .isEqualTo(ConnectResult.UNDECIDED);
        }
    }

    /** Used instead of AllowAll, which is final. */
    private interface Found extends AuthProvider {}

    /** Named in META-INF/services. */
    public static final class TestFactory implements AuthProviderFactory {
        @Override
        public String name() {
            return "for-the-test";
        }

        @Override
        public AuthProvider create() {
            return (Found) java.lang.reflect.Proxy.newProxyInstance(
                    TestFactory.class.getClassLoader(), new Class<?>[] {Found.class}, (proxy, method, args) -> null);
        }
    }

    /** Named in META-INF/services. */
    public static final class BrokenFactory implements AuthProviderFactory {
        @Override
        public String name() {
            return "broken";
        }

        @Override
        public AuthProvider create() {
            throw new IllegalStateException("no ladder");
        }
    }
}
