package io.godwit.api.route;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.plugin.topic.TopicName;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Texts and bytes of requests that go into MQTT packets. Invalid ones are answered with 400. */
public final class MqttText {
    private static final int MAX_BYTES = 65_535;

    private MqttText() {}

    /**
     * A UTF-8 string of MQTT: well-formed, without U+0000, up to 65,535 bytes [MQTT5-1.5.4-1], [MQTT5-1.5.4-2]. JSON
     * may contain unpaired surrogates, which UTF-8 cannot encode.
     */
    public static String string(String field, String text) {
        if (text.indexOf(0) >= 0 || utf8(field, text).length > MAX_BYTES) {
            throw wrong(field, "has a null character, or more than " + MAX_BYTES + " bytes");
        }
        return text;
    }

    /** A topic name: also not empty and without wildcards [MQTT5-3.3.2-2]. */
    public static String topic(String field, String text) {
        if (!TopicName.isValid(string(field, text))) {
            throw wrong(field, "is not a topic name: it is empty or has a wildcard");
        }
        return text;
    }

    /** The UTF-8 bytes of a text of any length. */
    public static byte[] utf8(String field, String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            return array;
        } catch (CharacterCodingException e) {
            throw wrong(field, "has half of a surrogate pair, which UTF-8 cannot have");
        }
    }

    public static byte[] base64(String field, String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw wrong(field, "is not Base64: " + e.getMessage());
        }
    }

    /** The text; null when the bytes are not valid UTF-8. */
    public static @Nullable String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    public static ProblemException wrong(String field, String message) {
        return new ProblemException(Problem.invalid(field, message));
    }
}
