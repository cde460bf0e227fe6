package io.godwit.mqtt.tenant;

import io.godwit.plugin.client.TenantId;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * Determines the tenant of a client before its authentication. The auth provider is asked about a client of that
 * tenant, and may answer with another one, which then counts. Immutable; any thread.
 */
public final class TenantNaming {
    private final TenantConfig config;
    private final Predicate<TenantId> isListed;

    /**
     * @param isListed whether a tenant has settings; called with names that clients choose, so it must take no
     *     longer than a lookup in a map
     */
    public TenantNaming(TenantConfig config, Predicate<TenantId> isListed) {
        this.config = config;
        this.isListed = isListed;
    }

    /**
     * The result.
     *
     * @param tenant the default one with a refusal
     * @param refusal why the client is refused, for events and logs; null when it is not
     */
    public record Answer(TenantId tenant, @Nullable String refusal) {
        private static Answer refused(String why) {
            return new Answer(TenantId.DEFAULT, why);
        }
    }

    /** @param userName of the client, proven or not; null for none */
    public Answer of(TenantClues connection, @Nullable String userName) {
        if (config.sources().isEmpty()) {
            return new Answer(TenantId.DEFAULT, null);
        }
        try {
            return chosen(connection, userName);
        } catch (Ambiguous e) {
            return Answer.refused(e.why);
        }
    }

    private Answer chosen(TenantClues connection, @Nullable String userName) throws Ambiguous {
        Set<String> named = new LinkedHashSet<>();
        boolean isOperators = false;
        for (TenantSource source : config.sources()) {
            String name = name(source, connection, userName);
            if (name != null) {
                isOperators |= named.isEmpty() && source == TenantSource.LISTENER;
                named.add(name);
            }
        }
        if (named.isEmpty()) {
            return config.refusesUnnamed()
                    ? Answer.refused("no source names its tenant")
                    : new Answer(TenantId.DEFAULT, null);
        }
        if (named.size() > 1 && config.mustAgree()) {
            return Answer.refused("the sources name different tenants");
        }
        return known(named.iterator().next(), isOperators);
    }

    private Answer known(String name, boolean isOperators) {
        Optional<TenantId> tenant = TenantId.parse(name);
        if (tenant.isPresent()
                && (isOperators
                        || config.unknown() == UnknownTenant.ACCEPT
                        || tenant.get().equals(TenantId.DEFAULT)
                        || isListed.test(tenant.get()))) {
            return new Answer(tenant.get(), null);
        }
        return config.unknown() == UnknownTenant.DEFAULT
                ? new Answer(TenantId.DEFAULT, null)
                : Answer.refused("its tenant is not known");
    }

    private @Nullable String name(TenantSource source, TenantClues connection, @Nullable String userName)
            throws Ambiguous {
        return switch (source) {
            case LISTENER -> connection.tenant().isEmpty() ? null : connection.tenant();
            case SNI -> ofHost(connection.serverName());
            case CERTIFICATE -> ofCertificate(connection.certificate());
            case USER_NAME -> ofUser(userName);
        };
    }

    private @Nullable String ofUser(@Nullable String userName) {
        int end = userName == null ? -1 : userName.indexOf(config.separator());
        return userName == null || end < 0 ? null : userName.substring(0, end);
    }

    private @Nullable String ofHost(@Nullable String host) {
        if (host == null) {
            return null;
        }
        String lower = host.toLowerCase(Locale.ROOT);
        String ending = config.sniDomain().isEmpty() ? "" : "." + config.sniDomain();
        return lower.endsWith(ending) && lower.length() > ending.length()
                ? lower.substring(0, lower.length() - ending.length())
                : null;
    }

    private @Nullable String ofCertificate(@Nullable X509Certificate certificate) throws Ambiguous {
        if (certificate == null) {
            return null;
        }
        Set<String> found = new LinkedHashSet<>();
        try {
            for (String value : config.part().of(certificate)) {
                String name = inside(value);
                if (name != null) {
                    found.add(name);
                }
            }
        } catch (IllegalArgumentException e) {
            throw new Ambiguous(String.valueOf(e.getMessage()));
        }
        if (found.size() > 1) {
            throw new Ambiguous("its certificate names several tenants");
        }
        return found.isEmpty() ? null : found.iterator().next();
    }

    private @Nullable String inside(String value) {
        if (config.pattern() == null) {
            return value;
        }
        Matcher matcher = config.pattern().matcher(value);
        return matcher.matches() ? matcher.group(1) : null;
    }

    /** A source names several tenants, or cannot be read. */
    private static final class Ambiguous extends Exception {
        private static final long serialVersionUID = 1;
        private final String why;

        private Ambiguous(String why) {
            super(why, null, false, false);
            this.why = why;
        }
    }
}
