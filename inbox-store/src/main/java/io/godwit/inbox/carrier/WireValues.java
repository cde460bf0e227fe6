package io.godwit.inbox.carrier;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.wire.Client;
import io.godwit.inbox.wire.DeliveredMessage;
import io.godwit.inbox.wire.Inbox;
import io.godwit.inbox.wire.Subscription;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that commands, replies and deliveries are made of, on the wire. What comes from the wire is checked by the
 * constructors of the values: they throw {@link IllegalArgumentException}.
 */
final class WireValues {
    private WireValues() {}

    static ByteString message(Message message) {
        return UnsafeByteOperations.unsafeWrap(MessageCodec.encode(message));
    }

    static Message message(ByteString bytes) {
        return MessageCodec.decode(bytes.asReadOnlyByteBuffer());
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

    static Inbox inbox(InboxId id) {
        return Inbox.newBuilder()
                .setTenant(id.tenant().value())
                .setClientId(id.clientId().value())
                .build();
    }

    static InboxId inbox(Inbox in) {
        return new InboxId(new TenantId(in.getTenant()), new ClientId(in.getClientId()));
    }

    static io.godwit.inbox.wire.Will will(Will will) {
        return io.godwit.inbox.wire.Will.newBuilder()
                .setMessage(message(will.message()))
                .setDelaySeconds(will.delaySeconds())
                .build();
    }

    static Will will(io.godwit.inbox.wire.Will in) {
        return new Will(message(in.getMessage()), in.getDelaySeconds());
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

    static List<StoredSubscription> subscriptions(List<Subscription> in) {
        List<StoredSubscription> out = new ArrayList<>(in.size());
        in.forEach(each -> out.add(subscription(each)));
        return out;
    }

    static DeliveredMessage delivered(InboxMessage message) {
        DeliveredMessage.Builder out = DeliveredMessage.newBuilder()
                .setSequence(message.sequence())
                .setPacketId(message.packetId())
                .setMessage(message(message.message()))
                .setQos(message.qos().value())
                .setRetain(message.retain())
                .setRedelivered(message.redelivered())
                .setReleased(message.released());
        for (int id : message.subscriptionIds()) {
            out.addSubscriptionIds(id);
        }
        return out.build();
    }

    static InboxMessage delivered(DeliveredMessage in) {
        return new InboxMessage(
                in.getSequence(),
                in.getPacketId(),
                message(in.getMessage()),
                Qos.of(in.getQos()),
                in.getRetain(),
                in.getRedelivered(),
                in.getReleased(),
                ints(in.getSubscriptionIdsList()));
    }

    static int[] ints(List<Integer> in) {
        return in.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Absent as null. */
    static @Nullable String textOrNull(boolean isThere, String text) {
        return isThere ? text : null;
    }
}
