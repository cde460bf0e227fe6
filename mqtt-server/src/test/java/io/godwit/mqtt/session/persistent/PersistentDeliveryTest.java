package io.godwit.mqtt.session.persistent;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InboxMessage;
import io.godwit.mqtt.session.SessionStage;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages that the inbox delivers to a connection that cannot send them. */
class PersistentDeliveryTest {
    private final SessionStage stage = new SessionStage();

    @Test
    void qos0HandedToAClosedConnectionIsCountedAndTheRestStaysInTheInbox() {
        PersistentSession session = stage.persistent();
        session.onClosed(DisconnectCause.CONNECTION_LOST, "cable cut");
        stage.mail.take(List.of(message(0, "zero"), message(1, "one"), message(2, "two")));
        stage.runTasks();
        assertThat(drops()).containsExactly(dropped("zero"));
        assertThat(stage.publishes()).isEmpty();
    }

    @Test
    void qos0ThatWaitedBehindOthersWhenTheConnectionClosedIsCounted() {
        PersistentSession session = stage.persistent();
        stage.connection.isWritable = false;
        stage.mail.take(List.of(message(1, "one")));
        stage.runTasks();
        stage.connection.isWritable = true;
        stage.mail.take(List.of(message(0, "zero"), message(2, "two")));
        stage.runTasks();
        assertThat(stage.publishes()).isEmpty();

        stage.cut(session);
        assertThat(drops()).containsExactly(dropped("zero"));
    }

    private List<BrokerEvent> drops() {
        return stage.events(BrokerEvent.MessageDropped.class, "godwit.mqtt.messages.dropped", "session_ended");
    }

    private static BrokerEvent dropped(String topic) {
        return new BrokerEvent.MessageDropped(TenantId.DEFAULT, new ClientId("c"), topic, DropReason.SESSION_ENDED);
    }

    private static InboxMessage message(int qos, String topic) {
        Message message = new Message(topic, new byte[1], Qos.of(qos), false, 0, MessageProperties.NONE);
        return new InboxMessage(qos, qos == 0 ? 0 : 1 + qos, message, Qos.of(qos), false, false, false, new int[0]);
    }
}
