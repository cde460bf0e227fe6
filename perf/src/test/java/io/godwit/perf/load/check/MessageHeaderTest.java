package io.godwit.perf.load.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageHeaderTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 15, 16, 17, 1_024})
    void aPayloadHasWhatItHasRoomFor(int size) {
        MessageHeader header = MessageHeader.fitting(size);

        Buffer payload = header.payload(size, 1_234_567_890_123L, 77, 42);

        assertThat(payload.length()).isEqualTo(size);
        assertThat(header.hasTime()).isEqualTo(size >= 16);
        assertThat(header.hasSequence()).isEqualTo(size >= 8);
        assertThat(header.limitation().isEmpty()).isEqualTo(size >= 16);
        if (size >= 16) {
            assertThat(MessageHeader.epochNanos(payload)).isEqualTo(1_234_567_890_123L);
        }
        if (size >= 8) {
            assertThat(header.publisher(payload)).isEqualTo(77);
            assertThat(header.sequence(payload)).isEqualTo(42);
        }
    }
}
