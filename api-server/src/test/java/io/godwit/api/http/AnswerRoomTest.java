package io.godwit.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnswerRoomTest {
    private static final int HALF = 100_000;

    private final AnswerRoom room = new AnswerRoom(2 * HALF);

    @Test
    void oneCallerLeavesHalfOfItToOthers() {
        assertThat(room.tryTake("a", HALF - 20_000)).isTrue();
        assertThat(room.tryTake("a", 20_000)).isTrue();
        assertThat(room.tryTake("a", 20_000)).isFalse();
        assertThat(room.tryTake("a", AnswerRoom.SMALL_BYTES))
                .as("small answers take no room")
                .isTrue();
        assertThat(room.tryTake("b", HALF)).isTrue();
        assertThat(room.tryTake("c", 20_000)).as("there is no room left").isFalse();
        room.give("a", 20_000);
        assertThat(room.tryTake("a", 20_000)).isTrue();
        room.give("b", HALF);
        assertThat(room.tryTake("c", 20_000)).isTrue();
    }

    @Test
    void aLargerAnswerIsSentAlone() {
        assertThat(room.tryTake("a", 3 * HALF)).isTrue();
        assertThat(room.tryTake("b", 20_000)).isFalse();
        room.give("a", 3 * HALF);
        assertThat(room.tryTake("b", 20_000)).isTrue();
        assertThat(room.tryTake("a", HALF + 1))
                .as("a large answer is allowed if it is the caller's only one")
                .isTrue();
        assertThat(room.tryTake("a", 20_000)).isFalse();
    }
}
