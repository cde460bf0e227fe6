package io.godwit.plugin.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class KeyTest {
    @Test
    void peopleReadWhatIsPrintableAndSeeTheRest() {
        assertThat(Key.of(new byte[] {7, 'd', 'e', 'f', '/', '\\', ' ', (byte) 0x80, 0}))
                .hasToString("\\x07def/\\\\\\x20\\x80\\x00");
    }

    @Test
    void whatIsShownIsReadAgain() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        assertThat(Key.parse(Key.of(all).toString())).isEqualTo(Key.of(all));
        assertThat(Key.parse("")).isEqualTo(Key.FIRST);
    }

    @Test
    void whatIsNoKeyIsRefused() {
        for (String text : new String[] {"\\", "\\x1", "\\xzz", "\\n", "ä", "a b"}) {
            assertThatThrownBy(() -> Key.parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
