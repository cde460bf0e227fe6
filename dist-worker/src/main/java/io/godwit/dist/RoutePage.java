package io.godwit.dist;

import io.godwit.dist.route.Route;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the stored routes of a tenant, in key order.
 *
 * @param cursor of the next page, null when this was the last; opaque
 */
public record RoutePage(List<Route> routes, @Nullable String cursor) {
    public RoutePage {
        routes = List.copyOf(routes);
    }
}
