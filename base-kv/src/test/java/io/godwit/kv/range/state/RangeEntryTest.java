package io.godwit.kv.range.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RangeEntryTest {
    @Property(tries = 200)
    void whatIsEncodedIsDecoded(@ForAll @Size(max = 300) List<byte[]> mutations) {
        ByteBuffer encoded = ByteBuffer.wrap(RangeEntry.encode(mutations));
        List<byte[]> decoded = RangeEntry.decode(encoded);
        assertThat(decoded).hasSameSizeAs(mutations);
        for (int i = 0; i < mutations.size(); i++) {
            assertThat(decoded.get(i)).isEqualTo(mutations.get(i));
        }
        assertThat(encoded.position()).isZero();
    }

    @Property(tries = 200)
    void noCutEntryIsTakenForAWholeOne(@ForAll @Size(min = 1, max = 20) List<byte[]> mutations, @ForAll int where) {
        byte[] encoded = RangeEntry.encode(mutations);
        byte[] cut = Arrays.copyOf(encoded, Math.floorMod(where, encoded.length));
        assertThatThrownBy(() -> RangeEntry.decode(ByteBuffer.wrap(cut))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anotherVersionIsRefused() {
        byte[] encoded = RangeEntry.encode(List.of(new byte[3]));
        encoded[0] = 2;
        assertThatThrownBy(() -> RangeEntry.decode(ByteBuffer.wrap(encoded)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version=2");
    }
}
