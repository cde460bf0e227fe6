package io.godwit.mqtt.session.inbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import org.junit.jupiter.api.Test;

class InboundAliasesTest {
    private final InboundAliases aliases = new InboundAliases(3);

    private String resolve(int alias, String topic) {
        return aliases.resolve(new Publish(
                0, false, Qos.AT_MOST_ONCE, false, topic, alias, new byte[0], MessageProperties.NONE, new int[0]));
    }

    @Test
    void anAliasMeansItsLastTopic() {
        assertThat(resolve(1, "a")).isEqualTo("a");
        assertThat(resolve(1, "b")).isEqualTo("b");
        assertThat(resolve(1, "")).isEqualTo("b");
    }

    /** They are kept as long as the connection lasts, however many connections there are. */
    @Test
    void theirTopicsHaveALengthTogether() {
        String half = "x".repeat(InboundAliases.MAX_CHARS / 2);
        resolve(1, half);
        resolve(2, half);
        resolve(2, "y".repeat(half.length())); // in the place of the other
        assertThatThrownBy(() -> resolve(3, "z"))
                .isInstanceOfSatisfying(
                        ProtocolException.class, e -> assertThat(e.reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED));
    }
}
