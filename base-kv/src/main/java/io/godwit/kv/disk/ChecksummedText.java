package io.godwit.kv.disk;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The format of small files of our own, which people can read too.
 *
 * <pre>
 * text in UTF-8, each line ended by a line feed, the last one:
 *   crc32c=(CRC-32C of the lines above, 8 hex digits)
 * </pre>
 */
public final class ChecksummedText {
    private static final Pattern LAST_LINE = Pattern.compile("crc32c=[0-9a-f]{8}\n");
    private static final int LAST_LINE_BYTES = 16;

    private ChecksummedText() {}

    /** The content of a file with {@code lines}, each of which ends with a line feed. */
    public static byte[] seal(String lines) {
        return (lines + lastLine(lines)).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The lines in {@code content}, except the checksum line.
     *
     * @param file where {@code content} was read
     * @throws DamagedDataException naming the file, if {@code content} is not a result of {@link #seal}
     */
    public static String open(Path file, byte[] content) throws DamagedDataException {
        // one byte per character, so that invalid UTF-8 does not shift positions
        String text = new String(content, StandardCharsets.ISO_8859_1);
        int end = text.length() - LAST_LINE_BYTES;
        if (end < 0 || !LAST_LINE.matcher(text.substring(end)).matches()) {
            throw new DamagedDataException(file, "does not end with a checksum");
        }
        String lines = new String(content, 0, end, StandardCharsets.UTF_8);
        if (!text.substring(end).equals(lastLine(lines))) {
            throw new DamagedDataException(file, "checksum does not match");
        }
        return lines;
    }

    private static String lastLine(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.UTF_8));
        return String.format("crc32c=%08x\n", crc.getValue());
    }
}
