package io.godwit.broker.clients;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.broker.api.LogText;
import io.godwit.broker.clients.AllNodes.Answers;
import io.godwit.broker.clients.node.NodeBans;
import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BanCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All bans: those of operators, which every node has, and automatic ones, for which all nodes are asked. Also fails
 * with {@link io.godwit.api.port.NotServingException} if there are too many questions at a time. Any thread.
 */
final class BansOverNodes implements BanAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(BansOverNodes.class);

    private final BanAdmin operators;
    private final AllNodes nodes;
    private final LongSupplier nowMillis;

    /**
     * @param operators the bans of operators
     * @param nowMillis wall time
     */
    BansOverNodes(BanAdmin operators, AllNodes nodes, LongSupplier nowMillis) {
        this.operators = operators;
        this.nodes = nodes;
        this.nowMillis = nowMillis;
    }

    @Override
    public CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> bans(
            BanFilter filter, @Nullable BanKey after, int limit, Duration within) {
        Optional<AutomaticBanQuery> query = query(filter, after, limit);
        CompletableFuture<ClusterAnswer<Page<Ban, BanKey>>> recorded = operators.bans(filter, after, limit, within);
        if (query.isEmpty()) {
            return recorded;
        }
        return nodes.ask(within, node -> node.automaticBans(query.get(), within))
                .thenCombine(
                        recorded,
                        (answers, page) -> new ClusterAnswer<>(
                                merged(page.value(), answers.answers(), after, limit), missing(answers)));
    }

    /** Empty if the filter wants no automatic bans. */
    private static Optional<AutomaticBanQuery> query(BanFilter filter, @Nullable BanKey after, int limit) {
        boolean isWanted = filter.automatic().orElse(true)
                && filter.kind().map(kind -> kind != Kind.USER).orElse(true);
        if (!isWanted) {
            return Optional.empty();
        }
        TenantId tenant = null;
        if (filter.tenant().isPresent()) {
            try {
                tenant = new TenantId(filter.tenant().get());
            } catch (IllegalArgumentException e) {
                return Optional.empty(); // no client can have this tenant
            }
        }
        return Optional.of(new AutomaticBanQuery(
                tenant,
                filter.kind().map(kind -> kind == Kind.CLIENT).orElse(true),
                filter.kind().map(kind -> kind == Kind.ADDRESS).orElse(true),
                after == null ? "" : after.id(), // another node may have a ban of the same id
                limit + 1));
    }

    /** Merges the pages, up to the first end of a page that its node continues. */
    private Page<Ban, BanKey> merged(
            Page<Ban, BanKey> recorded, Map<String, NodeBans> told, @Nullable BanKey after, int limit) {
        long now = nowMillis.getAsLong();
        List<Ban> all = new ArrayList<>(recorded.items());
        BanKey goesOn = recorded.next();
        String end = goesOn == null ? null : goesOn.id();
        for (Map.Entry<String, NodeBans> each : told.entrySet()) {
            List<AutomaticBan> bans = each.getValue().bans();
            for (AutomaticBan ban : bans) {
                Ban view = view(each.getKey(), ban, now);
                if (after == null || view.key().compareTo(after) > 0) {
                    all.add(view);
                }
            }
            if (each.getValue().hasMore()) {
                String last = bans.get(bans.size() - 1).id();
                end = end == null || last.compareTo(end) < 0 ? last : end;
            }
        }
        String known = end;
        List<Ban> page = all.stream()
                .filter(ban -> known == null || ban.id().compareTo(known) <= 0)
                .sorted(Comparator.comparing(Ban::key))
                .limit(limit)
                .toList();
        boolean isWhole = page.size() == all.size() && known == null;
        return new Page<>(page, isWhole ? null : page.get(page.size() - 1).key());
    }

    private static Ban view(String node, AutomaticBan ban, long now) {
        return new Ban(
                ban.id(),
                ban.tenant(),
                ban.cause() == BanCause.CLIENT_FLAPPING ? Kind.CLIENT : Kind.ADDRESS,
                ban.subject(),
                now + ban.left().toMillis(),
                switch (ban.cause()) {
                    case SOURCE_FAILED_LOGINS -> "failed logins";
                    case SOURCE_VIOLATIONS -> "breaches of the protocol";
                    case SOURCE_FLAPPING, CLIENT_FLAPPING -> "connected and disconnected at once, repeatedly";
                },
                "",
                now - ban.age().toMillis(),
                true,
                node,
                ban.mountPoint());
    }

    private static List<String> missing(Answers<?> answers) {
        return List.copyOf(answers.missing().keySet());
    }

    @Override
    public CompletableFuture<Made> ban(Wanted wanted, Duration within) {
        return operators.ban(wanted, within);
    }

    @Override
    public CompletableFuture<ClusterAnswer<Boolean>> unban(Optional<String> tenant, String id, Duration within) {
        if (!AutomaticBan.isId(id)) {
            return operators.unban(tenant, id, within);
        }
        TenantId of = tenant.map(TenantId::new).orElse(null);
        return nodes.askAboutOne(within, node -> node.liftBan(id, of, within)).thenApply(answers -> {
            boolean wasBanned = answers.answers().containsValue(true);
            LOG.info("operator lifts bans of nodes id={} wasBanned={}", LogText.of(id), wasBanned);
            return new ClusterAnswer<>(wasBanned, missing(answers));
        });
    }
}
