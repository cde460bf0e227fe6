package io.godwit.kv.protocol.legacy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.godwit.kv.wire.FactsMessage;
import io.godwit.kv.wire.HintMessage;
import io.godwit.kv.wire.LeadingMessage;
import io.godwit.kv.wire.ReplicaMessage;
import io.godwit.kv.wire.ReportMessage;
import io.godwit.kv.wire.StatusMessage;
import io.godwit.kv.wire.StoreReport;
import io.godwit.kv.wire.VotersMessage;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Reports of nodes, and the facts of the cluster.
 *
 * <pre>
 * report   byte version = 1 | utf store id | long incarnation | long revision
 *          | boolean draining | int cores | double cpu | long disk total | long disk free
 *          | int stores, each: utf name | int replicas, each:
 *            long id | long epoch | bytes start | boolean hasEnd [bytes end] | texts voters | texts learners
 *                | utf leader | long last index | long created epoch
 *            | utf fault | boolean replaceable | boolean leads [long term | long fence | long size
 *                | long measured millis | double rate | double peak | long nanos
 *            | boolean hasHint [bytes key | double share] | utf change | long stable millis]
 *          | bytes facts; earlier builds end before them, and read no further
 * facts    byte version = 1 | int stores, each: utf name | long revision | int count | int highest
 *          | texts forgotten
 * </pre>
 */
final class LegacyReports {
    private LegacyReports() {}

    static void write(DataOutputStream out, ReportMessage report) throws IOException {
        out.writeByte(LegacyBytes.VERSION);
        out.writeUTF(report.getStoreId());
        out.writeLong(report.getIncarnation());
        out.writeLong(report.getRevision());
        StatusMessage status = report.getStatus();
        out.writeBoolean(status.getIsDraining());
        out.writeInt(status.getCores());
        out.writeDouble(status.getCpuLoad());
        out.writeLong(status.getDiskTotalBytes());
        out.writeLong(status.getDiskFreeBytes());
        out.writeInt(report.getStoresCount());
        for (StoreReport store : report.getStoresList()) {
            out.writeUTF(store.getStore());
            out.writeInt(store.getReplicasCount());
            for (ReplicaMessage replica : store.getReplicasList()) {
                write(out, replica);
            }
        }
        byte[] facts = LegacyBytes.write(256, bytes -> write(bytes, report.getFacts()));
        LegacyBytes.bytes(out, UnsafeByteOperations.unsafeWrap(facts));
    }

    static ReportMessage report(DataInputStream in) throws IOException {
        LegacyBytes.version(in, "report");
        ReportMessage.Builder report = ReportMessage.newBuilder()
                .setStoreId(in.readUTF())
                .setIncarnation(in.readLong())
                .setRevision(in.readLong())
                .setStatus(StatusMessage.newBuilder()
                        .setIsDraining(in.readBoolean())
                        .setCores(in.readInt())
                        .setCpuLoad(in.readDouble())
                        .setDiskTotalBytes(in.readLong())
                        .setDiskFreeBytes(in.readLong()));
        for (int stores = LegacyBytes.count(in); stores > 0; stores--) {
            StoreReport.Builder store = StoreReport.newBuilder().setStore(in.readUTF());
            for (int replicas = LegacyBytes.count(in); replicas > 0; replicas--) {
                store.addReplicas(replica(in));
            }
            report.addStores(store);
        }
        if (in.available() > 0) {
            ByteString facts = LegacyBytes.bytes(in);
            report.setFacts(LegacyBytes.read(facts.toByteArray(), LegacyReports::facts));
        }
        return report.build();
    }

