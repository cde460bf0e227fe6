package io.godwit.kv.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.peers.Replicas.Description;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.wire.DescriptionMessage;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class DescriptionTest {
    @Test
    void comesBackAsItWas() throws Exception {
        RangeBounds inner = new RangeBounds("b".getBytes(UTF_8), "y".getBytes(UTF_8));
        RangeBounds whole = new RangeBounds(new byte[0], null);
        for (RangeDescriptor each : List.of(
                new RangeDescriptor("inbox", 7, 4, inner, List.of("a", "b"), 6),
                new RangeDescriptor("inbox", 7, 4, whole, List.of("a")))) {
            Description description = new Description(each, 9);
            byte[] sent = description.message().toByteArray();
            assertThat(Description.of(DescriptionMessage.parseFrom(sent)))
                    .usingRecursiveComparison()
                    .isEqualTo(description);
        }
    }

    /** The descriptor is stored, and a stored one with a longer key could not be read. */
    @Test
    void longKeysAreRefused() {
        ByteString large = ByteString.copyFrom(new byte[(1 << 20) + 1]);
        for (DescriptionMessage.Builder each : List.of(
                DescriptionMessage.newBuilder().setStart(large),
                DescriptionMessage.newBuilder().setEnd(large))) {
            assertThatThrownBy(() -> Description.of(each.build()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("count of 1048577, at most 1048576");
        }
    }
}
