package io.godwit.broker.admin.backup;

import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The part of the tar format (POSIX ustar) that a backup needs: plain files with short names.
 *
 * <pre>
 * header of 512 bytes: 0 name | 100 mode | 124 size, 11 octal digits | 148 checksum | 156 type '0' | 257 "ustar\0" "00"
 * data, filled up to a multiple of 512
 * at the end two blocks of zeros
 * </pre>
 */
final class Tar {
    private static final int BLOCK = 512;
    private static final int MAX_NAME = 100;
    private static final long MAX_BYTES = 1L << 33;

    private static final int MODE = 100;
    private static final int OWNER = 108;
    private static final int GROUP = 116;
    private static final int SIZE = 124;
    private static final int TIME = 136;
    private static final int CHECKSUM = 148;
    private static final int TYPE = 156;
    private static final int MAGIC = 257;
    private static final byte[] MAGIC_BYTES = {'u', 's', 't', 'a', 'r', 0, '0', '0'};

    private Tar() {}

    /**
     * Begins a file of the archive. Exactly {@code bytes} bytes must be written before it is closed; closing leaves
     * {@code out} open.
     */
    static OutputStream entry(OutputStream out, String name, long bytes) throws IOException {
        byte[] nameBytes = name.getBytes(StandardCharsets.US_ASCII);
        if (nameBytes.length > MAX_NAME || bytes >= MAX_BYTES) {
            throw new IOException("the file " + name + " of " + bytes + " bytes does not fit into a tar file: "
                    + "make the backup in a directory");
        }
        byte[] header = new byte[BLOCK];
        System.arraycopy(nameBytes, 0, header, 0, nameBytes.length);
        octal(header, MODE, 7, 0600);
        octal(header, OWNER, 7, 0);
        octal(header, GROUP, 7, 0);
        octal(header, SIZE, 11, bytes);
        octal(header, TIME, 11, System.currentTimeMillis() / 1_000);
        header[TYPE] = '0';
        System.arraycopy(MAGIC_BYTES, 0, header, MAGIC, MAGIC_BYTES.length);
        octal(header, CHECKSUM, 6, sum(header));
        header[CHECKSUM + 7] = ' ';
        out.write(header);
        return new Entry(out, name, bytes);
    }

    private static void octal(byte[] header, int offset, int digits, long value) {
        String text = Long.toOctalString(value);
        byte[] padded = ("0".repeat(digits - text.length()) + text).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(padded, 0, header, offset, digits);
    }

    /** The sum of the header's bytes, with the checksum field taken as blanks. */
    private static int sum(byte[] header) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= CHECKSUM && i < CHECKSUM + 8 ? ' ' : header[i] & 0xFF;
        }
        return sum;
    }

    static void end(OutputStream out) throws IOException {
        out.write(new byte[2 * BLOCK]);
    }

    private static final class Entry extends FilterOutputStream {
        private final String name;
        private long left;
        private final int padding;

        Entry(OutputStream out, String name, long bytes) {
            super(out);
            this.name = name;
            this.left = bytes;
            this.padding = (int) ((BLOCK - bytes % BLOCK) % BLOCK);
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length > left) {
                throw new IOException(name + " has more bytes than were announced");
            }
            left -= length;
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            if (left != 0) {
                throw new IOException(name + " has " + left + " bytes fewer than were announced");
            }
            out.write(new byte[padding]);
        }
    }

    /** @param name may contain slashes */
    record Header(String name, long bytes) {}

    /**
     * Reads the next header, which the data of the file follows; null at the end of the archive.
     *
     * @throws IOException if there is no valid header, or the archive ends early
     */
    static @Nullable Header next(InputStream in) throws IOException {
        byte[] header = in.readNBytes(BLOCK);
        if (header.length < BLOCK) {
            throw new EOFException("ends before its end is marked");
        }
        if (Arrays.equals(header, new byte[BLOCK])) {
            return null;
        }
        if (sum(header) != parse(header, CHECKSUM, 7)) {
            throw new IOException("has a header with a wrong checksum");
        }
        if (header[TYPE] != '0' && header[TYPE] != 0) {
            throw new IOException("has an entry that is no plain file: " + text(header, 0, MAX_NAME));
        }
        return new Header(text(header, 0, MAX_NAME), parse(header, SIZE, 12));
    }

    /** Skips the padding after the data of a file. */
    static void skipPadding(InputStream in, long bytes) throws IOException {
        in.skipNBytes((BLOCK - bytes % BLOCK) % BLOCK);
    }

    private static String text(byte[] header, int offset, int length) {
        int end = offset;
        while (end < offset + length && header[end] != 0) {
            end++;
        }
        return new String(header, offset, end - offset, StandardCharsets.US_ASCII);
    }

    private static long parse(byte[] header, int offset, int length) throws IOException {
        String digits = text(header, offset, length).strip();
        try {
            return Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("has a header with a wrong number \"" + digits + "\"", e);
        }
    }
}
