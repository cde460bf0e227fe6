package io.godwit.kv.raft.log;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.codec.LogEntryDecoder;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.RocksFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * The content of the shared log at start, read in one pass over its keys; each value is checked. By the order of the
 * kinds in {@link SharedLogFormat}, a group's number, vote and first index come before its entries.
 *
 * @param groups by group id
 * @param descriptors by group id
 * @param nodeRecords by name
 */
public record SharedLogContent(
        Map<String, GroupLog> groups, Map<String, byte[]> descriptors, Map<String, byte[]> nodeRecords) {

    /** The voters of a configuration, as store ids; null for any other entry. */
    static @Nullable List<String> votersOf(LogEntry entry) {
        if (entry.getType() != EntryType.ENTRY_TYPE_CONFIGURATION || entry.getPeers() == null) {
            return null;
        }
        return entry.getPeers().stream().map(PeerId::getIp).sorted().toList();
    }

    static SharedLogContent read(LogEngine engine) throws IOException {
        return new Reader(engine).read();
    }

    /** One pass over the log; used once, on one thread. */
    private static final class Reader {
        private final LogEngine engine;
        private final LogEntryDecoder decoder =
                LogEntryV2CodecFactory.getInstance().decoder();
        private final Map<String, GroupLog> groups = new HashMap<>();
        private final Map<Integer, GroupLog> byNumber = new HashMap<>();
        private final Map<String, byte[]> descriptors = new HashMap<>();
        private final Map<String, byte[]> nodeRecords = new HashMap<>();

        Reader(LogEngine engine) {
            this.engine = engine;
        }

        SharedLogContent read() throws IOException {
            try (RocksIterator records = engine.iterator()) {
                records.seekToFirst();
                if (!records.isValid() || records.key()[0] != SharedLogFormat.KIND_LAYOUT) {
                    records.status();
                    throw damaged("no layout number, expected " + SharedLogFormat.LAYOUT);
                }
                while (records.isValid()) {
                    byte[] key = records.key();
                    if (key[0] == SharedLogFormat.KIND_ENTRY) {
                        readEntries(records, groupOf(key));
                    } else {
                        readRecord(key, payload(key, records.value()));
                        records.next();
                    }
                }
                records.status();
            } catch (RocksDBException e) {
                throw RocksFiles.refusedBy(e, engine.directory());
            }
            return new SharedLogContent(groups, descriptors, nodeRecords);
        }

        private void readRecord(byte[] key, byte[] payload) throws DamagedDataException {
            switch (key[0]) {
                case SharedLogFormat.KIND_LAYOUT -> {
                    if (payload.length != 1 || payload[0] < 1) {
                        throw damaged("no layout number, expected 1 to " + SharedLogFormat.LAYOUT);
                    }
                    if (payload[0] > SharedLogFormat.LAYOUT) {
                        throw DamagedDataException.newer(
                                engine.directory(), "layout " + payload[0], SharedLogFormat.LAYOUT);
                    }
                }
                case SharedLogFormat.KIND_GROUP -> {
                    GroupLog group = new GroupLog(
                            SharedLogFormat.nameIn(key),
                            ByteBuffer.wrap(payload).getInt());
                    groups.put(group.id(), group);
                    byNumber.put(group.number(), group);
                }
                case SharedLogFormat.KIND_DESCRIPTOR -> descriptors.put(SharedLogFormat.nameIn(key), payload);
                case SharedLogFormat.KIND_NODE_RECORD -> nodeRecords.put(SharedLogFormat.nameIn(key), payload);
                case SharedLogFormat.KIND_VOTE ->
                    groupOf(key)
                            .voted(new GroupLog.Vote(
                                    ByteBuffer.wrap(payload).getLong(),
                                    new String(
                                            payload, Long.BYTES, payload.length - Long.BYTES, StandardCharsets.UTF_8)));
                case SharedLogFormat.KIND_FIRST_INDEX ->
                    groupOf(key).startAt(ByteBuffer.wrap(payload).getLong());
                default -> throw damaged("key of unknown kind " + key[0]);
            }
        }

        /** Reads the entries of {@code group} and moves {@code records} behind the last one. */
        private void readEntries(RocksIterator records, GroupLog group) throws DamagedDataException {
            // seek directly to the first one: earlier ones are deleted, or left over from dropped files
            records.seek(SharedLogFormat.entryKey(group.number(), group.firstIndex()));
            while (records.isValid()) {
                byte[] key = records.key();
                if (SharedLogFormat.groupIn(key) != group.number()) {
                    return;
                }
                long index = SharedLogFormat.indexIn(key);
                if (index != group.lastIndex() + 1) {
                    throw damaged("gap in the log of group " + group.id() + ": entry " + index + " follows entry "
                            + group.lastIndex());
                }
                @Nullable LogEntry entry = decoder.decode(payload(key, records.value()));
                if (entry == null || entry.getId().getIndex() != index) {
                    throw damaged("entry " + index + " of group " + group.id() + " cannot be decoded");
                }
                group.appended(index, entry.getId().getTerm(), votersOf(entry));
                records.next();
            }
        }

        private GroupLog groupOf(byte[] key) throws DamagedDataException {
            @Nullable GroupLog group = byNumber.get(SharedLogFormat.groupIn(key));
            if (group == null) {
                throw damaged("record of group number " + SharedLogFormat.groupIn(key) + ", which is not registered");
            }
            return group;
        }

        private byte[] payload(byte[] key, byte[] value) throws DamagedDataException {
            byte @Nullable [] payload = SharedLogFormat.open(key, value);
            if (payload == null) {
                boolean isOfAGroup = key[0] >= SharedLogFormat.KIND_VOTE && SharedLogFormat.groupIn(key) >= 0;
                String what = "value of kind " + key[0]
                        + (isOfAGroup ? " of group number " + SharedLogFormat.groupIn(key) : "");
                int newer = SharedLogFormat.newerVersion(key, value);
                throw newer > 0
                        ? DamagedDataException.newer(
                                engine.directory(), what + " of version " + newer, SharedLogFormat.VERSION)
                        : damaged("checksum of the " + what + " does not match");
            }
            return payload;
        }

        private DamagedDataException damaged(String detail) {
            return new DamagedDataException(engine.directory(), detail);
        }
    }
}
