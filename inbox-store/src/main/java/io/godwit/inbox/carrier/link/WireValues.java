package io.godwit.inbox.carrier.link;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.wire.Client;
import io.godwit.inbox.wire.DeliveredMessage;
import io.godwit.inbox.wire.Inbox;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.Subscription;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Wire format of the values in commands, replies and deliveries. The constructors of the values check what is received:
 * they throw {@link IllegalArgumentException}.
 *
 * <p>Clocks of two nodes differ. So a message is sent with its age, and the receiving node computes the time of receipt
 * by its own clock. Each {@code nowMillis} is of that clock: milliseconds since the epoch, as used by the node's
 * stores.
 */
public final class WireValues {
    private WireValues() {}

    /** Decodes a frame. Its byte fields refer to {@code bytes}, which the frame owns. */
    public static InboxFrame frame(byte[] bytes) throws InvalidProtocolBufferException {
        CodedInputStream in = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
        in.enableAliasing(true); // MessageCodec makes the only copy of a payload
        InboxFrame frame = InboxFrame.parser().parseFrom(in);
        in.checkLastTagWas(0); // fails if bytes follow the frame
        return frame;
    }

    static ByteString message(Message message, long nowMillis) {
        long ageMillis = Math.max(0, nowMillis - message.receivedAtMillis());
        return UnsafeByteOperations.unsafeWrap(MessageCodec.encode(at(message, ageMillis)));
    }

    static Message message(ByteString bytes, long nowMillis) {
        Message sent = MessageCodec.decode(bytes.asReadOnlyByteBuffer());
        long ageMillis = sent.receivedAtMillis();
        if (ageMillis < 0) {
            throw new IllegalArgumentException("a message cannot be " + ageMillis + " ms old");
        }
        return at(sent, Math.max(0, nowMillis - ageMillis));
    }

    private static Message at(Message message, long millis) {
        return new Message(
                message.topic(), message.payload(), message.qos(), message.retain(), millis, message.properties());
    }

    static Client client(ClientInfo client) {
        Client.Builder out = Client.newBuilder()
                .setTenant(client.tenant().value())
                .setClientId(client.clientId().value())
                .setRemoteAddress(client.remoteAddress())
                .setProtocolLevel(client.protocolLevel());
        String user = client.userName();
        if (user != null) {
            out.setUserName(user);
        }
        return out.build();
    }

    static ClientInfo client(Client in) {
        return new ClientInfo(
                new TenantId(in.getTenant()),
                new ClientId(in.getClientId()),
                in.hasUserName() ? in.getUserName() : null,
                in.getRemoteAddress(),
                in.getProtocolLevel());
    }

    public static Inbox inbox(InboxId id) {
        return Inbox.newBuilder()
                .setTenant(id.tenant().value())
                .setClientId(id.clientId().value())
                .build();
    }

    static InboxId inbox(Inbox in) {
        return new InboxId(new TenantId(in.getTenant()), new ClientId(in.getClientId()));
    }

    static io.godwit.inbox.wire.Will will(Will will, long nowMillis) {
        return io.godwit.inbox.wire.Will.newBuilder()
                .setMessage(message(will.message(), nowMillis))
                .setDelaySeconds(will.delaySeconds())
                .build();
    }

    static Will will(io.godwit.inbox.wire.Will in, long nowMillis) {
        return new Will(message(in.getMessage(), nowMillis), in.getDelaySeconds());
    }

    static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow(() -> new IllegalArgumentException("not a topic filter"));
    }

    static Subscription subscription(StoredSubscription subscription) {
        Subscription.Builder out = Subscription.newBuilder()
                .setFilter(subscription.filter().text())
                .setQos(subscription.qos().value())
                .setNoLocal(subscription.noLocal())
                .setRetainAsPublished(subscription.retainAsPublished())
                .setRetainHandling(subscription.retainHandling())
                .setSubscriptionId(subscription.subscriptionId());
        String from = subscription.retainedFrom();
        if (from != null) {
            out.setRetainedFrom(from);
        }
        return out.build();
    }

    static StoredSubscription subscription(Subscription in) {
        return new StoredSubscription(
                filter(in.getFilter()),
                Qos.of(in.getQos()),
                in.getNoLocal(),
                in.getRetainAsPublished(),
                in.getRetainHandling(),
                in.getSubscriptionId(),
                in.hasRetainedFrom() ? in.getRetainedFrom() : null);
    }

    public static List<StoredSubscription> subscriptions(List<Subscription> in) {
        List<StoredSubscription> out = new ArrayList<>(in.size());
        in.forEach(each -> out.add(subscription(each)));
        return out;
    }

    static DeliveredMessage delivered(InboxMessage message, long nowMillis) {
        DeliveredMessage.Builder out = DeliveredMessage.newBuilder()
                .setSequence(message.sequence())
                .setPacketId(message.packetId())
                .setMessage(message(message.message(), nowMillis))
                .setQos(message.qos().value())
                .setRetain(message.retain())
                .setRedelivered(message.redelivered())
                .setReleased(message.released());
        for (int id : message.subscriptionIds()) {
            out.addSubscriptionIds(id);
        }
        return out.build();
    }

    static InboxMessage delivered(DeliveredMessage in, long nowMillis) {
        return new InboxMessage(
                in.getSequence(),
                in.getPacketId(),
                message(in.getMessage(), nowMillis),
                Qos.of(in.getQos()),
                in.getRetain(),
                in.getRedelivered(),
                in.getReleased(),
                ints(in.getSubscriptionIdsCount(), in::getSubscriptionIds));
    }

    /** Reads a repeated field without boxing. */
    static int[] ints(int count, IntUnaryOperator field) {
        int[] out = new int[count];
        Arrays.setAll(out, field);
        return out;
    }

    /** Maps an absent text to null. */
    static @Nullable String textOrNull(boolean isThere, String text) {
        return isThere ? text : null;
    }
}
