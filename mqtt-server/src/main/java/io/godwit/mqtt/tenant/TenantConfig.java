package io.godwit.mqtt.tenant;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the tenant of a client is determined.
 *
 * @param sources in order of precedence: the first that names a tenant counts; empty for a single tenant
 * @param mustAgree whether a client is refused when sources name different tenants
 * @param refusesUnnamed whether a client without a named tenant is refused; otherwise it gets the default tenant
 * @param separator between the tenant and the rest of a user name; not empty
 * @param sniDomain the domain after the tenant in a host name; empty when the whole name is the tenant
 * @param part the part of a certificate that contains the tenant
 * @param pattern its first group is the tenant, when it matches the whole part; null when the part is the tenant
 */
public record TenantConfig(
        List<TenantSource> sources,
        boolean mustAgree,
        boolean refusesUnnamed,
        UnknownTenant unknown,
        String separator,
        String sniDomain,
        CertificatePart part,
        @Nullable Pattern pattern) {
    /** A single tenant. */
    public static final TenantConfig NONE =
            new TenantConfig(List.of(), true, false, UnknownTenant.REFUSE, "/", "", CertificatePart.SUBJECT_O, null);

    public TenantConfig {
        sources = List.copyOf(sources);
        if (separator.isEmpty()) {
            throw new IllegalArgumentException("the separator of user names is not empty");
        }
        if (pattern != null && pattern.matcher("").groupCount() < 1) {
            throw new IllegalArgumentException("the pattern for certificates has no group: " + pattern);
        }
    }
}
