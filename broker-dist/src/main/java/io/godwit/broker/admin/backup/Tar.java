package io.godwit.broker.admin.backup;

import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.tar.TarUtils;
import org.jspecify.annotations.Nullable;

/**
 * Backups as tar archives (POSIX ustar), by Commons Compress: plain files only. A name of more than 100 bytes, or a
 * file of 8 GiB or more, gets a pax header.
 */
final class Tar {
    private static final String ENCODING = StandardCharsets.UTF_8.name();
    private static final int BLOCK = 512;
    /** Where a header has the size of its entry, and its type. */
    private static final int SIZE = 124;

    private static final int TYPE = 156;

    private Tar() {}

    private static TarArchiveOutputStream onto(OutputStream out) {
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out, BLOCK, ENCODING);
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        return tar;
    }

    /** Writes the two blocks of zeros at the end. */
    static void end(OutputStream out) throws IOException {
        onto(out).finish();
    }

    /**
     * A file of an archive. Exactly as many bytes as announced must be written before it is closed; otherwise closing
     * it throws.
     */
    static class Entry extends FilterOutputStream {
        private final TarArchiveOutputStream tar;

        /** @param out stays open; may be cut back to before this file, since every file has a writer of its own */
        Entry(OutputStream out, String name, long bytes) throws IOException {
            this(onto(out));
            TarArchiveEntry entry = new TarArchiveEntry(name, true);
            entry.setSize(bytes);
            entry.setMode(0600);
            entry.setUserName("");
            // fractions of a second would need a pax header
            entry.setLastModifiedTime(FileTime.from(Instant.now().truncatedTo(ChronoUnit.SECONDS)));
            tar.putArchiveEntry(entry);
        }

        private Entry(TarArchiveOutputStream tar) {
            super(tar);
            this.tar = tar;
        }

        @Override
        public void write(byte[] content, int offset, int length) throws IOException {
            tar.write(content, offset, length); // the superclass would write byte by byte
        }

        @Override
        public void close() throws IOException {
            tar.closeArchiveEntry();
        }
    }

    /**
     * Reads an archive, and refuses what no backup contains. It does so before the superclass handles it, which reads
     * long names, sparse maps and pax headers into memory whatever their length, and calls itself for the entry that
     * follows each.
     */
    static final class Reader extends TarArchiveInputStream {
        /** Much longer than a path and a size. */
        private static final int MAX_PAX_BYTES = 64 << 10;

        private boolean isAfterPax;

        Reader(InputStream in) {
            super(in, BLOCK, BLOCK, ENCODING, false);
        }

        /**
         * The next file, which this stream then returns the bytes of; null at the end of the archive.
         *
         * @throws IOException if there is no valid header, or the archive ends early
         */
        @Nullable
        TarArchiveEntry nextFile() throws IOException {
            TarArchiveEntry entry = getNextEntry();
            if (entry == null) {
                return null;
            }
            if (!entry.isCheckSumOK()) {
                throw new IOException("has a header with a wrong checksum");
            }
            if (entry.isSparse()) { // by a pax header; it could claim any size
                throw new IOException("has an entry that is no plain file: " + entry.getName());
            }
            return entry;
        }

        /** Reads a header, or a block of zeros. */
        @Override
        protected byte[] readRecord() throws IOException {
            byte[] block = super.readRecord();
            if (block == null) { // the superclass would take an archive that was cut off between two files for whole
                throw new EOFException("ends before its end is marked");
            }
            byte type = block[TYPE];
            boolean isPax = type == TarConstants.LF_PAX_EXTENDED_HEADER_LC;
            if (isPax && (isAfterPax || sizeIn(block) > MAX_PAX_BYTES)) {
                throw new IOException("has a pax header that is too long, or two for one file");
            }
            if (!isPax && type != TarConstants.LF_NORMAL && type != TarConstants.LF_OLDNORM) {
                throw new IOException(
                        "has an entry that is no plain file: " + TarUtils.parseName(block, 0, TarConstants.NAMELEN));
            }
            isAfterPax = isPax;
            return block;
        }

        private static long sizeIn(byte[] header) {
            return TarUtils.parseOctalOrBinary(header, SIZE, TarConstants.SIZELEN);
        }
    }
}
