package io.godwit.kv.raft.log;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** A log that a newer release has written is refused, with the version found and the newest one that is read. */
class NewerLogTest {
    private static final String WAY_OUT = "Start the release that wrote it, or restore a backup";

    @TempDir
    Path work;

    private Path directory;

    @BeforeEach
    void leaveALogBehind() throws IOException {
        directory = work.resolve("log");
        try (LogFixture node = new LogFixture(directory)) {
            node.log.putNodeRecord("fact", new byte[] {1});
        }
    }

    @Test
    void aNewerLayoutIsRefused() throws Exception {
        byte[] key = SharedLogFormat.layoutKey();
        put(key, SharedLogFormat.seal(key, new byte[] {2}));

        assertThatThrownBy(() -> new LogFixture(directory))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(directory + ": layout 2 is of a newer release")
                .hasMessageContaining("this one reads up to 1. " + WAY_OUT);
    }

    @Test
    void aValueOfANewerVersionIsRefused() throws Exception {
        byte[] key = SharedLogFormat.namedKey(SharedLogFormat.KIND_NODE_RECORD, "fact");
        put(key, ofVersion(key, 2));

        assertThatThrownBy(() -> new LogFixture(directory))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(directory + ": value of kind 3 of version 2 is of a newer release")
                .hasMessageContaining("this one reads up to 1. " + WAY_OUT);
    }

    @Test
    void aDamagedVersionIsNotTakenForANewerOne() throws Exception {
        byte[] key = SharedLogFormat.namedKey(SharedLogFormat.KIND_NODE_RECORD, "fact");
        byte[] value = ofVersion(key, 1);
        value[4] = 2;
        put(key, value);

        assertThatThrownBy(() -> new LogFixture(directory))
                .isInstanceOf(DamagedDataException.class)
                .hasMessageContaining(directory + ": checksum of the value of kind 3 does not match");
    }

    /** A value with a right checksum. */
    private static byte[] ofVersion(byte[] key, int version) {
        byte[] value = SharedLogFormat.seal(key, new byte[] {1});
        value[4] = (byte) version;
        CRC32C crc = new CRC32C();
        crc.update(key, 0, key.length);
        crc.update(value, Integer.BYTES, value.length - Integer.BYTES);
        ByteBuffer.wrap(value).putInt(0, (int) crc.getValue());
        return value;
    }

    private void put(byte[] key, byte[] value) throws IOException, RocksDBException {
        try (LogEngine engine = LogEngine.open(directory, (what, cause) -> {});
                WriteBatch batch = new WriteBatch()) {
            batch.put(key, value);
            engine.write("what a newer release writes", batch, true);
        }
    }
}
