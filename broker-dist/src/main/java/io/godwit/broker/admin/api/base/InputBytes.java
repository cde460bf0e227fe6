package io.godwit.broker.admin.api.base;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the input of a command from a file, or from standard input if the file is called {@code -}. */
public final class InputBytes {
    private static final String STANDARD_INPUT = "-";

    private InputBytes() {}

    /**
     * @param what names the input in a refusal
     * @param mostBytes larger input is refused
     */
    public static byte[] read(Path source, String what, int mostBytes) throws AdminException {
        try (InputStream in = source.toString().equals(STANDARD_INPUT) ? System.in : Files.newInputStream(source)) {
            byte[] bytes = in.readNBytes(mostBytes + 1);
            if (bytes.length > mostBytes) {
                throw new AdminException(Kind.REFUSED, source + " has more than " + mostBytes + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw new AdminException(Kind.USAGE, "the " + what + " cannot be read: " + e, e);
        }
    }

    /** As {@link #read}, but as lines of UTF-8 text. */
    public static List<String> lines(Path source, String what, int mostBytes) throws AdminException {
        byte[] bytes = read(source, what, mostBytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString()
                    .lines()
                    .toList();
        } catch (CharacterCodingException e) {
            throw new AdminException(Kind.USAGE, "the " + what + " is not UTF-8", e);
        }
    }
}
