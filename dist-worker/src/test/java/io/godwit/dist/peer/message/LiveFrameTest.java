package io.godwit.dist.peer.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.peer.TestNode;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LiveFrameTest {
    private static final ClientInfo PUBLISHER =
            new ClientInfo(new TenantId("acme"), new ClientId("größer"), "user", "10.0.0.1:1", 5);
    private static final List<TopicFilter> GROUPS =
            List.of(TestNode.filter("$share/g/a/+"), TestNode.filter("$queue/a/b"), TestNode.filter("$oshare/o/#"));

    private static Message message() {
        return new Message(
                "a/b",
                new byte[] {1, 2, 3},
                Qos.EXACTLY_ONCE,
                true,
                1_000,
                new MessageProperties(1, 60, "text", "reply/to", new byte[] {9}, List.of(new UserProperty("k", "v"))));
    }

    private static byte[] full() {
        return full(SharedPick.HASH_BY_TOPIC);
    }

    private static byte[] full(@Nullable SharedPick asked) {
        DeliveryToken token = new DeliveryToken("origin", -4, 7, true);
        return LiveFrame.encode(1, PUBLISHER, message(), token, 3_500, true, GROUPS, 99, 7, asked);
    }

    @Test
    void allThatTheOtherNodeNeedsArrives() {
        LiveFrame frame = LiveFrame.decode(1, full(), 1_000_000);
        assertThat(frame.tenant()).isEqualTo(PUBLISHER.tenant());
        assertThat(frame.publisher()).isEqualTo(PUBLISHER.clientId());
        assertThat(frame.protocolLevel()).isEqualTo(5);
        assertThat(frame.token()).isEqualTo(new DeliveryToken("origin", -4, 7, true));
        assertThat(frame.isForPlain()).isTrue();
        assertThat(frame.groups()).isEqualTo(GROUPS);
        assertThat(frame.number()).isEqualTo(99);
        assertThat(frame.servingSince()).isEqualTo(7);
        assertThat(frame.asked()).isEqualTo(SharedPick.HASH_BY_TOPIC);
        Message message = frame.message();
        assertThat(message.topic()).isEqualTo("a/b");
        assertThat(message.payload()).containsExactly(1, 2, 3);
        assertThat(message.qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(message.retain()).isTrue();
        assertThat(message.receivedAtMillis()).isEqualTo(1_000_000 - 2_500);
        assertThat(message.properties().userProperties()).containsExactly(new UserProperty("k", "v"));
    }

    @Test
    void theUsualFrameHasNeitherTokenNorGroups() {
        LiveFrame frame = LiveFrame.decode(1, LiveFrame.encode(1, PUBLISHER, message(), null, 0), 5);
        assertThat(frame.token()).isNull();
        assertThat(frame.groups()).isEmpty();
        assertThat(frame.isForPlain()).isTrue();
        assertThat(frame.servingSince()).isZero();
        assertThat(frame.message().receivedAtMillis()).isEqualTo(5); // setting the clock back makes nothing younger
    }

    @Test
    void everyStrategyArrives() {
        for (SharedPick asked : SharedPick.values()) {
            assertThat(LiveFrame.decode(1, full(asked), 0).asked()).isEqualTo(asked);
        }
    }

    @Test
    void aStrategyOfALaterReleaseCountsAsNone() {
        byte[] frame = full(SharedPick.RANDOM);
        byte[] other = full(SharedPick.STICKY);
        int at = Arrays.mismatch(frame, other);
        frame[at] = 77;
        assertThat(LiveFrame.decode(1, frame, 0).asked()).isNull();
    }

    @Test
    void thePayloadOfALargeMessageIsNotCopied() {
        byte[] payload = new byte[Peer.PASSABLE_BYTES + 1];
        new Random(1).nextBytes(payload);
        Message large = new Message(
                "a/b", payload, Qos.AT_LEAST_ONCE, true, 1_000, message().properties());
        DeliveryToken token = new DeliveryToken("origin", -4, 7, true);
        LiveFrame.Parts parts = LiveFrame.encodeParts(1, PUBLISHER, large, token, 3_500);
        assertThat(parts.payload()).isSameAs(payload);
        byte[] frame = Arrays.copyOf(parts.head(), parts.length());
        System.arraycopy(payload, 0, frame, parts.head().length, payload.length);
        assertThat(frame).isEqualTo(LiveFrame.encode(1, PUBLISHER, large, token, 3_500));

        Message small =
                new Message("a/b", Arrays.copyOf(payload, 9), Qos.AT_LEAST_ONCE, false, 1_000, MessageProperties.NONE);
        LiveFrame.Parts whole = LiveFrame.encodeParts(1, PUBLISHER, small, null, 3_500);
        assertThat(whole.head()).isEqualTo(LiveFrame.encode(1, PUBLISHER, small, null, 3_500));
        assertThat(whole.payload()).isEmpty();
    }

    @Test
    void everyTruncationAndWhatFollowsAFrameIsRefused() {
        byte[] whole = full();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatIllegalArgumentException().isThrownBy(() -> LiveFrame.decode(1, cut, 0));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LiveFrame.decode(1, Arrays.copyOf(whole, whole.length + 1), 0));
    }

    @Test
    void announcedSizesTakeNoMemory() {
        byte[] whole = full();
        int clientLength = 1 + 1 + 1 + 1 + "acme".length();
        for (int hostile : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, whole.length}) {
            byte[] frame = whole.clone();
            ByteBuffer.wrap(frame).putInt(clientLength, hostile);
            assertThatIllegalArgumentException().isThrownBy(() -> LiveFrame.decode(1, frame, 0));
        }
    }

    @Test
    void damageIsRefusedOrGivesAFrameAndNothingElse() {
        Random random = new Random(17);
        byte[] whole = full();
        for (int i = 0; i < 50_000; i++) {
            byte[] damaged = whole.clone();
            for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                LiveFrame.decode(1, damaged, 0);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageMatching("(?s).+");
            }
        }
    }
}
