package io.godwit.kv.remote;

import io.godwit.kv.client.Leaders;
import org.jspecify.annotations.Nullable;

/** Implements {@link Leaders} with the reports of the nodes. */
public final class RouteLeaders implements Leaders {
    private final String here;
    private final RouteTable table;
    private final Runnable refresh;

    /**
     * @param here store id of this node
     * @param refresh asks other nodes for their leaderships
     */
    public RouteLeaders(String here, RouteTable table, Runnable refresh) {
        this.refresh = refresh;
        this.here = here;
        this.table = table;
    }

    @Override
    public String here() {
        return here;
    }

    @Override
    public @Nullable String leaderOf(byte[] key) {
        RangeRoutes.Route route = table.routes().of(key);
        return route == null || route.leader().isEmpty() ? null : route.leader();
    }

    @Override
    public void onChange(Runnable listener) {
        table.onChange(routes -> listener.run());
    }

    @Override
    public void refresh() {
        refresh.run();
    }
}
