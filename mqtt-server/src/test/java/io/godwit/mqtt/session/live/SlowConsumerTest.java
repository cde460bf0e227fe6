package io.godwit.mqtt.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who counts as a slow consumer, what is told of it, and when it is disconnected. */
class SlowConsumerTest extends TransientSessionFixture {
    private List<BrokerEvent> paceEvents() {
        return events.stream()
                .filter(event -> event instanceof BrokerEvent.SlowConsumerBegan
                        || event instanceof BrokerEvent.SlowConsumerEnded)
                .toList();
    }

    /** One event for all that it loses, and one at the end. */
    @Test
    void aSlowConsumerIsToldOnceAndItsEndWithTheCount() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        for (int i = 0; i < 7; i++) {
            deliver(session, "lost", Qos.AT_MOST_ONCE);
        }
        tick(session, 1);
        connection.isWritable = true;
        assertThat(paceEvents()).containsExactly(new BrokerEvent.SlowConsumerBegan(session.client()));
        tick(session, 2);
        assertThat(paceEvents())
                .last()
                .isEqualTo(new BrokerEvent.SlowConsumerEnded(session.client(), 7, Duration.ofSeconds(2)));
        assertThat(drops()).hasSize(7);
    }

    @Test
    void whomTheBandwidthLimitHoldsBackIsNoSlowConsumer() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        connection.isOverBandwidth = true;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        tick(session, 10);
        assertThat(drops()).containsExactly(DropReason.BANDWIDTH);
        assertThat(paceEvents()).isEmpty();
    }

    @Test
    void aSocketThatIsFullForAMomentIsNoSlowConsumer() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        tick(session, 2);
        connection.isWritable = true;
        tick(session, 1);
        connection.isWritable = false;
        tick(session, 2);
        assertThat(paceEvents()).isEmpty();
        tick(session, 1);
        session.onClosed(DisconnectCause.CONNECTION_LOST, "gone");
        assertThat(paceEvents())
                .containsExactly(
                        new BrokerEvent.SlowConsumerBegan(session.client()),
                        new BrokerEvent.SlowConsumerEnded(session.client(), 0, Duration.ofSeconds(1)));
    }

    @Test
    void aFullQueueMakesASlowConsumerToo() {
        TransientSession session = session(4, 1, config(1000, 1, false, 1 << 20));
        for (int i = 0; i < 4; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(paceEvents()).containsExactly(new BrokerEvent.SlowConsumerBegan(session.client()));
        tick(session, 1);
        assertThat(paceEvents())
                .as("no end is reported, because the session has just dropped a message")
                .hasSize(1);
        tick(session, 1);
        assertThat(paceEvents())
                .last()
                .isEqualTo(new BrokerEvent.SlowConsumerEnded(session.client(), 2, Duration.ofSeconds(2)));
    }

    @Test
    void whoIsSlowForTooLongIsDisconnectedWhereConfigured() {
        SessionConfig config = config(100, 10, false, 1 << 20).with(new SessionConfig.Times(0, 0, 20));
        TransientSession session = session(5, 10, config);
        connection.isWritable = false;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        tick(session, 19);
        assertThat(connection.closeReason).isNull();
        tick(session, 1);
        assertThat(connection.closeReason).isEqualTo("QUOTA_EXCEEDED");
        assertThat(connection.closeCause).isEqualTo(DisconnectCause.SLOW_CONSUMER);
    }

    @Test
    void theTenantSaysHowLongIsTooLong() {
        settings = TenantSettings.builder()
                .set(TenantSetting.SLOW_CONSUMER_TIMEOUT_SECONDS, 5)
                .build();
        SessionConfig config = config(100, 10, false, 1 << 20).with(new SessionConfig.Times(0, 0, 20));
        TransientSession session = session(5, 10, config);
        connection.isWritable = false;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        tick(session, 4);
        assertThat(connection.closeReason).isNull();
        tick(session, 1);
        assertThat(connection.closeReason).isEqualTo("QUOTA_EXCEEDED");
    }
}
