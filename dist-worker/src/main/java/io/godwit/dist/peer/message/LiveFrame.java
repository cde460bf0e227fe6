package io.godwit.dist.peer.message;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.SharedPick;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.plugin.topic.TopicName;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way to the live sessions of another node. Numbers are big-endian, texts UTF-8.
 *
 * <pre>
 * size  field
 * 1     version that both nodes have agreed on ({@link io.godwit.cluster.link.Peer#version}); below is 1
 * 1     flags: bit 0 token present, 1 its message may have been distributed by an earlier process,
 *       2 for plain subscriptions, 3 for groups, 4 the sender's serving revision present,
 *       5 strategy present; rest 0
 * 1     protocol level of the publisher
 * 1+n   tenant
 * 4+n   client id of the publisher, for no-local
 * 8     milliseconds since the broker received the message: clocks of two nodes differ, and expiry counts from there
 * 8     number of the token                       (if bit 0)
 * 8     tokens of the origin below are finished   (if bit 0)
 * 4+n   origin of the token                       (if bit 0)
 * 8     number of the frame, for the answer; 0 when none is wanted   (if bit 3)
 * 2     number of groups, each then:              (if bit 3)
 *   4+n   its shared filter
 * 8     revision of the agreed members since which the sender serves   (if bit 4)
 * 1     strategy of the publisher's listener for the groups   (if bit 5): 1 random, 2 round-robin, 3 sticky,
 *       4 hash by client, 5 hash by topic, 6 local first; another value counts as none. Only for a peer that has said
 *       that it reads strategies, see FilterChanges
 * n     the message, see MessageCodec; its time of arrival is the sender's, and not used
 * </pre>
 *
 * @param message with its time of receipt by the clock of this node
 * @param isForPlain whether sessions with plain subscriptions get it
 * @param groups shared groups; one member of each gets it
 * @param number of the frame when the answer is wanted, else 0
 * @param servingSince see {@link io.godwit.kv.client.Resend#servingSince}; 0 when the groups get it in any case
 * @param asked strategy of the publisher's listener for the groups; null for none
 */
record LiveFrame(
        TenantId tenant,
        ClientId publisher,
        int protocolLevel,
        @Nullable DeliveryToken token,
        Message message,
        boolean isForPlain,
        List<TopicFilter> groups,
        long number,
        long servingSince,
        @Nullable SharedPick asked) {
    private static final byte[] NOTHING = {};

    private static final int TOKEN = 1;
    private static final int RESUMED = 1 << 1;
    private static final int PLAIN = 1 << 2;
    private static final int GROUPS = 1 << 3;
    private static final int SINCE = 1 << 4;
    private static final int STRATEGY = 1 << 5;
    private static final int KNOWN_FLAGS = (1 << 6) - 1;
    private static final int FIXED_BYTES = 4 + Integer.BYTES + Long.BYTES;
    private static final int TOKEN_BYTES = 2 * Long.BYTES + Integer.BYTES;

    /** A frame for plain subscriptions. */
    static byte[] encode(
            int version, ClientInfo publisher, Message message, @Nullable DeliveryToken token, long nowMillis) {
        return encode(version, publisher, message, token, nowMillis, true, List.of(), 0, 0, null);
    }

    static byte[] encode(
            int version,
            ClientInfo publisher,
            Message message,
            @Nullable DeliveryToken token,
            long nowMillis,
            boolean isForPlain,
            List<TopicFilter> groups,
            long number,
            long servingSince,
            @Nullable SharedPick asked) {
        byte[] tenant = bytes(publisher.tenant().value());
        byte[] client = bytes(publisher.clientId().value());
        byte[] origin = token == null ? new byte[0] : bytes(token.origin());
        List<byte[]> filters = groups.isEmpty()
                ? List.of()
                : groups.stream().map(group -> bytes(group.text())).toList();
        int flags = (isForPlain ? PLAIN : 0) | (groups.isEmpty() ? 0 : GROUPS) | (servingSince == 0 ? 0 : SINCE);
        flags |= asked == null ? 0 : STRATEGY;
        int size = FIXED_BYTES + tenant.length + client.length + MessageCodec.encodedSize(message);
        if (token != null) {
            flags |= TOKEN | (token.isResumed() ? RESUMED : 0);
            size += TOKEN_BYTES + origin.length;
        }
        if (!groups.isEmpty()) {
            size += Long.BYTES + Short.BYTES;
            for (byte[] filter : filters) {
                size += Integer.BYTES + filter.length;
            }
        }
        if (servingSince != 0) {
            size += Long.BYTES;
        }
        size += asked == null ? 0 : 1;
        ByteBuffer out = ByteBuffer.allocate(size);
        out.put((byte) version).put((byte) flags).put((byte) publisher.protocolLevel());
        out.put((byte) tenant.length).put(tenant);
        out.putInt(client.length).put(client);
        out.putLong(Math.max(0, nowMillis - message.receivedAtMillis()));
        if (token != null) {
            out.putLong(token.number()).putLong(token.finishedBelow());
            out.putInt(origin.length).put(origin);
        }
        if (!groups.isEmpty()) {
            out.putLong(number).putShort((short) filters.size());
            filters.forEach(filter -> out.putInt(filter.length).put(filter));
        }
        if (servingSince != 0) {
            out.putLong(servingSince);
        }
        if (asked != null) {
            out.put(numberOf(asked));
        }
        MessageCodec.writeTo(out, message);
        return out.array();
    }

    /**
     * The two parts of a frame.
     *
     * @param payload of a large message; else empty, and {@code head} is the whole frame
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Parts(byte[] head, byte[] payload) {
        int length() {
            return head.length + payload.length;
        }
    }

    /**
     * A frame for plain subscriptions. The payload of a large message is not copied into it: that would take the event
     * loop of the publisher several milliseconds for 20 MiB.
     */
    static Parts encodeParts(
            int version, ClientInfo publisher, Message message, @Nullable DeliveryToken token, long nowMillis) {
        byte[] payload = message.payload();
        if (payload.length <= Peer.PASSABLE_BYTES) {
            return new Parts(encode(version, publisher, message, token, nowMillis), NOTHING);
        }
        Message empty = new Message(
                message.topic(),
                NOTHING,
                message.qos(),
                message.retain(),
                message.receivedAtMillis(),
                message.properties());
        byte[] head = encode(version, publisher, empty, token, nowMillis);
        // the frame ends with the payload, and before it the number of its bytes
        ByteBuffer.wrap(head).putInt(head.length - Integer.BYTES, payload.length);
        return new Parts(head, payload);
    }

    /** Approximate size of a frame for plain subscriptions, computed at once. */
    static int sizeAbout(ClientInfo publisher, Message message) {
        return message.heapBytes() + publisher.clientId().value().length();
    }

    /**
     * Fails with {@link IllegalArgumentException} when the bytes are no such frame. Keeps no reference to
     * {@code frame}.
     *
     * @param agreed the version that the sender must keep to
     */
    static LiveFrame decode(int agreed, byte[] frame, long nowMillis) {
        ByteBuffer in = ByteBuffer.wrap(frame);
        try {
            byte version = in.get();
            int flags = in.get();
            if (version != agreed || (flags & ~KNOWN_FLAGS) != 0) {
                throw new IllegalArgumentException(
                        "live frame of version " + version + " and not " + agreed + ", flags " + flags);
            }
            int protocolLevel = in.get();
            TenantId tenant = new TenantId(text(in, Byte.toUnsignedInt(in.get())));
            ClientId publisher = new ClientId(text(in, in.getInt()));
            long ageMillis = in.getLong();
            if (ageMillis < 0) {
                throw new IllegalArgumentException("a message cannot be " + ageMillis + " ms old");
            }
            DeliveryToken token = null;
            if ((flags & TOKEN) != 0) {
                long number = in.getLong();
                long finishedBelow = in.getLong();
                token = new DeliveryToken(text(in, in.getInt()), number, finishedBelow, (flags & RESUMED) != 0);
            }
            long number = 0;
            List<TopicFilter> groups = List.of();
            if ((flags & GROUPS) != 0) {
                number = in.getLong();
                groups = groups(in, Short.toUnsignedInt(in.getShort()));
            }
            long servingSince = (flags & SINCE) == 0 ? 0 : in.getLong();
            SharedPick asked = (flags & STRATEGY) == 0 ? null : strategy(in.get());
            Message message = received(MessageCodec.decode(in), nowMillis - ageMillis);
            if (in.hasRemaining() || !TopicName.isValid(message.topic())) {
                throw new IllegalArgumentException("a live frame ends with a message of a valid topic");
            }
            return new LiveFrame(
                    tenant,
                    publisher,
                    protocolLevel,
                    token,
                    message,
                    (flags & PLAIN) != 0,
                    groups,
                    number,
                    servingSince,
                    asked);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("live frame of " + frame.length + " bytes is cut", e);
        }
    }

    private static byte numberOf(SharedPick strategy) {
        return switch (strategy) {
            case RANDOM -> 1;
            case ROUND_ROBIN -> 2;
            case STICKY -> 3;
            case HASH_BY_CLIENT -> 4;
            case HASH_BY_TOPIC -> 5;
            case LOCAL_FIRST -> 6;
        };
    }

    private static @Nullable SharedPick strategy(byte number) {
        return switch (number) {
            case 1 -> SharedPick.RANDOM;
            case 2 -> SharedPick.ROUND_ROBIN;
            case 3 -> SharedPick.STICKY;
            case 4 -> SharedPick.HASH_BY_CLIENT;
            case 5 -> SharedPick.HASH_BY_TOPIC;
            case 6 -> SharedPick.LOCAL_FIRST;
            default -> null;
        };
    }

    private static List<TopicFilter> groups(ByteBuffer in, int count) {
        if (count > in.remaining() / Integer.BYTES) {
            throw new BufferUnderflowException();
        }
        List<TopicFilter> groups = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            groups.add(TopicFilter.parse(text(in, in.getInt()))
                    .filter(TopicFilter::isShared)
                    .orElseThrow(() -> new IllegalArgumentException("a group has a shared filter")));
        }
        return List.copyOf(groups);
    }

    private static Message received(Message sent, long atMillis) {
        return new Message(sent.topic(), sent.payload(), sent.qos(), sent.retain(), atMillis, sent.properties());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        String text = new String(in.array(), in.arrayOffset() + in.position(), length, StandardCharsets.UTF_8);
        in.position(in.position() + length);
        return text;
    }
}
