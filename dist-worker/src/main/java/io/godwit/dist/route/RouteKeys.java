package io.godwit.dist.route;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicFilter.Sharing;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Keys and values of the dist store: one key per subscription, for a shared group one per member.
 *
 * <pre>
 * key
 * size  field
 * 1     version, 1
 * n     tenant, ASCII
 * 1     0x00
 * n     filter: levels in UTF-8 with 0x01 between them; within a level U+0001 is 0x02 0x01 and U+0002 is 0x02 0x02
 * 1     0x00
 * 1     kind: 1 session; member of a shared group: 2 of $share, 3 of $oshare, 4 of $queue; 5 session by $exclusive
 * n     share name, UTF-8                             (kinds 2 and 3)
 * 1     0x00                                          (kinds 2 and 3)
 * n     client id, UTF-8
 * 8     incarnation of the session
 *
 * value
 * 1     version: 1 without a number, 2 with one
 * 1     bits 0-1 QoS, 2 no local, 3 retain as published
 * 4     subscription identifier, 0 for none
 * 8     attach number of the last write             (version 2)
 * 8     its change                                  (version 2)
 * </pre>
 *
 * Numbers are big-endian. A filter has no U+0000 [MQTT5-4.7.3-2], so 0x00 ends it; a separator sorts before every
 * character of a level, so that all filters below a level are neighbours and levels sort as levels. The incarnation is
 * part of the key. So a late write for an older incarnation of the session never overwrites the route of a newer one,
 * and is a stray that its first delivery removes. Within one incarnation the number decides which write is later, see
 * {@link RouteNumber}; on a node that is alone there are no numbers.
 */
public final class RouteKeys {
    private static final byte VERSION = 1;
    private static final byte END = 0;
    private static final byte SEPARATOR = 1;
    private static final byte ESCAPE = 2;
    private static final byte SESSION = 1;
    private static final byte SHARED_SESSION = 2;
    private static final byte ORDERED_SESSION = 3;
    private static final byte QUEUE_SESSION = 4;
    private static final byte EXCLUSIVE_SESSION = 5;
    private static final byte NUMBERED_VERSION = 2;
    private static final int VALUE_BYTES = 6;
    private static final int NUMBERED_VALUE_BYTES = VALUE_BYTES + 2 * Long.BYTES;
    private static final int QOS_MASK = 3;
    private static final int NO_LOCAL = 1 << 2;
    private static final int RETAIN_AS_PUBLISHED = 1 << 3;

    private RouteKeys() {}

    /** The prefix of all keys of {@code tenant}, and of no others. */
    public static byte[] tenantPrefix(TenantId tenant) {
        byte[] name = tenant.value().getBytes(StandardCharsets.US_ASCII);
        ByteBuffer prefix = ByteBuffer.allocate(name.length + 2);
        prefix.put(VERSION).put(name).put(END);
        return prefix.array();
    }

    /** The exclusive end of the keys that begin with a {@link #tenantPrefix}. */
    public static byte[] tenantEnd(TenantId tenant) {
        byte[] end = tenantPrefix(tenant);
        end[end.length - 1]++;
        return end;
    }

    public static byte[] key(TopicFilter filter, InboxReceiver receiver) {
        ByteArrayOutputStream key = new ByteArrayOutputStream(64);
        key.writeBytes(tenantPrefix(receiver.tenant()));
        for (byte b : filter.filter().getBytes(StandardCharsets.UTF_8)) {
            if (b == '/') {
                key.write(SEPARATOR);
            } else {
                if (b == SEPARATOR || b == ESCAPE) {
                    key.write(ESCAPE);
                }
                key.write(b);
            }
        }
        key.write(END);
        key.write(kindOf(filter.sharing()));
        String group = filter.shareGroup();
        if (group != null && filter.sharing() != Sharing.QUEUE) {
            key.writeBytes(group.getBytes(StandardCharsets.UTF_8));
            key.write(END);
        }
        key.writeBytes(receiver.clientId().value().getBytes(StandardCharsets.UTF_8));
        key.writeBytes(
                ByteBuffer.allocate(Long.BYTES).putLong(receiver.incarnation()).array());
        return key.toByteArray();
    }

    /** With {@link RouteNumber#NONE}. */
    public static byte[] value(SubscriptionOptions options) {
        return value(options, RouteNumber.NONE);
    }

    public static byte[] value(SubscriptionOptions options, RouteNumber number) {
        int flags = options.qos().value()
                | (options.noLocal() ? NO_LOCAL : 0)
                | (options.retainAsPublished() ? RETAIN_AS_PUBLISHED : 0);
        boolean isNumbered = !number.isNone();
        ByteBuffer value = ByteBuffer.allocate(isNumbered ? NUMBERED_VALUE_BYTES : VALUE_BYTES)
                .put(isNumbered ? NUMBERED_VERSION : VERSION)
                .put((byte) flags)
                .putInt(options.subscriptionId());
        if (isNumbered) {
            value.putLong(number.attachNumber()).putLong(number.change());
        }
        return value.array();
    }

