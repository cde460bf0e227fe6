package io.godwit.api.route.cluster;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.port.cluster.ClusterAdmin;
import io.godwit.api.port.cluster.RangeView;
import io.godwit.api.port.cluster.StoreView;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Nodes, stores and ranges. Counting goes over all ranges, so it runs on a worker. */
public final class ClusterRoutes {
    private static final String LIST = "ranges";
    private static final Comparator<RangeView> ORDER =
            Comparator.comparing(RangeView::store).thenComparing(RangeView::startHex);

    private final ClusterAdmin cluster;

    private ClusterRoutes(ClusterAdmin cluster) {
        this.cluster = cluster;
    }

    public static void add(Routes routes, ClusterAdmin cluster, Workers workers) {
        ClusterRoutes here = new ClusterRoutes(cluster);
        routes.add("listNodes", call -> workers.supply(() -> all(cluster.nodes())));
        routes.add("listStores", call -> workers.supply(() -> all(cluster.stores())));
        routes.add("listRanges", call -> here.ranges(call, workers));
    }

    private static Reply all(List<? extends Record> items) {
        return Reply.json(new JsonObject().put("items", Json.array(items)));
    }

    private CompletableFuture<Reply> ranges(Call call, Workers workers) {
        Optional<List<String>> after = Cursors.position(call, LIST, 2);
        return workers.supply(() -> ranges(call, after));
    }

    private Reply ranges(Call call, Optional<List<String>> after) {
        int limit = call.number("limit");
        List<RangeView> page = new ArrayList<>();
        boolean hasMore = false;
        for (RangeView range : wanted(call)) {
            if (after.isPresent() && !isBehind(range, after.get())) {
                continue;
            }
            if (page.size() == limit) {
                hasMore = true;
                break;
            }
            page.add(range);
        }
        JsonObject json = new JsonObject().put("items", Json.array(page));
        if (hasMore) {
            RangeView last = page.get(page.size() - 1);
            json.put("next", Cursors.of(LIST, last.store(), last.startHex()));
        }
        return Reply.json(json);
    }

    private static boolean isBehind(RangeView range, List<String> position) {
        int byStore = range.store().compareTo(position.get(0));
        return byStore > 0 || byStore == 0 && range.startHex().compareTo(position.get(1)) > 0;
    }

    private List<RangeView> wanted(Call call) {
        Optional<String> store = call.text("store");
        if (store.isPresent()) {
            return cluster.ranges(store.get())
                    .orElseThrow(() -> new ProblemException(Problem.notFound("there is no store " + store.get())));
        }
        return cluster.stores().stream()
                .map(StoreView::name)
                .flatMap(name -> cluster.ranges(name).stream().flatMap(List::stream))
                .sorted(ORDER)
                .toList();
    }
}
