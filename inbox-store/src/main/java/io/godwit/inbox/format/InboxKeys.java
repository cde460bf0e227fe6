package io.godwit.inbox.format;

import io.godwit.inbox.protocol.InboxId;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys of the store. Numbers are big-endian, so that byte order is number order.
 *
 * <pre>
 * size  field
 * 1+t   tenant: byte count, UTF-8 bytes
 * 1     bucket: one byte of a hash of the client id, so that one big tenant can be split into ranges
 * 2+c   inbox: byte count, UTF-8 bytes of the client id       -- up to here: the prefix of an inbox
 * 1     kind
 * n     what the kind needs:
 *
 * kind          rest                     value
 * 1 SESSION     -                        {@link SessionRecord}
 * 2 FILTERS     1 page                   {@link FilterTable}: the subscriptions
 * 3 CEILING     -                        8 bytes: no sequence at or above it has been handed out
 * 4 PROGRESS    -                        {@link Progress}: which messages are finished
 * 5 TOKEN       8 number, source bytes   {@link TokenRecord}: delivery tokens seen
 * 6 INBOUND     2 packet id              {@link InboundRecord}: QoS 2 messages received
 * 7 RUN         8 first sequence         {@link RunCodec}: consecutive messages
 * 8 BODY        8 sequence               one large message, as MessageCodec writes it
 * 9 RETAINED    filter                   {@link ReplayRecord}: how far a subscription has been given its retained
 *                                        messages
 * 10 LIVE       topic                    {@link ReplayRecord}: a live message came meanwhile
 * </pre>
 *
 * <p>A large message is stored beside its run, so that a walk over the runs of a queue stays cheap. Everything from
 * PROGRESS on belongs to one incarnation of the session, and one range delete removes it with the session, except for
 * messages that other members of shared groups are still to get ({@link Remains}). The ceiling stays as long as
 * anything of the client id is stored.
 */
public final class InboxKeys {
    public static final int SESSION = 1;
    public static final int FILTERS = 2;
    public static final int CEILING = 3;
    public static final int PROGRESS = 4;
    public static final int TOKEN = 5;
    public static final int INBOUND = 6;
    public static final int RUN = 7;
    public static final int BODY = 8;
    public static final int RETAINED = 9;
    public static final int LIVE = 10;
    /** Above every kind: the exclusive end of an inbox. */
    public static final int END = 0xFF;

    private InboxKeys() {}

    /** The prefix of an inbox. Requests for the inbox go to the range that holds this key. */
    public static byte[] prefix(TenantId tenant, ClientId clientId) {
        byte[] client = clientId.value().getBytes(StandardCharsets.UTF_8);
        ByteWriter out = new ByteWriter(tenant.value().length() + client.length + 4);
        tenantTo(out, tenant);
        out.u8(bucket(client));
        out.u16(client.length);
        out.raw(client);
        return out.toBytes();
    }

    /** The first key of a tenant. */
    public static byte[] tenantStart(TenantId tenant) {
        ByteWriter out = new ByteWriter(tenant.value().length() + 1);
        tenantTo(out, tenant);
        return out.toBytes();
    }

    /** The first key after those of a tenant. */
    public static byte[] tenantEnd(TenantId tenant) {
        byte[] end = tenantStart(tenant);
        end[end.length - 1]++; // a tenant's name is ASCII, so there is no carry
        return end;
    }

    /** {@code ranges - 1} keys that split the default tenant by buckets, ascending. */
    public static List<byte[]> splitKeys(int ranges) {
        if (ranges < 1 || ranges > 256) {
            throw new IllegalArgumentException("ranges must be 1 to 256, was " + ranges);
        }
        byte[] tenant = tenantStart(TenantId.DEFAULT);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 1; i < ranges; i++) {
            byte[] key = Arrays.copyOf(tenant, tenant.length + 1);
            key[tenant.length] = (byte) (i * 256 / ranges);
            keys.add(key);
        }
        return keys;
    }

    /** The part of a key after the prefix, for a kind without further fields. */
    public static byte[] suffix(int kind) {
        return new byte[] {(byte) kind};
    }

    public static byte[] suffix(int kind, long number) {
        byte[] suffix = new byte[9];
        suffix[0] = (byte) kind;
        for (int i = 0; i < 8; i++) {
            suffix[1 + i] = (byte) (number >>> (56 - 8 * i));
        }
        return suffix;
    }

    public static byte[] suffix(int kind, String text) {
        byte[] name = text.getBytes(StandardCharsets.UTF_8);
        byte[] suffix = new byte[1 + name.length];
        suffix[0] = (byte) kind;
        System.arraycopy(name, 0, suffix, 1, name.length);
        return suffix;
    }

    public static byte[] filtersSuffix(int page) {
        return new byte[] {(byte) FILTERS, (byte) page};
    }

    public static byte[] inboundSuffix(int packetId) {
        return new byte[] {(byte) INBOUND, (byte) (packetId >>> 8), (byte) packetId};
    }

    /** @param source see {@link TokenRecord#source} */
    public static byte[] tokenSuffix(String source, long number) {
        byte[] name = source.getBytes(StandardCharsets.UTF_8);
        byte[] suffix = Arrays.copyOf(suffix(TOKEN, number), 9 + name.length);
        System.arraycopy(name, 0, suffix, 9, name.length);
        return suffix;
    }

    public static byte[] key(byte[] prefix, byte[] suffix) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + suffix.length);
        System.arraycopy(suffix, 0, key, prefix.length, suffix.length);
        return key;
    }

    public static byte[] key(byte[] prefix, int kind) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + 1);
        key[prefix.length] = (byte) kind;
        return key;
    }

    public static byte[] key(byte[] prefix, int kind, long number) {
        return key(prefix, suffix(kind, number));
    }

    /** The number after the kind, in a key with a prefix of that length. */
    public static long number(byte[] key, int prefixLength) {
        return new ByteReader(key, prefixLength + 1, 8).u64();
    }

    /**
     * The prefix of the inbox that a key of any kind belongs to; the key itself when it is shorter than a whole prefix.
     */
    public static byte[] prefixOf(byte[] key) {
        int client = key.length == 0 ? 0 : 2 + (key[0] & 0xFF);
        if (key.length < client + 2 || key.length == 0) {
            return key;
        }
        int end = client + 2 + ((key[client] & 0xFF) << 8 | key[client + 1] & 0xFF);
        return key.length < end ? key : Arrays.copyOf(key, end);
    }

    /** The inbox that a key of any kind belongs to. */
    public static InboxId inboxOf(byte[] key) {
        ByteReader in = new ByteReader(key);
        TenantId tenant = new TenantId(new String(in.raw(in.u8()), StandardCharsets.UTF_8));
        in.u8();
        return new InboxId(tenant, new ClientId(new String(in.raw(in.u16()), StandardCharsets.UTF_8)));
    }

    private static void tenantTo(ByteWriter out, TenantId tenant) {
        byte[] name = tenant.value().getBytes(StandardCharsets.UTF_8);
        out.u8(name.length);
        out.raw(name);
    }

    /** FNV-1a, folded to a byte; part of the stored format. */
    private static int bucket(byte[] client) {
        int hash = 0x811C9DC5;
        for (byte b : client) {
            hash = (hash ^ b & 0xFF) * 0x01000193;
        }
        hash ^= hash >>> 16;
        return (hash ^ hash >>> 8) & 0xFF;
    }
}
