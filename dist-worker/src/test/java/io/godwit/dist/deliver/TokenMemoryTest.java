package io.godwit.dist.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.Match;
import io.godwit.dist.index.TestReceiver;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenMemoryTest {
    private static final int LONG = 60_000;
    private static final long MOST = TokenMemory.MAX_CHARS / LONG;

    private final TokenMemory<String> memory = new TokenMemory<>();

    private static String origin(int number) {
        return String.valueOf(number) + "x".repeat(LONG);
    }

    @Test
    void theOldestIsForgottenFirstAndAPlaceIsKept() {
        memory.put("o", 1, "a");
        memory.put("o", 2, "b");
        memory.put("o", 1, "c");
        assertThat(memory.isOver(2)).isFalse();
        assertThat(memory.isOver(1)).isTrue();
        assertThat(memory.forgetOldest()).isEqualTo("c");
        assertThat(memory.get("o", 1)).isNull();
        assertThat(memory.get("o", 2)).isEqualTo("b");
    }

    @Test
    void longOriginsCountUntilTheyAreFinished() {
        for (int i = 0; i < 1_000; i++) {
            memory.put(origin(i), i, "v");
            assertThat(memory.remove(origin(i), i)).isEqualTo("v");
            assertThat(memory.remove(origin(i), i)).isNull();
        }
        for (int i = 0; !memory.isOver(100_000); i++) {
            memory.put(origin(i), i, "v");
        }
        assertThat((long) memory.size()).isBetween(MOST - 1, MOST + 1);
    }

    /** Both memories hold an origin for each token. */
    @Test
    void whatIsRememberedOfMessagesIsBoundedInBytes() {
        SharedChoices choices = new SharedChoices(System::nanoTime);
        ServedReceivers served = new ServedReceivers(System::nanoTime);
        TopicFilter group = TopicFilter.parse("$share/g/t").orElseThrow();
        List<Match> one = List.of(new Match(new TestReceiver("s"), Qos.EXACTLY_ONCE, false, Match.NO_IDS));
        for (int i = 0; i < 2 * MOST; i++) {
            DeliveryToken token = new DeliveryToken(origin(i), i, 0);
            choices.declined(token, group);
            served.unserved(token, one);
        }
        assertThat((long) choices.size()).isBetween(MOST - 1, MOST);
        assertThat((long) served.size()).isBetween(MOST - 1, MOST);
    }
}
