package io.godwit.broker.auth.http;

import io.godwit.broker.auth.remote.RemoteTls;
import io.godwit.broker.auth.remote.ServiceUrl;
import io.godwit.plugin.context.PluginSettings;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code plugins.http}; docs/authentication.md has the table of keys.
 *
 * @param connectUrl the URL for logins; null only when there are errors
 * @param aclUrl the URL for publishes and filters; null for none
 * @param headers added to each request
 * @param connectCache how long an accepted login is cached; zero for not at all
 * @param aclCache how long a decision is cached; zero for not at all
 * @param cacheEntries bound of each of the two caches
 * @param maxRequests bound of requests under way
 */
record HttpSettings(
        @Nullable URI connectUrl,
        @Nullable URI aclUrl,
        List<Header> headers,
        RemoteTls tls,
        Duration timeout,
        Duration connectCache,
        Duration aclCache,
        int cacheEntries,
        int maxRequests,
        WithoutAcl withoutAcl) {
    HttpSettings {
        headers = List.copyOf(headers);
    }

    /** What clients may do without an {@link #aclUrl}. */
    enum WithoutAcl {
        /** The next provider decides. */
        PASS,
        /** Everything. */
        ALLOW,
        /** Nothing. */
        DENY
    }

    /** A header of requests. The value may be a secret. */
    record Header(String name, String value) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Whether requests may set it: some headers belong to the connection or the body. */
    private static boolean isFree(String name, String value) {
        try {
            HttpRequest.newBuilder().setHeader(name, value);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Reports all errors to {@code settings}. */
    static HttpSettings of(PluginSettings settings) {
        if (settings.secret("connectUrl", "").isEmpty()) {
            settings.error("connectUrl", "has to be given");
        }
        List<Header> headers = new ArrayList<>();
        for (String each : settings.list("headers")) {
            int equals = each.indexOf('=');
            boolean isHeader = equals > 0
                    && each.substring(0, equals).chars().allMatch(c -> c > ' ' && c < 0x7F && c != ':')
                    && each.substring(equals + 1).chars().allMatch(c -> c >= ' ' && c != 0x7F);
            if (!isHeader) {
                settings.error("headers", "each must be NAME=VALUE, without line ends");
            } else if (!isFree(each.substring(0, equals), each.substring(equals + 1))) {
                settings.error("headers", each.substring(0, equals) + " is not a header that can be set");
            } else {
                headers.add(new Header(each.substring(0, equals), each.substring(equals + 1)));
            }
        }
        return new HttpSettings(
                ServiceUrl.of(settings, "connectUrl"),
                ServiceUrl.of(settings, "aclUrl"),
                headers,
                RemoteTls.of(settings),
                settings.duration("timeout", Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofMinutes(1)),
                settings.duration("connectCache", Duration.ZERO, Duration.ZERO, Duration.ofHours(1)),
                settings.duration("aclCache", Duration.ofMinutes(1), Duration.ZERO, Duration.ofHours(1)),
                (int) settings.number("cacheEntries", 10_000, 1, 1_000_000),
                (int) settings.number("maxRequests", 200, 1, 10_000),
                settings.choice("withoutAcl", WithoutAcl.PASS));
    }
}