    private static void write(DataOutputStream out, ReplicaMessage replica) throws IOException {
        out.writeLong(replica.getRangeId());
        out.writeLong(replica.getEpoch());
        LegacyBytes.bytes(out, replica.getStart());
        LegacyBytes.optional(out, replica.hasEnd(), replica.getEnd());
        LegacyBytes.texts(out, replica.getVotersList());
        LegacyBytes.texts(out, replica.getLearnersList());
        out.writeUTF(replica.getLeader());
        out.writeLong(replica.getLastIndex());
        out.writeLong(replica.getCreatedEpoch());
        out.writeUTF(replica.getFault());
        out.writeBoolean(replica.getIsReplaceable());
        out.writeBoolean(replica.hasLeading());
        if (replica.hasLeading()) {
            write(out, replica.getLeading());
        }
    }

    private static ReplicaMessage replica(DataInputStream in) throws IOException {
        ReplicaMessage.Builder replica = ReplicaMessage.newBuilder()
                .setRangeId(in.readLong())
                .setEpoch(in.readLong())
                .setStart(LegacyBytes.bytes(in));
        if (in.readBoolean()) {
            replica.setEnd(LegacyBytes.bytes(in));
        }
        replica.addAllVoters(LegacyBytes.texts(in))
                .addAllLearners(LegacyBytes.texts(in))
                .setLeader(in.readUTF())
                .setLastIndex(in.readLong())
                .setCreatedEpoch(in.readLong())
                .setFault(in.readUTF())
                .setIsReplaceable(in.readBoolean());
        if (in.readBoolean()) {
            replica.setLeading(leading(in));
        }
        return replica.build();
    }

    private static void write(DataOutputStream out, LeadingMessage leading) throws IOException {
        out.writeLong(leading.getTerm());
        out.writeLong(leading.getFence());
        out.writeLong(leading.getSizeBytes());
        out.writeLong(leading.getMeasuredMillis());
        out.writeDouble(leading.getOperationsPerSecond());
        out.writeDouble(leading.getPeakOperationsPerSecond());
        out.writeLong(leading.getOperationNanos());
        out.writeBoolean(leading.hasHint());
        if (leading.hasHint()) {
            LegacyBytes.bytes(out, leading.getHint().getKey());
            out.writeDouble(leading.getHint().getShareBelow());
        }
        out.writeUTF(leading.getChange());
        out.writeLong(leading.getStableMillis());
    }

    private static LeadingMessage leading(DataInputStream in) throws IOException {
        LeadingMessage.Builder leading = LeadingMessage.newBuilder()
                .setTerm(in.readLong())
                .setFence(in.readLong())
                .setSizeBytes(in.readLong())
                .setMeasuredMillis(in.readLong())
                .setOperationsPerSecond(in.readDouble())
                .setPeakOperationsPerSecond(in.readDouble())
                .setOperationNanos(in.readLong());
        if (in.readBoolean()) {
            leading.setHint(
                    HintMessage.newBuilder().setKey(LegacyBytes.bytes(in)).setShareBelow(in.readDouble()));
        }
        return leading.setChange(in.readUTF()).setStableMillis(in.readLong()).build();
    }

    static void write(DataOutputStream out, FactsMessage facts) throws IOException {
        out.writeByte(LegacyBytes.VERSION);
        out.writeInt(facts.getVotersCount());
        for (VotersMessage voters : facts.getVotersList()) {
            out.writeUTF(voters.getStore());
            out.writeLong(voters.getRevision());
            out.writeInt(voters.getCount());
            out.writeInt(voters.getHighest());
        }
        LegacyBytes.texts(out, facts.getForgottenList());
    }

    static FactsMessage facts(DataInputStream in) throws IOException {
        LegacyBytes.version(in, "facts of the cluster");
        FactsMessage.Builder facts = FactsMessage.newBuilder();
        for (int stores = LegacyBytes.count(in); stores > 0; stores--) {
            facts.addVoters(VotersMessage.newBuilder()
                    .setStore(in.readUTF())
                    .setRevision(in.readLong())
                    .setCount(in.readInt())
                    .setHighest(in.readInt()));
        }
        return facts.addAllForgotten(LegacyBytes.texts(in)).build();
    }
}
