package io.godwit.kv.range.data;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.range.state.RangeState;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** The database of a range that a newer release has written. */
class NewerStateTest {
    @TempDir
    Path work;

    @Test
    void aStateOfANewerVersionIsRefusedWithTheWayOut() throws Exception {
        Path directory = work.resolve("db");
        RangeState born = RangeState.first(1, new RangeBounds(new byte[0], null), List.of("me"));
        byte[] newer = born.encode();
        newer[0] = RangeState.VERSION + 1;
        try (RocksResources resources = new RocksResources(8 << 20, 4 << 20)) {
            RangeDb.open(directory, born, resources, true).close();
            try (Options options = resources.options(false);
                    RocksDB db = RocksDB.open(options, directory.toString())) {
                db.put(new byte[] {BatchBytes.SYSTEM_PREFIX, 's'}, newer);
            }

            assertThatThrownBy(() -> RangeDb.open(directory, born, resources, false))
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining(directory + ": state of the range of version 2 is of a newer release")
                    .hasMessageContaining("this one reads up to 1. Start the release that wrote it, or restore");
        }
    }
}
