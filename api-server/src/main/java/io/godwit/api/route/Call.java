package io.godwit.api.route;

import io.godwit.api.auth.Principal;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/**
 * A request that has passed all checks.
 *
 * @param caller empty when the operation needs no role and the caller is unknown
 * @param isOfThisMachine whether it is from this machine, and not through a proxy
 * @param parameters of path and query, in the types of the document, with defaults
 * @param body as the document says; empty when the operation takes none
 * @param accept the Accept header, or empty
 * @param ifMatch the If-Match header; empty without one
 * @param host the name or address that the request is for, without a port; empty for none
 * @param within how long the ports may take for their part of the answer
 */
public record Call(
        Optional<Principal> caller,
        boolean isOfThisMachine,
        JsonObject parameters,
        JsonObject body,
        String accept,
        Optional<String> ifMatch,
        String host,
        Duration within) {
    private static final String DEFAULT_TENANT = "default";

    /** The tenant whose data the call may read; empty for all. Throws when the caller is bound to another tenant. */
    public Optional<String> tenantFilter() {
        Optional<String> wanted = text("tenant");
        Optional<String> own = caller.flatMap(Principal::tenant);
        if (wanted.isPresent() && own.isPresent() && !wanted.equals(own)) {
            throw new ProblemException(Problem.forbidden("the token is bound to another tenant"));
        }
        return wanted.or(() -> own);
    }

    /** The tenant of the named resource. */
    public String tenant() {
        return tenantFilter().orElse(DEFAULT_TENANT);
    }

    /** Whether the caller may see and change only one tenant's data. */
    public boolean isTenantBound() {
        return caller.flatMap(Principal::tenant).isPresent();
    }

    /** The same call with another time for the ports. */
    public Call within(Duration other) {
        return new Call(caller, isOfThisMachine, parameters, body, accept, ifMatch, host, other);
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(parameters.getString(name));
    }

    public int number(String name) {
        return parameters.getInteger(name);
    }
}
