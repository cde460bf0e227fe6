package io.godwit.api.auth;

import java.util.Optional;

/**
 * Who asks.
 *
 * @param name of the token or certificate; {@code local} for the broker's own user without a token
 * @param tenant the only one that it may see and change; empty for all, and the cluster
 */
public record Principal(String name, Role role, Optional<String> tenant, Kind kind) {
    /** Somebody on this machine, where no tokens file is configured. */
    public static final Principal LOCAL = new Principal("local", Role.ADMIN, Optional.empty(), Kind.LOCAL);

    /** Whose share it is of what is bounded for each: that of its tenant, which may have many tokens, or its own. */
    public String share() {
        return tenant.map(only -> "tenant " + only).orElse("token " + name);
    }

    /** How it was proved. */
    public enum Kind {
        TOKEN,
        CERTIFICATE,
        LOCAL
    }
}
