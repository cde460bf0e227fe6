package io.godwit.api.auth;

import java.util.Optional;

/**
 * The caller of a request.
 *
 * @param name of the token or certificate; {@code local} for the broker's own user without a token
 * @param tenant the only tenant that it may see and change; empty for all, and the cluster
 * @param source for the audit log, since a token of the file and one of the API may have the same name: {@code file} or
 *     {@code api}, and the beginning of the hash of the token or of the subject
 */
public record Principal(String name, Role role, Optional<String> tenant, Kind kind, String source) {
    /** A caller on this machine, when no tokens file is configured. */
    public static final Principal LOCAL = new Principal("local", Role.ADMIN, Optional.empty(), Kind.LOCAL, "local");

    /** The key for limits per caller: the tenant, which may have many tokens, or else the token. */
    public String share() {
        return tenant.map(only -> "tenant " + only).orElse("token " + name);
    }

    /** How the caller was authenticated. */
    public enum Kind {
        TOKEN,
        CERTIFICATE,
        LOCAL
    }
}
