package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.connect.ConnectHandler;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection.Pause;
import io.godwit.plugin.event.DisconnectCause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Packets after a CONNECT are not read while the stores are asked; when no store is asked, reading goes on. */
class ConnectPauseTest {
    private static final Connect CONNECT = new Connect(5, true, 60, "c", null, null, null);

    private final SessionStage stage = new SessionStage();
    private final ConnectHandler handler = stage.connecting();

    @Test
    void whoIsLetInAtOnceIsReadOn() {
        handler.onPacket(CONNECT);
        assertThat(stage.connection.sent).singleElement().isInstanceOf(ConnAck.class);
        assertThat(stage.connection.allPauses).isEmpty();
    }

    /** CONNECTs that wait are decoded packets of anybody. */
    @Test
    void tooManyLargeOnesThatWaitAreRefusedAndGiveTheirRoomBack() {
        stage.inbox.answerDeletesWith(new CompletableFuture<>());
        String user = "u".repeat(30_000);
        List<ConnectHandler> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ConnectHandler each = i == 0 ? handler : stage.connecting();
            each.onPacket(new Connect(5, true, 60, "c" + i, user, null, null));
            waiting.add(each);
        }
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.SERVER_BUSY.name());
        waiting.get(0).onClosed(DisconnectCause.CONNECTION_LOST, "gone");
        ConnectHandler next = stage.connecting();
        next.onPacket(new Connect(5, true, 60, "next", user, null, null));
        assertThat(stage.connection.closeReason).isNull();
    }

    @Test
    void whoWaitsForTheStoreIsNotReadUntilItHasAnswered() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        stage.inbox.answerDeletesWith(answer);
        handler.onPacket(CONNECT);
        assertThat(stage.connection.pauses).containsExactly(Pause.CONNECTING);
        assertThat(stage.connection.sent).isEmpty();

        answer.complete(null);
        stage.runTasks();
        assertThat(stage.connection.sent).hasExactlyElementsOfTypes(ConnAck.class);
        assertThat(stage.connection.pauses).isEmpty();
    }

    /** The reader holds back later packets, so nothing arrives that would have to be kept. */
    @Test
    void aPacketBeforeTheAnswerIsAgainstTheProtocol() {
        stage.inbox.answerDeletesWith(new CompletableFuture<>());
        handler.onPacket(CONNECT);
        assertThatThrownBy(() -> handler.onPacket(CONNECT))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("before CONNACK");
    }
}
