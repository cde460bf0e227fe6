package io.godwit.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesMarshallerTest {
    private static final BytesMarshaller MARSHALLER = BytesMarshaller.INSTANCE;

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Knows its length as the streams of gRPC do, and gives at most {@code most} bytes at a time. */
    private static class Received extends FilterInputStream implements KnownLength {
        private final int most;

        Received(byte[] bytes, int most) {
            super(new ByteArrayInputStream(bytes));
            this.most = most;
        }

        @Override
        public int read(byte[] to, int at, int length) throws IOException {
            return super.read(to, at, Math.min(most, length));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8_192, 8_193, 65_551})
    void whatWasSentIsRead(int length) {
        byte[] bytes = random(length);
        assertThat(MARSHALLER.parse(MARSHALLER.stream(bytes))).isEqualTo(bytes);
        assertThat(MARSHALLER.parse(new Received(bytes, 1_000))).isEqualTo(bytes);
        assertThat(MARSHALLER.parse(new ByteArrayInputStream(bytes)))
                .as("a stream of unknown length, such as one that decompresses")
                .isEqualTo(bytes);
    }

    @Test
    void aStreamIsDrainedByOneWriteOfWhatIsLeft() throws IOException {
        byte[] bytes = random(65_551);
        InputStream stream = MARSHALLER.stream(bytes);
        assertThat(stream).isInstanceOf(KnownLength.class).isInstanceOf(Drainable.class);
        assertThat(stream.read()).isEqualTo(bytes[0] & 0xFF);
        List<Integer> writes = new ArrayList<>();
        ByteArrayOutputStream target = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] from, int at, int length) {
                writes.add(length);
                super.write(from, at, length);
            }
        };
        assertThat(((Drainable) stream).drainTo(target)).isEqualTo(bytes.length - 1);
        assertThat(writes).containsExactly(bytes.length - 1);
        assertThat(target.toByteArray()).isEqualTo(Arrays.copyOfRange(bytes, 1, bytes.length));
        assertThat(stream.available()).isZero();
        assertThat(((Drainable) stream).drainTo(target)).isZero();
    }

    @Test
    void aStreamThatTellsAWrongLengthIsRefused() {
        for (int wrong : new int[] {9, 11}) {
            Received stream = new Received(random(10), 10) {
                @Override
                public int available() {
                    return wrong;
                }
            };
            assertThatThrownBy(() -> MARSHALLER.parse(stream))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("message of " + wrong + " bytes");
        }
    }
}
