package io.godwit.kv.raft.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.kv.raft.snapshot.SnapshotMessages.FileSize;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Listing;
import io.godwit.kv.raft.snapshot.SnapshotMessages.Part;
import io.godwit.kv.raft.snapshot.SnapshotMessages.SnapshotName;
import io.godwit.kv.raft.snapshot.SnapshotTransfer.Source;
import io.godwit.kv.wire.SnapshotFile;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotMessagesTest {
    private static final SnapshotName NAME = new SnapshotName("inbox-7", 12_345);
    private static final Listing LISTING = new Listing(
            ByteString.copyFromUtf8("abc"), List.of(new FileSize("SEAL", 0), new FileSize("db/CURRENT", 16)));
    private static final Part PART = new Part(NAME, "db/000012.sst", 1L << 40, 4);

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void comeBackAsTheyWere(int version) throws Exception {
        SnapshotForm form = SnapshotForm.of(version);
        SnapshotRequest name =
                form.list().questions().decode(form.list().questions().encode(SnapshotMessages.message(NAME)));
        assertThat(SnapshotMessages.name(name)).isEqualTo(NAME);
        SnapshotPart part =
                form.read().questions().decode(form.read().questions().encode(SnapshotMessages.message(PART)));
        assertThat(SnapshotMessages.part(part)).isEqualTo(PART);
        byte[] listing = form.list().answers().encode(SnapshotMessages.message(LISTING));
        assertThat(SnapshotMessages.listing(form.list().answers().decode(listing)))
                .isEqualTo(LISTING);
        byte[] bytes = {1, 2, 3, 4};
        byte[] answer = form.read().answers().encode(SnapshotMessages.message(bytes));
        assertThat(SnapshotMessages.bytes(PART, form.read().answers().decode(answer)))
                .isEqualTo(bytes);
    }

    /** In the layout of version 1 no field can be missing. */
    @Test
    void everyTruncationOfVersionOneIsRefused() {
        SnapshotForm form = SnapshotForm.of(1);
        byte[] whole = form.list().answers().encode(SnapshotMessages.message(LISTING));
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> form.list().answers().decode(part)).isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aDamagedOrShorterPartIsRefused(int version) {
        SnapshotForm form = SnapshotForm.of(version);
        byte[] answer = form.read().answers().encode(SnapshotMessages.message(new byte[] {1, 2, 3, 4}));
        byte[] damaged = answer.clone();
        damaged[damaged.length - 1] ^= 1;
        for (byte[] each : List.of(damaged, Arrays.copyOf(answer, answer.length - 1), new byte[0])) {
            assertThatThrownBy(() ->
                            SnapshotMessages.bytes(PART, form.read().answers().decode(each)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void valuesOutOfTheirBoundsAreRefused() {
        SnapshotListing negative = SnapshotListing.newBuilder()
                .addFiles(SnapshotFile.newBuilder().setName("x").setSize(-1))
                .build();
        assertThatThrownBy(() -> SnapshotMessages.listing(negative)).hasMessageContaining("size of -1");
        assertThatThrownBy(() -> SnapshotMessages.part(SnapshotPart.getDefaultInstance()))
                .hasMessageContaining("part of no snapshot");
        SnapshotPart before =
                SnapshotMessages.message(PART).toBuilder().setOffset(-1).build();
        assertThatThrownBy(() -> SnapshotMessages.part(before)).hasMessageContaining("offset -1");
    }

    /** A copy that was interrupted during an upgrade goes on: another version does not make another snapshot. */
    @Test
    void listingsAreToldApartInEachVersionAlike() throws Exception {
        for (int version = 1; version <= 2; version++) {
            SnapshotForm form = SnapshotForm.of(version);
            byte[] encoded = form.list().answers().encode(SnapshotMessages.message(LISTING));
            Listing read = SnapshotMessages.listing(form.list().answers().decode(encoded));
            assertThat(read.checksum()).isEqualTo(LISTING.checksum());
        }
        Listing other = new Listing(LISTING.notes(), List.of(new FileSize("SEAL", 1), new FileSize("db/CURRENT", 16)));
        assertThat(other.checksum()).isNotEqualTo(LISTING.checksum());
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
