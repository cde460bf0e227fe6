package io.godwit.kv.raft.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.kv.raft.snapshot.SnapshotMessages.FileSize;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Listing;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Part;
import io.godwit.kv.raft.snapshot.SnapshotMessages.SnapshotName;
import io.godwit.kv.raft.snapshot.SnapshotTransfer.Source;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnapshotMessagesTest {
    private static final SnapshotName NAME = new SnapshotName("inbox-7", 12_345);

    @Test
    void comeBackAsTheyWere() throws Exception {
        assertThat(SnapshotMessages.decodeName(SnapshotMessages.encode(NAME))).isEqualTo(NAME);
        Part part = new Part(NAME, "db/000012.sst", 1L << 40, 512);
        assertThat(SnapshotMessages.decodePart(SnapshotMessages.encode(part))).isEqualTo(part);
        Listing listing = new Listing(
                ByteString.copyFromUtf8("abc"), List.of(new FileSize("SEAL", 0), new FileSize("db/CURRENT", 16)));
        assertThat(SnapshotMessages.decodeListing(SnapshotMessages.encode(listing)))
                .isEqualTo(listing);
    }

    @Test
    void everyTruncationIsRefused() {
        byte[] whole =
                SnapshotMessages.encode(new Listing(ByteString.copyFromUtf8("abc"), List.of(new FileSize("SEAL", 5))));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> SnapshotMessages.decodeListing(part)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void addressComesBackAndAnotherIsNone() {
        Source source = new Source("3f2c", NAME);
        assertThat(Source.parse(source.uri())).isEqualTo(source);
        for (String other : List.of("", "remote://a/1", "godwit://a/b", "godwit://a/b/c", "godwit://a/b/1/2")) {
            assertThat(Source.parse(other)).isNull();
        }
    }
}
