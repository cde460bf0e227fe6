package io.godwit.broker.conversion;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files of other programs: text of a bounded size. */
final class SourceText {
    /** Far more than any configuration file of a broker has. */
    static final int MAX_BYTES = 1 << 20;

    static final int MAX_LINES = 20_000;

    private SourceText() {}

    /** @throws ConversionException if the file is missing, too large, or no text */
    static String read(Path file) throws ConversionException {
        byte[] bytes;
        if (Files.isDirectory(file)) {
            throw new ConversionException(file + ": is a directory");
        }
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        } catch (IOException e) {
            throw new ConversionException(file + ": cannot be read: " + e);
        }
        if (bytes.length > MAX_BYTES) {
            throw new ConversionException(file + ": has more than " + MAX_BYTES + " bytes");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ConversionException(file + ": is not text (UTF-8)");
        }
        if (text.indexOf('\0') >= 0) {
            throw new ConversionException(file + ": is not text: it has a zero byte");
        }
        if (text.lines().limit(MAX_LINES + 1L).count() > MAX_LINES) {
            throw new ConversionException(file + ": has more than " + MAX_LINES + " lines");
        }
        return text;
    }
}
