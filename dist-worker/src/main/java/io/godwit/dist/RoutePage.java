package io.godwit.dist;

import io.godwit.dist.route.Route;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the stored routes of a tenant, in key order.
 *
 * @param cursor where the next page begins, null when this was the last; opaque
 */
public record RoutePage(List<Route> routes, @Nullable String cursor) {
    public RoutePage {
        routes = List.copyOf(routes);
    }
}
