package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.NotServingException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NodeAdminTest {
    @Test
    void withoutStoresNothingIsToldAndNothingIsLacking() {
        NodeAdmin admin = new NodeAdmin(new NodeHealth());
        assertThatThrownBy(admin::nodes)
                .isInstanceOf(NotServingException.class)
                .hasMessageContaining("starts or stops");
        assertThatThrownBy(admin::stores).isInstanceOf(NotServingException.class);
        assertThatThrownBy(() -> admin.ranges("inbox")).isInstanceOf(NotServingException.class);
        assertThat(admin.lacks()).isEmpty();
    }

    @Test
    void keysAreReadable() {
        assertThat(ReadableKeys.of(new byte[0])).isEmpty();
        assertThat(ReadableKeys.of("a b~".getBytes(StandardCharsets.UTF_8))).isEqualTo("a b~");
        assertThat(ReadableKeys.of(new byte[] {0, 'x', (byte) 0xff, '\\', '\n'}))
                .isEqualTo("\\x00x\\xff\\x5c\\x0a");
    }
}
