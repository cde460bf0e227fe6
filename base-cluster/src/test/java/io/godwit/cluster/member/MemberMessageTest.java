package io.godwit.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.MemberMessage.Announcement;
import io.godwit.cluster.member.MemberMessage.Leaving;
import io.godwit.cluster.member.MemberMessage.LeavingSeen;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberMessageTest {
    private static final Announcement ANNOUNCEMENT = new Announcement(
            5,
            true,
            false,
            new Member("n1", 1_700, new HostPort("::1", 8_900), "1.0", "prod", Map.of("zone", "a", "ü", "")));

    @Test
    void comesBackAsItWas() throws Exception {
        for (MemberMessage message : List.of(ANNOUNCEMENT, new Leaving(), new LeavingSeen())) {
            assertThat(MemberMessage.decode(message.encode())).isEqualTo(message);
        }
    }

    @Test
    void everyTruncationIsRefused() {
        byte[] whole = ANNOUNCEMENT.encode();
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> MemberMessage.decode(part)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void anotherFormatIsRefused() {
        byte[] other = new Leaving().encode();
        other[0] = 2;
        assertThatThrownBy(() -> MemberMessage.decode(other)).hasMessageContaining("format 2");
    }
}
