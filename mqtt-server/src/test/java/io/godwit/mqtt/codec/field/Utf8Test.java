package io.godwit.mqtt.codec.field;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Takes exactly what the JDK's strict decoder takes, U+0000 excepted. */
class Utf8Test {
    @Property
    void decodesLikeAStrictDecoder(@ForAll @Size(max = 12) byte[] bytes) {
        assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo(reference(bytes));
    }

    @Test
    void decodesEveryLeadByteLikeAStrictDecoder() {
        Random random = new Random(1);
        byte[] continuations = {
            0x7F, (byte) 0x80, (byte) 0x8F, (byte) 0x90, (byte) 0x9F, (byte) 0xA0, (byte) 0xBF, (byte) 0xC0
        };
        for (int lead = 0; lead < 256; lead++) {
            for (byte second : continuations) {
                for (int length = 1; length <= 5; length++) {
                    byte[] bytes = new byte[length];
                    for (int i = 2; i < length; i++) {
                        bytes[i] = continuations[random.nextInt(continuations.length)];
                    }
                    bytes[0] = (byte) lead;
                    if (length > 1) {
                        bytes[1] = second;
                    }
                    assertThat(Utf8.decode(bytes, 0, length)).isEqualTo(reference(bytes));
                }
            }
        }
    }

    @Test
    void decodesEveryCharacter() {
        for (int codePoint = 1; codePoint <= Character.MAX_CODE_POINT; codePoint += codePoint < 0x3000 ? 1 : 37) {
            if (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE) {
                String text = new String(Character.toChars(codePoint));
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo(text);
            }
        }
    }

    @Test
    void looksAtNothingOutsideItsBounds() {
        byte[] bytes = {(byte) 0xFF, 'a', 'b', (byte) 0xFF};
        assertThat(Utf8.decode(bytes, 1, 2)).isEqualTo("ab");
    }

    private static @Nullable String reference(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') >= 0 ? null : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
