package io.godwit.kv.remote;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.remote.NodeReport.NodeStatus;
import io.godwit.kv.remote.ReplicaReport.Leading;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encodes {@link NodeReport}s.
 *
 * <pre>
 * byte version = 1 | utf store id | long incarnation | long revision
 * | boolean draining | int cores | double cpu | long disk total | long disk free
 * | int stores, each: utf name | int replicas, each:
 *   long id | long epoch | bytes start | boolean hasEnd [bytes end] | texts voters | texts learners | utf leader
 *       | long last index | long created epoch
 *   | utf fault | boolean replaceable | boolean leads [long term | long fence | long size | long measured millis
 *       | double rate | double peak | long nanos
 *   | boolean hasHint [bytes key | double share] | utf change | long stable millis]
 * | bytes facts of the cluster ({@link ClusterFacts}); an earlier release ends before them, and reads no further
 * </pre>
 */
public final class NodeReports {
    private static final int VERSION = 1;
    private static final int MAX_COUNT = 1 << 20;
    private static final int MAX_FAULT_CHARS = 1_000;

    private NodeReports() {}

    public static byte[] encode(NodeReport report) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(report.storeId());
            out.writeLong(report.incarnation());
            out.writeLong(report.revision());
            out.writeBoolean(report.status().isDraining());
            out.writeInt(report.status().cores());
            out.writeDouble(report.status().cpuLoad());
            out.writeLong(report.status().diskTotalBytes());
            out.writeLong(report.status().diskFreeBytes());
            out.writeInt(report.replicas().size());
            for (Map.Entry<String, List<ReplicaReport>> store :
                    report.replicas().entrySet()) {
                out.writeUTF(store.getKey());
                out.writeInt(store.getValue().size());
                for (ReplicaReport replica : store.getValue()) {
                    write(out, replica);
                }
            }
            writeBytes(out, report.facts().encode());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws IOException if it is not a report of this version */
    public static NodeReport decode(byte[] encoded) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("report of version " + version + ", expected " + VERSION);
            }
            String storeId = in.readUTF();
            long incarnation = in.readLong();
            long revision = in.readLong();
            NodeStatus status =
                    new NodeStatus(in.readBoolean(), in.readInt(), in.readDouble(), in.readLong(), in.readLong());
            Map<String, List<ReplicaReport>> stores = new HashMap<>();
            int count = count(in);
            for (int i = 0; i < count; i++) {
                String name = in.readUTF();
                int replicas = count(in);
                List<ReplicaReport> reports = new ArrayList<>();
                for (int j = 0; j < replicas; j++) {
                    reports.add(replica(in));
                }
                stores.put(name, reports);
            }
            ClusterFacts facts = in.available() == 0 ? ClusterFacts.NONE : ClusterFacts.decode(readBytes(in));
            return new NodeReport(storeId, incarnation, revision, status, stores, facts);
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException("report: " + e.getMessage(), e);
        }
    }

    private static void write(DataOutputStream out, ReplicaReport replica) throws IOException {
        out.writeLong(replica.rangeId());
        out.writeLong(replica.epoch());
        writeBytes(out, replica.bounds().start());
        byte @Nullable [] end = replica.bounds().end();
        out.writeBoolean(end != null);
        if (end != null) {
            writeBytes(out, end);
        }
        writeTexts(out, replica.voters());
        writeTexts(out, replica.learners());
        out.writeUTF(replica.leader());
        out.writeLong(replica.lastIndex());
        out.writeLong(replica.createdEpoch());
        out.writeUTF(shortened(replica.fault()));
        out.writeBoolean(replica.isReplaceable());
        out.writeBoolean(replica.leading().isPresent());
        if (replica.leading().isPresent()) {
            write(out, replica.leading().get());
        }
    }

    /** Limits the length, because exception messages may be of any length. */
    private static String shortened(String fault) {
        return fault.length() <= MAX_FAULT_CHARS ? fault : fault.substring(0, MAX_FAULT_CHARS) + "...";
    }

    private static void write(DataOutputStream out, Leading leading) throws IOException {
        out.writeLong(leading.term());
        out.writeLong(leading.fence());
        out.writeLong(leading.sizeBytes());
        out.writeLong(leading.load().measuredFor().toMillis());
        out.writeDouble(leading.load().operationsPerSecond());
        out.writeDouble(leading.load().peakOperationsPerSecond());
        out.writeLong(leading.load().operationNanos());
        out.writeBoolean(leading.hint().isPresent());
        if (leading.hint().isPresent()) {
            writeBytes(out, leading.hint().get().key().bytes());
            out.writeDouble(leading.hint().get().shareBelow());
        }
        out.writeUTF(leading.change());
        out.writeLong(leading.stableMillis());
    }

    private static ReplicaReport replica(DataInputStream in) throws IOException {
        long rangeId = in.readLong();
        long epoch = in.readLong();
        byte[] start = readBytes(in);
        byte @Nullable [] end = in.readBoolean() ? readBytes(in) : null;
        return new ReplicaReport(
                rangeId,
                epoch,
                new RangeBounds(start, end),
                texts(in),
                texts(in),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                in.readUTF(),
                in.readBoolean(),
                in.readBoolean() ? Optional.of(leading(in)) : Optional.empty());
    }

    private static Leading leading(DataInputStream in) throws IOException {
        long term = in.readLong();
        long fence = in.readLong();
        long sizeBytes = in.readLong();
        RangeLoad load =
                new RangeLoad(Duration.ofMillis(in.readLong()), in.readDouble(), in.readDouble(), in.readLong());
        Optional<SplitHint> hint = in.readBoolean()
                ? Optional.of(new SplitHint(Key.of(readBytes(in)), in.readDouble()))
                : Optional.empty();
        return new Leading(term, fence, sizeBytes, load, hint, in.readUTF(), in.readLong());
    }

    private static void writeTexts(DataOutputStream out, Collection<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            out.writeUTF(text);
        }
    }

    private static List<String> texts(DataInputStream in) throws IOException {
        int count = count(in);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(in.readUTF());
        }
        return texts;
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = count(in);
        if (length > in.available()) {
            throw new IOException("key of " + length + " bytes, " + in.available() + " left");
        }
        return in.readNBytes(length);
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_COUNT) {
            throw new IOException("count of " + count);
        }
        return count;
    }
}
