package io.godwit.mqtt.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.plugin.client.TenantId;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TenantNamingTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final Set<String> LISTED = Set.of("birds", "fish");
    private static final List<TenantSource> ALL =
            List.of(TenantSource.CERTIFICATE, TenantSource.USER_NAME, TenantSource.SNI, TenantSource.LISTENER);

    /** Of a connection. */
    private record Clues(
            String tenant,
            @Nullable String serverName,
            @Nullable X509Certificate certificate) implements TenantClues {
        private static final Clues NONE = new Clues("", null, null);

        Clues listener(String name) {
            return new Clues(name, serverName, certificate);
        }

        Clues host(String name) {
            return new Clues(tenant, name, certificate);
        }

        Clues subject(String name) {
            return new Clues(tenant, serverName, AUTHORITY.issue(name).certificate());
        }
    }

    private static TenantConfig config(boolean mustAgree, UnknownTenant unknown, List<TenantSource> sources) {
        return new TenantConfig(
                sources, mustAgree, false, unknown, "/", "mqtt.example.org", CertificatePart.SUBJECT_O, null);
    }

    private static TenantNaming naming(TenantConfig config) {
        return new TenantNaming(config, tenant -> LISTED.contains(tenant.value()));
    }

    private static String found(TenantConfig config, TenantClues clues, @Nullable String user) {
        TenantNaming.Answer answer = naming(config).of(clues, user);
        return answer.refusal() == null ? answer.tenant().value() : answer.refusal();
    }

    private static String found(TenantClues clues, @Nullable String user) {
        return found(config(true, UnknownTenant.REFUSE, ALL), clues, user);
    }

    @Test
    void everySourceNamesATenant() {
        assertThat(found(Clues.NONE.listener("birds"), null)).isEqualTo("birds");
        assertThat(found(Clues.NONE.host("Birds.MQTT.example.org"), null)).isEqualTo("birds");
        assertThat(found(Clues.NONE.subject("CN=lamp,O=birds"), null)).isEqualTo("birds");
        assertThat(found(Clues.NONE, "birds/lamp/1")).isEqualTo("birds");
        assertThat(found(Clues.NONE, "lamp")).isEqualTo("default");
    }

    @Test
    void withoutSourcesAllAreOfOneTenant() {
        assertThat(found(TenantConfig.NONE, Clues.NONE.listener("birds"), "fish/lamp"))
                .isEqualTo("default");
    }

    @Test
    void onlyHostsOfTheDomainNameATenant() {
        assertThat(found(Clues.NONE.host("birds.example.org"), null)).isEqualTo("default");
        assertThat(found(Clues.NONE.host(".mqtt.example.org"), null)).isEqualTo("default");
        assertThat(found(Clues.NONE.host("mqtt.example.org"), null)).isEqualTo("default");
        assertThat(found(Clues.NONE.host("birdsmqtt.example.org"), null)).isEqualTo("default");
    }

    @Test
    void whoNamesTwoTenantsIsRefusedUnlessTheFirstMayCount() {
        Clues clues = Clues.NONE.subject("O=birds");
        assertThat(found(clues, "fish/lamp")).isEqualTo("the sources name different tenants");
        assertThat(found(config(false, UnknownTenant.REFUSE, ALL), clues, "fish/lamp"))
                .isEqualTo("birds");
        List<TenantSource> userFirst = List.of(TenantSource.USER_NAME, TenantSource.CERTIFICATE);
        assertThat(found(config(false, UnknownTenant.REFUSE, userFirst), clues, "fish/lamp"))
                .isEqualTo("fish");
        assertThat(found(clues, "birds/lamp")).isEqualTo("birds");
    }

    @Test
    void anUnknownTenantIsTreatedAsSet() {
        String user = "strangers/lamp";
        assertThat(found(Clues.NONE, user)).isEqualTo("its tenant is not known");
        assertThat(found(config(true, UnknownTenant.DEFAULT, ALL), Clues.NONE, user))
                .isEqualTo("default");
        assertThat(found(config(true, UnknownTenant.ACCEPT, ALL), Clues.NONE, user))
                .isEqualTo("strangers");
        assertThat(found(Clues.NONE.listener("strangers"), null))
                .as("a tenant that a listener names is accepted")
                .isEqualTo("strangers");
    }

    @Test
    void whatCannotBeATenantIsUnknownAlsoWhereAllAreAccepted() {
        TenantConfig open = config(true, UnknownTenant.ACCEPT, ALL);
        for (String user : List.of("/lamp", "bi rds/lamp", "$/x", "é/x", "x".repeat(65) + "/lamp", "\0/x")) {
            assertThat(found(open, Clues.NONE, user)).as(user).isEqualTo("its tenant is not known");
        }
        assertThat(found(open, Clues.NONE, "x".repeat(64) + "/lamp")).hasSize(64);
    }

    @Test
    void whoNamesNoneIsRefusedWhereThatIsSet() {
        TenantConfig strict =
                new TenantConfig(ALL, true, true, UnknownTenant.REFUSE, "/", "", CertificatePart.SUBJECT_O, null);
        assertThat(found(strict, Clues.NONE, "lamp")).isEqualTo("no source names its tenant");
        assertThat(found(strict, Clues.NONE, "birds/lamp")).isEqualTo("birds");
    }

    @Test
    void aCertificateThatNamesSeveralIsRefused() {
        assertThat(found(Clues.NONE.subject("O=birds,O=fish,CN=lamp"), null))
                .isEqualTo("its certificate names several tenants");
        assertThat(found(Clues.NONE.subject("CN=lamp"), null)).isEqualTo("default");
        assertThat(found(Clues.NONE.subject("O=birds,O=birds"), null)).isEqualTo("birds");
    }

    @Test
    void aPatternTakesTheTenantOutOfThePart() {
        TenantConfig config = new TenantConfig(
                List.of(TenantSource.CERTIFICATE),
                true,
                false,
                UnknownTenant.REFUSE,
                "/",
                "",
                CertificatePart.SUBJECT_CN,
                Pattern.compile("[a-z]+\\.([a-z]+)"));
        assertThat(found(config, Clues.NONE.subject("CN=lamp.birds"), null)).isEqualTo("birds");
        assertThat(found(config, Clues.NONE.subject("CN=lamp.birds.fish"), null))
                .isEqualTo("default");
        TenantConfig names = new TenantConfig(
                List.of(TenantSource.CERTIFICATE),
                true,
                false,
                UnknownTenant.ACCEPT,
                "/",
                "",
                CertificatePart.SAN_DNS,
                null);
        assertThat(found(names, Clues.NONE.subject("CN=x"), null)).isEqualTo("localhost");
    }

    @Test
    void theDefaultTenantIsAlwaysKnown() {
        assertThat(naming(config(true, UnknownTenant.REFUSE, ALL))
                        .of(Clues.NONE, "default/lamp")
                        .tenant())
                .isEqualTo(TenantId.DEFAULT);
    }
}
