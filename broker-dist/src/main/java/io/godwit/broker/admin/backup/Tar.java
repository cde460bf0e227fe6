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
import org.jspecify.annotations.Nullable;

/**
 * Backups as tar archives (POSIX ustar), by Commons Compress: plain files only. A name of more than 100 bytes, or a
 * file of 8 GiB or more, gets a pax header.
 */
final class Tar {
    private static final String ENCODING = StandardCharsets.UTF_8.name();
    private static final int BLOCK = 512;

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

    /** Reads an archive, and refuses what no backup contains. */
    static final class Reader extends TarArchiveInputStream {
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
            byte type = entry.getLinkFlag();
            boolean isPlain = type == TarConstants.LF_NORMAL || type == TarConstants.LF_OLDNORM;
            if (!isPlain || entry.isSparse()) { // a sparse file could claim any size
                throw new IOException("has an entry that is no plain file: " + entry.getName());
            }
            return entry;
        }

        /** The superclass would take an archive that was cut off between two files for a whole one. */
        @Override
        protected byte[] readRecord() throws IOException {
            byte[] block = super.readRecord();
            if (block == null) {
                throw new EOFException("ends before its end is marked");
            }
            return block;
        }

        /** No backup has a long name in the way of GNU tar, which is read into memory whatever its length. */
        @Override
        protected byte[] getLongNameData() throws IOException {
            throw new IOException("has an entry that is no plain file: a name in the format of GNU tar");
        }
    }
}
