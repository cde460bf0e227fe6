package io.godwit.broker.effective;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The provider "x509", alone and before a file of rules. */
class X509ProviderTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("test");

    @TempDir
    Path directory;

    private AuthStage open(String settings) throws Exception {
        return new AuthStage(directory, """
                authConfig: {provider: x509}
                plugins: {x509: {%s}}
                """.formatted(settings));
    }

    private static X509Certificate certificate(String subject) {
        return AUTHORITY.issue(subject).certificate();
    }

    private static ConnectResult connect(AuthStage stage, X509Certificate certificate) throws Exception {
        return stage.auth
                .connect(new ConnectRequest(AuthStage.client("said"), false, null, List.of(), certificate))
                .get(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "common-name | CN=gate,O=acme | gate",
                "subject     | CN=gate,O=acme | O=acme,CN=gate",
                "dns         | CN=gate        | localhost"
            })
    void theUserNameStandsInTheCertificate(String from, String subject, String user) throws Exception {
        try (AuthStage stage = open("user: " + from)) {
            assertThat(connect(stage, certificate(subject)))
                    .isInstanceOfSatisfying(ConnectResult.Accepted.class, accepted -> {
                        assertThat(accepted.userName()).isEqualTo(user);
                        assertThat(accepted.tenant())
                                .isEqualTo(AuthStage.client("said").tenant());
                        assertThat(accepted.namesTenant()).isFalse();
                    });
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user: common-name                        | O=acme",
                "user: common-name                        | CN=gate,CN=root",
                "user: email                              | CN=gate",
                "user: uri                                | CN=gate",
                "tenant: organization                     | CN=gate",
                "tenant: organization                     | CN=gate,O=acme,O=other",
                "tenant: organization                     | CN=gate,O=no tenant",
                "tenant: organizational-unit              | CN=gate,O=acme"
            })
    void aCertificateWithoutAClearNameIsRefused(String settings, String subject) throws Exception {
        try (AuthStage stage = open(settings)) {
            assertThat(connect(stage, certificate(subject)))
                    .isInstanceOfSatisfying(
                            ConnectResult.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(RefusalReason.BAD_CREDENTIALS));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "organization        | CN=gate,O=acme            | acme",
                "organizational-unit | CN=gate,OU=plant-1,O=acme | plant-1"
            })
    void theTenantMayStandInTheCertificate(String from, String subject, String tenant) throws Exception {
        try (AuthStage stage = open("tenant: " + from)) {
            assertThat(connect(stage, certificate(subject)))
                    .isInstanceOfSatisfying(ConnectResult.Accepted.class, accepted -> {
                        assertThat(accepted.tenant().value()).isEqualTo(tenant);
                        assertThat(accepted.namesTenant()).isTrue();
                    });
        }
    }

    @Test
    void aClientWithoutACertificateIsLeftToOthers() throws Exception {
        try (AuthStage stage = open("")) {
            assertThat(stage.connect("ann", "x")).isEqualTo(ConnectResult.UNDECIDED);
        }
    }

    /** The certificate says who the client is, and only the file says what it may do. */
    @Test
    void theRulesAreThoseOfTheNextProvider() throws Exception {
        Files.writeString(directory.resolve("passwd"), "# nobody\n");
        Files.writeString(directory.resolve("acl"), "allow all user gate gates/#\n");
        try (AuthStage stage = new AuthStage(
                directory, "authConfig: {providers: [x509, file], aclFile: acl}\nplugins: {x509: {}}\n")) {
            ConnectResult.Accepted gate = (ConnectResult.Accepted) connect(stage, certificate("CN=gate"));
            assertThat(stage.publish(gate, "gates/1")).isEqualTo(AuthDecision.ALLOWED);
            assertThat(stage.publish(gate, "other")).isInstanceOf(AuthDecision.Denied.class);
            assertThat(stage.connect("gate", "x")).isInstanceOf(ConnectResult.Refused.class);
        }
        try (AuthStage stage = new AuthStage(directory, "authConfig: {providers: [x509, file]}\n")) {
            ConnectResult.Accepted gate = (ConnectResult.Accepted) connect(stage, certificate("CN=gate"));
            assertThat(stage.publish(gate, "gates/1"))
                    .as("a file provider without rules does not decide about clients of others")
                    .isEqualTo(AuthDecision.UNDECIDED);
        }
    }

    @Test
    void itsClientsMayBeAllowedEverything() throws Exception {
        try (AuthStage stage = open("withoutAcl: allow")) {
            assertThat(stage.auth.checks()).hasSize(1);
        }
    }
}
