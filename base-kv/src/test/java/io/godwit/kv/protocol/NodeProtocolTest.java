package io.godwit.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.member.Member;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeProtocolTest {
    private static Member announcing(Map<String, String> attributes) {
        return new Member("b", 1, new HostPort("127.0.0.1", 1), "1", "", attributes);
    }

    private static NodeProtocol versions(int least, int most) {
        return new NodeProtocol(new VersionRange(least, most));
    }

    private static int agreed(NodeProtocol one, NodeProtocol other) {
        return one.agreedWith(announcing(other.announcement()));
    }

    @Test
    void theHighestCommonVersionIsUsed() {
        assertThat(agreed(NodeProtocol.CURRENT, NodeProtocol.CURRENT)).isEqualTo(NodeProtocol.VERSION);
        assertThat(agreed(versions(1, 2), versions(2, 5))).isEqualTo(2);
        assertThat(agreed(versions(2, 5), versions(1, 2))).isEqualTo(2);
        assertThat(agreed(versions(1, 2), versions(3, 4))).isZero();
    }

    @Test
    void aMemberThatAnnouncesNothingIsFromBeforeProtobuf() {
        assertThat(NodeProtocol.BEFORE_PROTOBUF.announcement()).isEmpty();
        assertThat(agreed(NodeProtocol.CURRENT, NodeProtocol.BEFORE_PROTOBUF)).isEqualTo(1);
        assertThat(agreed(NodeProtocol.BEFORE_PROTOBUF, NodeProtocol.CURRENT)).isEqualTo(1);
        assertThat(agreed(versions(2, 3), NodeProtocol.BEFORE_PROTOBUF)).isZero();
        assertThat(versions(2, 3).lackWith(announcing(Map.of())))
                .isEqualTo("this node supports versions 2 to 3 of the messages between nodes, b announces 1-1");
    }

    @Test
    void anAnnouncementThatMakesNoSenseHasNoCommonVersion() {
        String attribute =
                NodeProtocol.CURRENT.announcement().keySet().iterator().next();
        for (String text : new String[] {"", "2", "2-1", "0-2", "-1-2", "1-2 ", "a-b", "1-99999999999"}) {
            assertThat(NodeProtocol.CURRENT.agreedWith(announcing(Map.of(attribute, text))))
                    .as(text)
                    .isZero();
        }
    }

    @Test
    void eachVersionIsServedInItsForm() {
        assertThat(NodeProtocol.CURRENT.served("legacy", "protobuf")).containsExactly("legacy", "protobuf");
        assertThat(NodeProtocol.BEFORE_PROTOBUF.served("legacy", "protobuf")).containsExactly("legacy");
        assertThat(versions(2, 3).served("legacy", "protobuf")).containsExactly("protobuf");
    }
}
