package io.godwit.mqtt.tenant;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the tenants of clients come from.
 *
 * @param sources the first that names one counts; empty to have one tenant only
 * @param mustAgree whether a client is refused for which two of them name different ones
 * @param refusesUnnamed whether a client is refused for which none names one; it is of the default tenant otherwise
 * @param separator between tenant and the rest of a user name; not empty
 * @param sniDomain what follows on the tenant in the name of a host; empty when the whole name is the tenant
 * @param part where in a certificate
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
    /** One tenant only. */
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
