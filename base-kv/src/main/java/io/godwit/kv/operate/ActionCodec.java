package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.protocol.WireBytes;
import io.godwit.kv.wire.ActionEnd;
import io.godwit.kv.wire.ActionRequest;
import io.godwit.kv.wire.ActionResult;
import io.godwit.kv.wire.LeaderAction;
import io.godwit.kv.wire.MergeAction;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.ReplicaAction;
import io.godwit.kv.wire.ReplicaStep;
import io.godwit.kv.wire.SplitAction;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import java.io.IOException;
import java.util.Optional;

/** Balance actions and their results as questions to other nodes, and their answers. */
final class ActionCodec {
    private ActionCodec() {}

    /** @param millisLeft how long the asker still waits */
    record Request(String store, long millisLeft, BalanceAction action) {}

    static NodeQuestion.Builder question(Request request) {
        return NodeQuestion.newBuilder().setCarryOut(message(request));
    }

    static ActionRequest message(Request request) {
        BalanceAction action = request.action();
        ActionRequest.Builder out = ActionRequest.newBuilder()
                .setStore(request.store())
                .setMillisLeft(request.millisLeft())
                .setRangeId(action.rangeId())
                .setEpoch(action.epoch())
                .setReason(action.reason());
        if (action instanceof Split split) {
            SplitAction.Builder cut = SplitAction.newBuilder();
            split.key().ifPresent(key -> cut.setKey(WireBytes.wrap(key.bytes())));
            out.setSplit(cut);
        } else if (action instanceof Merge merge) {
            out.setMerge(MergeAction.newBuilder().setRightId(merge.rightId()).setRightEpoch(merge.rightEpoch()));
        } else if (action instanceof ChangeReplica change) {
            out.setReplica(
                    ReplicaAction.newBuilder().setStep(stepOf(change.step())).setStoreId(change.store()));
        } else if (action instanceof MoveLeader move) {
            out.setLeader(LeaderAction.newBuilder().setStoreId(move.to()));
        } else {
            throw new IllegalArgumentException("action " + action);
        }
        return out.build();
    }

    private static ReplicaStep stepOf(ChangeReplica.Step step) {
        return switch (step) {
            case ADD_LEARNER -> ReplicaStep.REPLICA_STEP_ADD_LEARNER;
            case PROMOTE -> ReplicaStep.REPLICA_STEP_PROMOTE;
            case DEMOTE -> ReplicaStep.REPLICA_STEP_DEMOTE;
            case REMOVE -> ReplicaStep.REPLICA_STEP_REMOVE;
        };
    }

    /** @throws IOException if the kind of action is unknown or a value is invalid */
    static Request request(ActionRequest in) throws IOException {
        try {
            return new Request(in.getStore(), in.getMillisLeft(), action(in));
        } catch (IllegalArgumentException e) { // thrown by the records
            throw new IOException(e.getMessage(), e);
        }
    }

    private static BalanceAction action(ActionRequest in) throws IOException {
        return switch (in.getActionCase()) {
            case SPLIT -> new Split(in.getRangeId(), in.getEpoch(), keyOf(in.getSplit()), in.getReason());
            case MERGE ->
                new Merge(
                        in.getRangeId(),
                        in.getEpoch(),
                        in.getMerge().getRightId(),
                        in.getMerge().getRightEpoch(),
                        in.getReason());
            case REPLICA ->
                new ChangeReplica(
                        in.getRangeId(),
                        in.getEpoch(),
                        stepOf(in.getReplica()),
                        in.getReplica().getStoreId(),
                        in.getReason());
            case LEADER ->
                new MoveLeader(in.getRangeId(), in.getEpoch(), in.getLeader().getStoreId(), in.getReason());
            case ACTION_NOT_SET -> throw new IOException("no action, or one of a later release");
        };
    }

    private static Optional<Key> keyOf(SplitAction split) {
        return split.hasKey() ? Optional.of(Key.of(split.getKey().toByteArray())) : Optional.empty();
    }

    private static ChangeReplica.Step stepOf(ReplicaAction change) throws IOException {
        return switch (change.getStep()) {
            case REPLICA_STEP_ADD_LEARNER -> ChangeReplica.Step.ADD_LEARNER;
            case REPLICA_STEP_PROMOTE -> ChangeReplica.Step.PROMOTE;
            case REPLICA_STEP_DEMOTE -> ChangeReplica.Step.DEMOTE;
            case REPLICA_STEP_REMOVE -> ChangeReplica.Step.REMOVE;
            case REPLICA_STEP_UNSPECIFIED, UNRECOGNIZED ->
                throw new IOException("step " + change.getStepValue() + " of a replica");
        };
    }

    static NodeAnswer answer(OperationResult result) {
        return NodeAnswer.newBuilder().setResult(message(result)).build();
    }

    static ActionResult message(OperationResult result) {
        ActionEnd outcome = switch (result.outcome()) {
            case DONE -> ActionEnd.ACTION_END_DONE;
            case STALE -> ActionEnd.ACTION_END_STALE;
            case REFUSED -> ActionEnd.ACTION_END_REFUSED;
            case FAILED -> ActionEnd.ACTION_END_FAILED;
        };
        return ActionResult.newBuilder()
                .setOutcome(outcome)
                .setDetail(result.detail())
                .build();
    }

    /** @throws IOException if the outcome is unknown */
    static OperationResult result(ActionResult in) throws IOException {
        ActionOutcome outcome = switch (in.getOutcome()) {
            case ACTION_END_DONE -> ActionOutcome.DONE;
            case ACTION_END_STALE -> ActionOutcome.STALE;
            case ACTION_END_REFUSED -> ActionOutcome.REFUSED;
            case ACTION_END_FAILED -> ActionOutcome.FAILED;
            case ACTION_END_UNSPECIFIED, UNRECOGNIZED ->
                throw new IOException("result of outcome " + in.getOutcomeValue());
        };
        return new OperationResult(outcome, in.getDetail());
    }
}
