package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.connect.ConnectHandler;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.PacketHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Several connections want one client id: each gets its CONNACK, in the order in which they came, and the latest stays.
 */
class TakeoverTest {
    private static final String TAKEN_OVER = ReasonCode.SESSION_TAKEN_OVER.name();

    private final SessionStage stage = new SessionStage();

    private record Client(ConnectHandler begun, RecordingConnection connection) {
        /** Its connection has reported that it is closed, as it does by itself. */
        void closed() {
            PacketHandler last = Objects.requireNonNullElse(connection.handler, begun);
            last.onClosed(connection.closeCause, Objects.requireNonNull(connection.closeReason));
        }

        boolean isAccepted() {
            return connection.sent.stream()
                            .filter(ConnAck.class::isInstance)
                            .filter(answer -> ((ConnAck) answer).reasonCode() == ReasonCode.SUCCESS)
                            .count()
                    == 1;
        }
    }

    private Client connect() {
        ConnectHandler handler = stage.connecting();
        Client client = new Client(handler, stage.connection);
        handler.onPacket(
                new Connect(5, false, 0, "c", null, null, null, 60, -1, -1, -1, false, true, List.of(), null, null));
        stage.runTasks();
        return client;
    }

    @Test
    void whoIsTakenOverBeforeItsAnswerGetsBoth() {
        CompletableFuture<Void> committed = new CompletableFuture<>();
        stage.inbox.answerAttachesWith(committed);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            clients.add(connect());
        }
        assertThat(clients).noneMatch(Client::isAccepted);

        committed.complete(null); // one commit for all of them
        stage.runTasks();
        assertThat(clients).allMatch(Client::isAccepted);
        Client latest = clients.remove(clients.size() - 1);
        assertThat(clients).extracting(client -> client.connection.closeReason).containsOnly(TAKEN_OVER);
        clients.forEach(Client::closed);
        stage.runTasks();
        assertThat(latest.connection.isOpen()).isTrue();
        assertThat(stage.directory.size()).isEqualTo(1);
    }

    @Test
    void theNextOneDoesNotWaitForTheDetachToBeStored() {
        Client first = connect();
        assertThat(first.isAccepted()).isTrue();
        stage.inbox.answerDetachesWith(new CompletableFuture<>());
        Client second = connect();
        assertThat(first.connection.closeReason).isEqualTo(TAKEN_OVER);
        assertThat(second.isAccepted()).isFalse();

        first.closed();
        stage.runTasks();
        assertThat(second.isAccepted()).isTrue();
        assertThat(((ConnAck) second.connection.sent.get(0)).sessionPresent()).isTrue();
    }
}
