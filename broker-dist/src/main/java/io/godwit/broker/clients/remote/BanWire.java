package io.godwit.broker.clients.remote;

import io.godwit.broker.clients.node.NodeBans;
import io.godwit.broker.clients.wire.AutomaticBanCause;
import io.godwit.broker.clients.wire.BansAnswer;
import io.godwit.broker.clients.wire.BansRequest;
import io.godwit.mqtt.ban.AutomaticBan;
import io.godwit.mqtt.ban.AutomaticBanQuery;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BanCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Encodes the bans that nodes make automatically; the rules are those of {@link ClientWire}. */
public final class BanWire {
    private static final long MOST_MILLIS = Duration.ofDays(36_500).toMillis();

    private BanWire() {}

    public static BansRequest request(AutomaticBanQuery query) {
        BansRequest.Builder message = BansRequest.newBuilder()
                .setVersion(ClientWire.VERSION)
                .setWithClients(query.withClients())
                .setWithSources(query.withSources())
                .setFrom(query.from())
                .setLimit(query.limit());
        TenantId tenant = query.tenant();
        if (tenant != null) {
            message.setTenant(tenant.value());
        }
        return message.build();
    }

    static AutomaticBanQuery query(BansRequest message) {
        return new AutomaticBanQuery(
                message.hasTenant() ? new TenantId(message.getTenant()) : null,
                message.getWithClients(),
                message.getWithSources(),
                message.getFrom(),
                message.getLimit());
    }

    public static BansAnswer answer(NodeBans page) {
        BansAnswer.Builder message = BansAnswer.newBuilder().setHasMore(page.hasMore());
        for (AutomaticBan ban : page.bans()) {
            message.addBans(io.godwit.broker.clients.wire.AutomaticBan.newBuilder()
                    .setId(ban.id())
                    .setCause(
                            switch (ban.cause()) {
                                case SOURCE_FAILED_LOGINS -> AutomaticBanCause.AUTOMATIC_BAN_CAUSE_FAILED_LOGINS;
                                case SOURCE_VIOLATIONS -> AutomaticBanCause.AUTOMATIC_BAN_CAUSE_VIOLATIONS;
                                case SOURCE_FLAPPING -> AutomaticBanCause.AUTOMATIC_BAN_CAUSE_SOURCE_FLAPPING;
                                case CLIENT_FLAPPING -> AutomaticBanCause.AUTOMATIC_BAN_CAUSE_CLIENT_FLAPPING;
                            })
                    .setTenant(ban.tenant())
                    .setSubject(ban.subject())
                    .setMountPoint(ban.mountPoint())
                    .setAgeMillis(ban.age().toMillis())
                    .setLeftMillis(ban.left().toMillis()));
        }
        return message.build();
    }

    /** Decodes the answer to {@link #request}. */
    public static NodeBans bans(BansAnswer message, AutomaticBanQuery query) {
        if (message.getBansCount() > query.limit()) {
            throw new IllegalArgumentException(
                    message.getBansCount() + " bans in a page of " + query.limit() + " at most");
        }
        List<AutomaticBan> bans = new ArrayList<>(message.getBansCount());
        String last = "";
        for (io.godwit.broker.clients.wire.AutomaticBan each : message.getBansList()) {
            String id = each.getId();
            if (!AutomaticBan.isId(id) || id.compareTo(query.from()) < 0 || id.compareTo(last) <= 0) {
                throw new IllegalArgumentException("bans out of order, or of another kind");
            }
            last = id;
            bans.add(new AutomaticBan(
                    id,
                    cause(each.getCause()),
                    each.getTenant(),
                    each.getSubject(),
                    each.getMountPoint(),
                    millis(each.getAgeMillis()),
                    millis(each.getLeftMillis())));
        }
        return new NodeBans(bans, message.getHasMore());
    }

    private static Duration millis(long millis) {
        if (millis < 0 || millis > MOST_MILLIS) {
            throw new IllegalArgumentException("a ban of " + Long.toUnsignedString(millis) + " ms");
        }
        return Duration.ofMillis(millis);
    }

    private static BanCause cause(AutomaticBanCause cause) {
        return switch (cause) {
            case AUTOMATIC_BAN_CAUSE_FAILED_LOGINS -> BanCause.SOURCE_FAILED_LOGINS;
            case AUTOMATIC_BAN_CAUSE_VIOLATIONS -> BanCause.SOURCE_VIOLATIONS;
            case AUTOMATIC_BAN_CAUSE_SOURCE_FLAPPING -> BanCause.SOURCE_FLAPPING;
            case AUTOMATIC_BAN_CAUSE_CLIENT_FLAPPING -> BanCause.CLIENT_FLAPPING;
            case AUTOMATIC_BAN_CAUSE_UNKNOWN, UNRECOGNIZED ->
                throw new IllegalArgumentException("a ban for an unknown cause");
        };
    }
}
