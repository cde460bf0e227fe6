package io.godwit.kv.protocol.legacy;

import io.godwit.kv.wire.ActionEnd;
import io.godwit.kv.wire.ActionRequest;
import io.godwit.kv.wire.ActionResult;
import io.godwit.kv.wire.LeaderAction;
import io.godwit.kv.wire.MergeAction;
import io.godwit.kv.wire.ReplicaAction;
import io.godwit.kv.wire.ReplicaStep;
import io.godwit.kv.wire.SplitAction;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Balance actions and their results.
 *
 * <pre>
 * request  utf store | long millis left | byte kind | long range id | long epoch | utf reason
 *   1 split    boolean hasKey [bytes key]
 *   2 merge    long right id | long right epoch
 *   3 replica  utf step | utf store id
 *   4 leader   utf store id
 * result   utf outcome | utf detail
 * </pre>
 */
final class LegacyActions {
    /** Steps and outcomes are texts here: the names of the enums without these. */
    private static final String STEP = "REPLICA_STEP_";

    private static final String OUTCOME = "ACTION_END_";

    private LegacyActions() {}

    static void write(DataOutputStream out, ActionRequest request) throws IOException {
        out.writeUTF(request.getStore());
        out.writeLong(request.getMillisLeft());
        out.writeByte(kindOf(request));
        out.writeLong(request.getRangeId());
        out.writeLong(request.getEpoch());
        out.writeUTF(request.getReason());
        switch (request.getActionCase()) {
            case SPLIT ->
                LegacyBytes.optional(
                        out, request.getSplit().hasKey(), request.getSplit().getKey());
            case MERGE -> {
                out.writeLong(request.getMerge().getRightId());
                out.writeLong(request.getMerge().getRightEpoch());
            }
            case REPLICA -> {
                out.writeUTF(text(request.getReplica().getStep(), STEP));
                out.writeUTF(request.getReplica().getStoreId());
            }
            case LEADER -> out.writeUTF(request.getLeader().getStoreId());
            case ACTION_NOT_SET -> {}
        }
    }

    private static int kindOf(ActionRequest request) {
        return switch (request.getActionCase()) {
            case SPLIT -> 1;
            case MERGE -> 2;
            case REPLICA -> 3;
            case LEADER -> 4;
            case ACTION_NOT_SET -> 0;
        };
    }

    static ActionRequest request(DataInputStream in) throws IOException {
        ActionRequest.Builder request =
                ActionRequest.newBuilder().setStore(in.readUTF()).setMillisLeft(in.readLong());
        int kind = in.readByte();
        request.setRangeId(in.readLong()).setEpoch(in.readLong()).setReason(in.readUTF());
        switch (kind) {
            case 1 ->
                request.setSplit(
                        in.readBoolean()
                                ? SplitAction.newBuilder().setKey(LegacyBytes.bytes(in))
                                : SplitAction.newBuilder());
            case 2 ->
                request.setMerge(
                        MergeAction.newBuilder().setRightId(in.readLong()).setRightEpoch(in.readLong()));
            case 3 ->
                request.setReplica(
                        ReplicaAction.newBuilder().setStep(step(in.readUTF())).setStoreId(in.readUTF()));
            case 4 -> request.setLeader(LeaderAction.newBuilder().setStoreId(in.readUTF()));
            default -> throw new IOException("action of kind " + kind);
        }
        return request.build();
    }

    static void write(DataOutputStream out, ActionResult result) throws IOException {
        out.writeUTF(text(result.getOutcome(), OUTCOME));
        out.writeUTF(result.getDetail());
    }

    static ActionResult result(DataInputStream in) throws IOException {
        return ActionResult.newBuilder()
                .setOutcome(outcome(in.readUTF()))
                .setDetail(in.readUTF())
                .build();
    }

    private static String text(Enum<?> value, String prefix) {
        return value.name().replace(prefix, "");
    }

    private static ReplicaStep step(String text) throws IOException {
        for (ReplicaStep step : ReplicaStep.values()) {
            if (step != ReplicaStep.UNRECOGNIZED && text(step, STEP).equals(text)) {
                return step;
            }
        }
        throw new IOException("step " + text);
    }

    private static ActionEnd outcome(String text) throws IOException {
        for (ActionEnd outcome : ActionEnd.values()) {
            if (outcome != ActionEnd.UNRECOGNIZED && text(outcome, OUTCOME).equals(text)) {
                return outcome;
            }
        }
        throw new IOException("outcome " + text);
    }
}