    /**
     * The route stored as {@code key} and {@code value}. Fails with {@link IllegalArgumentException} when they have
     * another layout.
     */
    public static Route route(byte[] key, byte[] value) {
        Route.Key parsed = parse(key);
        return new Route(parsed.filter(), parsed.receiver(), options(value));
    }

    /**
     * The identity of the route of {@code key}. Fails with {@link IllegalArgumentException} when it has another layout.
     */
    static Route.Key parse(byte[] key) {
        checkVersion(key);
        int tenantEnd = endOf(key, 1);
        TenantId tenant = new TenantId(new String(key, 1, tenantEnd - 1, StandardCharsets.US_ASCII));
        int filterEnd = endOf(key, tenantEnd + 1);
        String filter = filter(key, tenantEnd + 1, filterEnd);
        byte kind = filterEnd + 1 < key.length ? key[filterEnd + 1] : 0;
        int clientAt = filterEnd + 2;
        Sharing sharing = sharingOf(kind);
        String group = sharing == Sharing.QUEUE ? "" : null;
        if (sharing == Sharing.SHARED || sharing == Sharing.ORDERED) {
            int groupEnd = endOf(key, clientAt);
            group = new String(key, clientAt, groupEnd - clientAt, StandardCharsets.UTF_8);
            clientAt = groupEnd + 1;
        }
        int clientLength = key.length - Long.BYTES - clientAt;
        if (clientLength < 1) {
            throw new IllegalArgumentException("route key of " + key.length + " bytes ends before its client id");
        }
        ClientId clientId = new ClientId(new String(key, clientAt, clientLength, StandardCharsets.UTF_8));
        long incarnation = ByteBuffer.wrap(key).getLong(clientAt + clientLength);
        return new Route.Key(new TopicFilter(group, filter, sharing), new InboxReceiver(tenant, clientId, incarnation));
    }

    private static byte kindOf(Sharing sharing) {
        return switch (sharing) {
            case NONE -> SESSION;
            case SHARED -> SHARED_SESSION;
            case ORDERED -> ORDERED_SESSION;
            case QUEUE -> QUEUE_SESSION;
            case EXCLUSIVE -> EXCLUSIVE_SESSION;
        };
    }

    private static Sharing sharingOf(byte kind) {
        return switch (kind) {
            case SESSION -> Sharing.NONE;
            case SHARED_SESSION -> Sharing.SHARED;
            case ORDERED_SESSION -> Sharing.ORDERED;
            case QUEUE_SESSION -> Sharing.QUEUE;
            case EXCLUSIVE_SESSION -> Sharing.EXCLUSIVE;
            default -> throw new IllegalArgumentException("route kind must be from 1 to 5, was " + kind);
        };
    }

    /**
     * The number of the last write. Fails with {@link IllegalArgumentException} when {@code value} has another layout.
     */
    static RouteNumber number(byte[] value) {
        checkValue(value);
        if (value[0] == VERSION) {
            return RouteNumber.NONE;
        }
        ByteBuffer in = ByteBuffer.wrap(value, VALUE_BYTES, 2 * Long.BYTES);
        return new RouteNumber(in.getLong(), in.getLong());
    }

    private static void checkValue(byte[] value) {
        int version = value.length == 0 ? 0 : value[0];
        if (version != VERSION && version != NUMBERED_VERSION) {
            throw new IllegalArgumentException(
                    "route value version must be 1 or 2, was " + (value.length == 0 ? "absent" : version));
        }
        int length = version == VERSION ? VALUE_BYTES : NUMBERED_VALUE_BYTES;
        if (value.length != length) {
            throw new IllegalArgumentException("route value must have " + length + " bytes, had " + value.length);
        }
    }

    private static SubscriptionOptions options(byte[] value) {
        checkValue(value);
        ByteBuffer in = ByteBuffer.wrap(value, 1, VALUE_BYTES - 1);
        int flags = in.get();
        return new SubscriptionOptions(
                Qos.of(flags & QOS_MASK), (flags & NO_LOCAL) != 0, (flags & RETAIN_AS_PUBLISHED) != 0, in.getInt());
    }

    private static String filter(byte[] key, int from, int to) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            if (key[i] == ESCAPE && i + 1 < to) {
                i++;
                text.write(key[i]);
            } else {
                text.write(key[i] == SEPARATOR ? '/' : key[i]);
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static int endOf(byte[] key, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == END) {
                return i;
            }
        }
        throw new IllegalArgumentException("route key of " + key.length + " bytes has no end of a field after " + from);
    }

    private static void checkVersion(byte[] key) {
        if (key.length == 0 || key[0] != VERSION) {
            throw new IllegalArgumentException(
                    "route key version must be 1, was " + (key.length == 0 ? "absent" : key[0]));
        }
    }
}
