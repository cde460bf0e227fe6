package io.godwit.broker.settings.tenant;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import java.util.List;

/** {@code tenantConfig}. */
public record TenantSection(
        @ConfigKey(value = "listener", text = """
                    What names the tenant of a client; the first that does counts. Out of listener (the key tenant
                    of its section), sni (the host that it asks for in the TLS handshake), certificate (a part of
                    what it has shown) and user-name (what stands before the separator). What an auth provider
                    answers has the last word.
                    """) List<TenantSource> sources,

        @ConfigKey(value = "true", text = """
                    Whether a client is refused (0x87; under MQTT 3.1.1 5) for which two of them name different
                    tenants. With false the first counts.
                    """) boolean sourcesMustAgree,
        @ConfigKey(value = "default", text = """
                    What becomes of a client for which none of them names a tenant: default (it is of the tenant
                    default) or refuse.
                    """) UnnamedTenant unnamed,
        @ConfigKey(value = "refuse", text = """
                    What becomes of a client that names a tenant which is neither in the file below nor that of its
                    listener: refuse, default (it is of the tenant default), or accept (it is of the tenant that it
                    names, which then needs no entry).
                    """) UnknownTenant unknown,
        @ConfigKey(value = "/", text = """
                    What stands between the tenant and the rest of a user name. The user keeps the whole name, so
                    birds/lamp and fish/lamp are two users.
                    """) String userNameSeparator,

        @ConfigKey(check = TenantChecks.Domain.class, text = """
                    The domain that follows on the tenant in the host of sni: with mqtt.example.org, a client that
                    asks for birds.mqtt.example.org is of birds. Empty: the whole host is the tenant.
                    """)
        String sniDomain,

        @ConfigKey(value = "subject-o", text = """
                    Where in the certificate: subject-cn, subject-o, subject-ou, san-email, san-dns or san-uri. A
                    client whose certificate has several different ones is refused.
                    """) CertificatePart certificatePart,

        @ConfigKey(check = TenantChecks.OneGroup.class, text = """
                    A regular expression that must match the whole part; its one group is the tenant. Parts that do
                    not match name none. Empty: the part is the tenant.
                    """)
        String certificatePattern,

        @ConfigKey(text = """
                    The tenants and what holds for each, such as tenants.yml; docs/tenants.md tells what may be in
                    it. Noticed when it changes: what can be is changed for connected clients too. A file with a
                    mistake changes nothing, and is told of. Relative to this file. Empty: none.
                    """) String file,

        @ConfigKey(text = """
                    The plugin that says what holds for each tenant. What it says goes before the file. Empty: none.
                    """) String settingsProvider,

        @ConfigKey(text = """
                    The plugin that says how much each tenant may use of connections, sessions, subscriptions, retained
                    messages and rates. Its limits hold beside those above; the smaller one counts. Empty: none.
                    """) String resourceThrottler,

        @ConfigKey(value = "0", min = 0, max = 10_000, text = """
                    How many tenants have meters of their own, by the label tenant, eight series each: default, and
                    the first that are in the file, known to the plugin, or of a listener. All others together are
                    the tenant "(other)". 0 = there are no such meters.
                    """)
        int maxMeteredTenants) {}
