package io.godwit.common.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VarintTest {
    @Property(tries = 500)
    void whatIsWrittenIsRead(@ForAll long value, @ForAll @IntRange(max = 20) int position) {
        byte[] bytes = new byte[40];
        int end = Varint.write(bytes, position, value);

        assertThat(end - position).isEqualTo(Varint.size(value)).isBetween(1, Varint.MAX_BYTES);
        assertThat(Varint.end(bytes, position, bytes.length)).isEqualTo(end);
        assertThat(Varint.read(bytes, position, end)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, -1})
    void theEdgesOfTheSizesAreRead(long value) {
        byte[] bytes = encoded(value);

        assertThat(Varint.end(bytes, 0, bytes.length)).isEqualTo(bytes.length);
        assertThat(Varint.read(bytes, 0, bytes.length)).isEqualTo(value);
    }

    @Test
    void theBytesAreThoseOfTheStoredFormats() {
        assertThat(encoded(0)).containsExactly(0);
        assertThat(encoded(127)).containsExactly(0x7F);
        assertThat(encoded(300)).containsExactly(0xAC, 0x02);
        assertThat(encoded(Integer.MAX_VALUE)).containsExactly(0xFF, 0xFF, 0xFF, 0xFF, 0x07);
        assertThat(encoded(-1)).hasSize(10).endsWith(0xFF, 0x01);
    }

    @Property(tries = 200)
    void aCutNumberIsRefused(@ForAll long value) {
        byte[] bytes = encoded(value);

        assertThatThrownBy(() -> Varint.end(bytes, 0, bytes.length - 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNumberOfElevenBytesIsRefused() {
        byte[] bytes = new byte[11];
        Arrays.fill(bytes, 0, 10, (byte) 0x80);

        assertThatThrownBy(() -> Varint.end(bytes, 0, bytes.length)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property(tries = 200)
    void intsAreReadFromABuffer(@ForAll @IntRange int value) {
        byte[] bytes = encoded(value);
        ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1));
        ByteBuffer cut = ByteBuffer.wrap(bytes, 0, bytes.length - 1);

        assertThat(Varint.readInt(in)).isEqualTo(value);
        assertThat(in.position()).isEqualTo(bytes.length);
        assertThatThrownBy(() -> Varint.readInt(cut)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 31, 1L << 32, 1L << 35, -1})
    void whatIsNoIntIsRefused(long value) {
        ByteBuffer in = ByteBuffer.wrap(encoded(value));

        assertThatThrownBy(() -> Varint.readInt(in)).isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] encoded(long value) {
        byte[] bytes = new byte[Varint.MAX_BYTES];
        return Arrays.copyOf(bytes, Varint.write(bytes, 0, value));
    }
}
