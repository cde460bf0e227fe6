package io.godwit.broker.auth.jwt;

import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the claims of a token, whose signature is valid, let a client in. Refusals name no values of claims,
 * since they are logged.
 */
final class TokenClaims {
    /** A longer time counts as no limit. */
    private static final long MAX_SECONDS = Duration.ofDays(36_500).toSeconds();

    private static final int MAX_USER_CHARS = 65_535;

    private final JwtSettings settings;
    private final Clock clock;

    TokenClaims(JwtSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** A claim is wrong. Without a stack trace, since clients can cause it. */
    private static final class ClaimException extends Exception {
        private static final long serialVersionUID = 1L;

        ClaimException(String message) {
            super(message, null, false, false);
        }
    }

    /** @param mayReauthenticate whether the client can present another token while it is connected */
    ConnectResult accept(Map<String, Object> claims, ClientInfo client, boolean mayReauthenticate) {
        try {
            return accepted(claims, client, mayReauthenticate);
        } catch (ClaimException e) {
            return new ConnectResult.Refused(RefusalReason.BAD_CREDENTIALS, "token: " + e.getMessage());
        }
    }

    private ConnectResult accepted(Map<String, Object> claims, ClientInfo client, boolean mayReauthenticate)
            throws ClaimException {
        double now = clock.millis() / 1_000.0;
        double leeway = settings.leeway().toSeconds();
        Double end = time(claims, "exp");
        if (end == null && settings.requiresExpiry()) {
            throw new ClaimException("it has no exp, so it would be valid for ever");
        }
        if (end != null && now >= end + leeway) {
            throw new ClaimException("it has expired");
        }
        Double begin = time(claims, "nbf");
        if (begin != null && now < begin - leeway) {
            throw new ClaimException("it is not valid yet (nbf)");
        }
        if (!settings.issuer().isEmpty() && !settings.issuer().equals(claims.get("iss"))) {
            throw new ClaimException("it is of another issuer (iss)");
        }
        if (!isForUs(claims.get("aud"))) {
            throw new ClaimException("it is for another audience (aud)");
        }
        for (Map.Entry<String, String> wanted : settings.claims().entrySet()) {
            String value = filled(wanted.getValue(), client);
            if (value == null || !value.equals(claims.get(wanted.getKey()))) {
                throw new ClaimException("claim " + wanted.getKey() + " does not have the required value");
            }
        }
        String user = text(claims, settings.userClaim());
        if (user.isEmpty()
                || user.length() > MAX_USER_CHARS
                || user.indexOf('\0') >= 0
                || !StandardCharsets.UTF_8.newEncoder().canEncode(user)) { // otherwise two names would be stored as one
            throw new ClaimException("claim " + settings.userClaim() + " is no user name");
        }
        ConnectResult.Accepted accepted = new ConnectResult.Accepted(client.tenant(), user);
        if (!settings.tenantClaim().isEmpty()) {
            accepted = accepted.in(tenant(claims));
        }
        Rights rights = null;
        if (!settings.aclClaim().isEmpty() && claims.containsKey(settings.aclClaim())) {
            rights = Optional.ofNullable(claims.get(settings.aclClaim())) // null is no rights either
                    .flatMap(Rights::of)
                    .orElseThrow(() -> new ClaimException("claim " + settings.aclClaim() + " is not understood"));
        }
        boolean hasGrace = mayReauthenticate && settings.atExpiry() == JwtSettings.AtExpiry.REAUTHENTICATE;
        long endMillis = end == null || !hasGrace ? Long.MAX_VALUE : millis(end + leeway);
        return accepted.granting(new TokenGrant(rights, endMillis)).lasting(time(end, now, leeway, hasGrace));
    }

    private @Nullable Duration time(@Nullable Double end, double now, double leeway, boolean hasGrace) {
        if (end == null || settings.atExpiry() == JwtSettings.AtExpiry.KEEP) {
            return null;
        }
        double seconds = end + leeway - now + (hasGrace ? settings.grace().toSeconds() : 0);
        return seconds > MAX_SECONDS ? null : Duration.ofSeconds((long) Math.ceil(Math.max(0, seconds)));
    }

    private static long millis(double seconds) {
        return seconds > Long.MAX_VALUE / 1_000.0 ? Long.MAX_VALUE : (long) (seconds * 1_000);
    }

    private static @Nullable Double time(Map<String, Object> claims, String name) throws ClaimException {
        Object value = claims.get(name);
        if (value == null) {
            return null;
        }
        if (!(value instanceof Number number) || !Double.isFinite(number.doubleValue())) {
            throw new ClaimException("claim " + name + " is no time");
        }
        return number.doubleValue();
    }

    private boolean isForUs(@Nullable Object audience) {
        if (audience == null) {
            return settings.audiences().isEmpty();
        }
        if (audience instanceof List<?> several) {
            return several.stream()
                    .anyMatch(each ->
                            each instanceof String one && settings.audiences().contains(one));
        }
        return audience instanceof String one && settings.audiences().contains(one);
    }

    private TenantId tenant(Map<String, Object> claims) throws ClaimException {
        try {
            return new TenantId(text(claims, settings.tenantClaim()));
        } catch (IllegalArgumentException e) {
            throw new ClaimException("claim " + settings.tenantClaim() + " is no tenant");
        }
    }

    private static String text(Map<String, Object> claims, String name) throws ClaimException {
        if (claims.get(name) instanceof String text) {
            return text;
        }
        throw new ClaimException("it has no text in claim " + name);
    }

    /** The claim's required value; null if the client has no user name to fill in. */
    private static @Nullable String filled(String text, ClientInfo client) {
        return switch (text) {
            case "%c" -> client.clientId().value();
            case "%u" -> client.userName();
            default -> text;
        };
    }
}
