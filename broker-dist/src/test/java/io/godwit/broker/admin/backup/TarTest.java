package io.godwit.broker.admin.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TarTest {
    private static final int BLOCK = 512;
    private static final byte[] CONTENT = "content".getBytes(StandardCharsets.UTF_8);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Tar.Reader written() {
        return new Tar.Reader(new ByteArrayInputStream(out.toByteArray()));
    }

    /** As the broker wrote it before it used Commons Compress. */
    @Test
    void archivesOfEarlierBrokersAreRead() throws Exception {
        byte[] header = new byte[BLOCK];
        put(header, 0, "range-1-1/000007.sst");
        put(header, 100, "0000600");
        put(header, 108, "0000000");
        put(header, 116, "0000000");
        put(header, 124, "00000000007");
        put(header, 136, "15073217600");
        put(header, 156, "0");
        put(header, 257, "ustar\00000");
        int sum = 8 * ' ';
        for (byte each : header) {
            sum += each;
        }
        put(header, 148, String.format("%06o", sum) + "\0 ");
        out.write(header);
        out.write(Arrays.copyOf(CONTENT, BLOCK));
        out.write(new byte[2 * BLOCK]);
        try (Tar.Reader in = written()) {
            TarArchiveEntry file = in.nextFile();
            assertThat(file.getName()).isEqualTo("range-1-1/000007.sst");
            assertThat(in.readAllBytes()).isEqualTo(CONTENT);
            assertThat(in.nextFile()).isNull();
        }
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }

    /** So that brokers before Commons Compress, which read no pax headers, can restore it. */
    @Test
    void anOrdinaryFileHasOneHeader() throws Exception {
        write("range-1-1/000007.sst");
        assertThat(out.size()).isEqualTo(2 * BLOCK);
        byte[] header = Arrays.copyOf(out.toByteArray(), BLOCK);
        assertThat(header[156]).isEqualTo(TarConstants.LF_NORMAL);
        assertThat(new String(header, 257, 8, StandardCharsets.US_ASCII)).isEqualTo("ustar\00000");
        assertThat(new String(header, 100, 7, StandardCharsets.US_ASCII)).isEqualTo("0000600");
    }

    private void write(String name) throws IOException {
        try (OutputStream file = new Tar.Entry(out, name, CONTENT.length)) {
            file.write(CONTENT);
        }
    }

    @Test
    void longNamesAndLargeFilesHaveRoom() throws Exception {
        String name = "store/range-" + "1".repeat(200) + "/000007.sst";
        write(name);
        new Tar.Entry(out, "large", 9L << 30).flush();
        try (Tar.Reader in = written()) {
            assertThat(in.nextFile().getName()).isEqualTo(name);
            assertThat(in.readAllBytes()).isEqualTo(CONTENT);
            assertThat(in.nextFile().getSize()).isEqualTo(9L << 30);
        }
    }

    @Test
    void aFileHasAsManyBytesAsWereAnnounced() throws Exception {
        OutputStream few = new Tar.Entry(out, "few", CONTENT.length + 1);
        few.write(CONTENT);
        assertThatThrownBy(few::close).isInstanceOf(IOException.class).hasMessageContaining("few");
        try (OutputStream many = new Tar.Entry(out, "many", 1)) {
            many.write(1);
            assertThatThrownBy(() -> many.write(CONTENT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("many");
        }
    }

    @ParameterizedTest
    @ValueSource(chars = {'1', '2', '3', '5', '6', 'K', 'L', 'S', 'X'})
    void whatIsNoPlainFileIsRefused(char type) throws Exception {
        add(new TarArchiveEntry("odd", (byte) type));
        refuses("no plain file: odd");
    }

    @Test
    void aPaxHeaderForAllFilesIsRefused() throws Exception {
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out);
        tar.putArchiveEntry(new TarArchiveEntry("all", TarConstants.LF_PAX_GLOBAL_EXTENDED_HEADER)); // closes itself
        tar.finish();
        refuses("no plain file: all");
    }

    private void add(TarArchiveEntry entry) throws IOException {
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out);
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
        tar.finish();
    }

    private void refuses(String said) throws IOException {
        try (Tar.Reader in = written()) {
            assertThatThrownBy(in::nextFile).isInstanceOf(IOException.class).hasMessageContaining(said);
        }
    }

    /** A small archive could fill the disk. */
    @Test
    void aSparseFileIsRefused() throws Exception {
        addHeaders(pax("GNU.sparse.map", "2000000000,0")
                + pax("GNU.sparse.numblocks", "1")
                + pax("GNU.sparse.size", "2000000000"));
        add(new TarArchiveEntry("sparse"));
        refuses("no plain file: sparse");
    }

    private void addHeaders(String headers) throws IOException {
        byte[] bytes = headers.getBytes(StandardCharsets.US_ASCII);
        TarArchiveEntry before = new TarArchiveEntry("headers", TarConstants.LF_PAX_EXTENDED_HEADER_LC);
        before.setSize(bytes.length);
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out);
        tar.putArchiveEntry(before);
        tar.write(bytes);
        tar.closeArchiveEntry();
        tar.flush();
    }

    /** It would be read into memory, with everything in it. */
    @Test
    void aLongPaxHeaderIsRefused() throws Exception {
        addHeaders("a".repeat((64 << 10) + 1));
        refuses("a pax header that is too long");
    }

    /** Each would be one more call on the stack. */
    @Test
    void aSecondPaxHeaderOfAFileIsRefused() throws Exception {
        addHeaders(pax("path", "before/the/file"));
        addHeaders(pax("path", "next/to/the/file"));
        add(new TarArchiveEntry("file"));
        refuses("two for one file");
    }

    /** A pax header: its length with these digits, its key and its value. */
    private static String pax(String key, String value) {
        return 5 + key.length() + value.length() + " " + key + "=" + value + "\n";
    }

    @Test
    void aDamagedHeaderIsRefused() throws Exception {
        write("file");
        Tar.end(out);
        byte[] bytes = out.toByteArray();
        bytes[1] ^= 1;
        out.reset();
        out.write(bytes);
        refuses("wrong checksum");
    }

    @Test
    void anArchiveWithoutItsEndIsRefused() throws Exception {
        write("file");
        try (Tar.Reader in = written()) {
            assertThat(in.nextFile()).isNotNull();
            assertThatThrownBy(in::nextFile).hasMessageContaining("ends before its end is marked");
        }
        out.reset();
        refuses("ends before its end is marked");
    }
}
