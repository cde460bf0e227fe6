package io.godwit.broker.records;

import com.google.protobuf.InvalidProtocolBufferException;
import io.godwit.api.port.access.BanAdmin.Ban;
import io.godwit.api.port.access.BanAdmin.Kind;
import io.godwit.broker.records.wire.BanKind;
import io.godwit.broker.records.wire.BanValue;
import io.godwit.mqtt.ban.AddressBlock;
import io.godwit.mqtt.ban.BanSubject;
import io.godwit.plugin.client.TenantId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/** Converts bans between the stored record, the API's view and the key of the look-up table. */
final class BanRecords {
    private static final int ID_BYTES = 16;
    private static final char BETWEEN = '\0';

    private BanRecords() {}

    /** The name of the record: unique per subject, and short for a subject of any length. */
    static String id(String tenant, Kind kind, String subject) {
        String text = kind.name() + BETWEEN + tenant + BETWEEN + subject;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, ID_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** @param isMadeInTenant whether the caller that made it is bound to the tenant */
    static byte[] value(Ban ban, boolean isMadeInTenant) {
        return BanValue.newBuilder()
                .setKind(
                        switch (ban.kind()) {
                            case CLIENT -> BanKind.BAN_KIND_CLIENT;
                            case USER -> BanKind.BAN_KIND_USER;
                            case ADDRESS -> BanKind.BAN_KIND_ADDRESS;
                        })
                .setTenant(ban.tenant())
                .setSubject(ban.subject())
                .setUntilMillis(Math.max(0, ban.untilMillis()))
                .setReason(ban.reason())
                .setBy(ban.by())
                .setSinceMillis(ban.sinceMillis())
                .setMadeInTenant(isMadeInTenant)
                .build()
                .toByteArray();
    }

    /**
     * Whether a caller that is bound to the tenant made it.
     *
     * @throws IllegalArgumentException if this node cannot read the record
     */
    static boolean isMadeInTenant(String id, byte[] value) {
        return parse(id, value).getMadeInTenant();
    }

    private static BanValue parse(String id, byte[] value) {
        try {
            return BanValue.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("ban " + id + " is not of this layout: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException if this node cannot read the record */
    static Ban read(String id, byte[] value) {
        BanValue stored = parse(id, value);
        Kind kind = switch (stored.getKind()) {
            case BAN_KIND_CLIENT -> Kind.CLIENT;
            case BAN_KIND_USER -> Kind.USER;
            case BAN_KIND_ADDRESS -> Kind.ADDRESS;
            case BAN_KIND_UNKNOWN, UNRECOGNIZED ->
                throw new IllegalArgumentException("ban " + id + " is of an unknown kind " + stored.getKindValue());
        };
        return new Ban(
                id,
                stored.getTenant(),
                kind,
                stored.getSubject(),
                stored.getUntilMillis() <= 0 ? -1 : stored.getUntilMillis(),
                stored.getReason(),
                stored.getBy(),
                stored.getSinceMillis());
    }

    /** @throws IllegalArgumentException if the subject is invalid */
    static BanSubject subject(String tenant, Kind kind, String subject) {
        return switch (kind) {
            case CLIENT -> new BanSubject.OfClient(new TenantId(tenant), subject);
            case USER -> new BanSubject.OfUser(new TenantId(tenant), subject);
            case ADDRESS -> new BanSubject.OfAddress(AddressBlock.parse(subject));
        };
    }

    static BanSubject subject(Ban ban) {
        return subject(ban.tenant(), ban.kind(), ban.subject());
    }
}
