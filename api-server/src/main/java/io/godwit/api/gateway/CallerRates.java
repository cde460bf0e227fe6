package io.godwit.api.gateway;

import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.http.gate.Rates;
import io.godwit.api.port.ApiCounts;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rates of requests: of all callers together, of each address and of each token. Confined to the event loop.
 *
 * <p>Callers with a valid token are limited by token instead of by address, since strangers may share their address; so
 * are connections of the broker's own user or of root, without a tokens file. Strangers may use only their part of the
 * rate of all callers together. Health paths have their own rates, since a proxy has one address too. Each address may
 * always call health once a second: an attacker with many addresses must not get a working broker restarted.
 */
public final class CallerRates {
    private static final String EVERYBODY = "everybody";
    /** One part in this many of the total rate is reserved for callers with a token. */
    private static final int KEPT_SHARE = 4;

    /** For load balancers, and for supervisors that restart a broker which does not answer. */
    private static final String HEALTH = "/health/";

    private final Authenticator authenticator;
    private final Rates total;
    private final Rates strangers;
    private final Rates byAddress;
    private final Rates byToken;
    /** Rates of the health paths, which load balancers call; separate from all others. */
    private final Rates healthTotal;

    private final Rates healthByAddress;
    /** The rate that each address has for health, however many others ask. */
    private final Rates healthKept;

    public CallerRates(HttpLimits limits, Authenticator authenticator, LongSupplier nanoClock) {
        this.authenticator = authenticator;
        this.total = new Rates(limits.requestsPerSecond(), nanoClock);
        this.strangers = new Rates(
                Math.max(1, limits.requestsPerSecond() - Math.max(1, limits.requestsPerSecond() / KEPT_SHARE)),
                nanoClock);
        this.byAddress = new Rates(limits.requestsPerSecondPerCaller(), nanoClock);
        this.byToken = new Rates(limits.requestsPerSecondPerCaller(), nanoClock);
        this.healthTotal = new Rates(limits.requestsPerSecond(), nanoClock);
        this.healthByAddress = new Rates(limits.requestsPerSecondPerCaller(), nanoClock);
        this.healthKept = new Rates(1, nanoClock);
    }

    static boolean isOfHealth(HttpServerRequest request) {
        String path = request.path();
        return path != null && path.startsWith(HEALTH);
    }

    /**
     * The limit that this request exceeds; null for none.
     *
     * @param source the address of the caller
     * @param isOwn whether the connection is known to be of the broker's own user or of root
     */
    ApiCounts.@Nullable Bound exceeded(HttpServerRequest request, String source, boolean isOwn) {
        if (isOfHealth(request)) {
            return !healthByAddress.tryTake(source)
                    ? ApiCounts.Bound.ADDRESS
                    : healthTotal.tryTake(EVERYBODY) || healthKept.tryTake(source) ? null : ApiCounts.Bound.ALL;
        }
        if (!isOwn && !byAddress.tryTake(source) && !authenticator.hasCredentials(request)) {
            return ApiCounts.Bound.ADDRESS;
        }
        boolean isWithinPart = isOwn || strangers.tryTake(EVERYBODY) || authenticator.hasCredentials(request);
        return isWithinPart && tryTakeOfAll() ? null : ApiCounts.Bound.ALL;
    }

    /** Takes a request from the rate of all callers together; false if none is left. */
    boolean tryTakeOfAll() {
        return total.tryTake(EVERYBODY);
    }

    /** Takes a request from the rate of a token, or of all those of one tenant; false if none is left. */
    boolean tryTakeOfToken(String share) {
        return byToken.tryTake(share);
    }
}
