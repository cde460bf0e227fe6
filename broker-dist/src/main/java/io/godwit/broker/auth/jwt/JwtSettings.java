package io.godwit.broker.auth.jwt;

import io.godwit.broker.auth.remote.RemoteTls;
import io.godwit.broker.auth.remote.ServiceUrl;
import io.godwit.plugin.context.PluginSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code plugins.jwt}; docs/authentication.md has the table of keys.
 *
 * @param algorithms accepted for tokens, by their names in RFC 7518 and RFC 8037
 * @param issuer the required issuer; empty for any
 * @param audiences a token must name one of them; if there are none, a token must not name any
 * @param leeway how much clocks may differ
 * @param tenantClaim empty to keep the client's tenant
 * @param claims required values of further claims, with placeholders
 * @param method the method of MQTT 5.0 that accepts tokens too; empty for none
 * @param grace how long after expiry a client may authenticate again
 */
record JwtSettings(
        List<String> algorithms,
        @Nullable Path secretFile,
        @Nullable Path publicKeyFile,
        @Nullable Path jwksFile,
        @Nullable URI jwksUrl,
        RemoteTls tls,
        JwksUrl.Times times,
        String issuer,
        List<String> audiences,
        Duration leeway,
        boolean requiresExpiry,
        String userClaim,
        String tenantClaim,
        String aclClaim,
        WithoutAcl withoutAcl,
        Map<String, String> claims,
        String method,
        AtExpiry atExpiry,
        Duration grace) {

    /** What a client may do if its token grants no rights. */
    enum WithoutAcl {
        /** The next provider decides. */
        PASS,
        /** Everything. */
        ALLOW,
        /** Nothing. */
        DENY
    }

    /** What happens to a client whose token has expired. */
    enum AtExpiry {
        DISCONNECT,
        /** The client may only authenticate again, and is disconnected after a while. */
        REAUTHENTICATE,
        /** Nothing. */
        KEEP
    }

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Reports all errors to {@code settings}. */
    static JwtSettings of(PluginSettings settings) {
        List<String> algorithms = settings.list("algorithms");
        if (algorithms.isEmpty()) {
            settings.error("algorithms", "has to be given: out of " + KeyKind.all());
        }
        for (String algorithm : algorithms) {
            if (!KeyKind.isKnown(algorithm)) {
                settings.error("algorithms", "\"" + algorithm + "\" is none of " + KeyKind.all());
            }
        }
        Path secretFile = file(settings, "secretFile");
        Path publicKeyFile = file(settings, "publicKeyFile");
        Path jwksFile = file(settings, "jwksFile");
        URI jwksUrl = ServiceUrl.of(settings, "jwksUrl");
        if (secretFile == null
                && publicKeyFile == null
                && jwksFile == null
                && settings.secret("jwksUrl", "").isEmpty()) {
            settings.error("jwksUrl", "there are no keys: give this, secretFile, publicKeyFile or jwksFile");
        }
        JwksUrl.Times times = new JwksUrl.Times(
                settings.duration("jwksTimeout", Duration.ofSeconds(5), SECOND, Duration.ofMinutes(1)),
                settings.duration("jwksRefresh", Duration.ofMinutes(15), Duration.ofSeconds(10), DAY),
                settings.duration("jwksRefetch", Duration.ofSeconds(30), SECOND, DAY),
                settings.duration("jwksKeep", DAY, Duration.ofMinutes(1), Duration.ofDays(30)));
        Map<String, String> claims = new LinkedHashMap<>();
        for (String each : settings.list("claims")) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                settings.error("claims", "\"" + each + "\" must be NAME=VALUE");
            } else {
                claims.put(each.substring(0, equals), each.substring(equals + 1));
            }
        }
        return new JwtSettings(
                algorithms,
                secretFile,
                publicKeyFile,
                jwksFile,
                jwksUrl,
                RemoteTls.of(settings),
                times,
                settings.text("issuer", ""),
                settings.list("audience"),
                settings.duration("leeway", Duration.ofSeconds(30), Duration.ZERO, Duration.ofMinutes(5)),
                settings.flag("requireExpiry", true),
                settings.text("userClaim", "sub"),
                settings.text("tenantClaim", ""),
                settings.text("aclClaim", "acl"),
                settings.choice("withoutAcl", WithoutAcl.PASS),
                claims,
                settings.text("method", "JWT"),
                settings.choice("atExpiry", AtExpiry.DISCONNECT),
                settings.duration("grace", Duration.ofSeconds(30), SECOND, Duration.ofHours(1)));
    }

    private static @Nullable Path file(PluginSettings settings, String key) {
        return settings.text(key, "").isEmpty() ? null : settings.file(key, "");
    }
}
