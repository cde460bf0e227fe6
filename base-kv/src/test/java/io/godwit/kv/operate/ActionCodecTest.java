package io.godwit.kv.operate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.wire.ActionRequest;
import io.godwit.kv.wire.ActionResult;
import io.godwit.kv.wire.LeaderAction;
import io.godwit.kv.wire.MergeAction;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ActionCodecTest {
    @Test
    void actionsComeBackAsTheyWere() throws Exception {
        List<BalanceAction> actions = new ArrayList<>(List.of(
                new Split(7, 9, Optional.of(Key.of("k".getBytes(UTF_8))), "why"),
                new Split(7, 9, Optional.empty(), "why"),
                new Merge(7, 9, 8, 10, "why"),
                new MoveLeader(7, 9, "b", "why")));
        for (ChangeReplica.Step step : ChangeReplica.Step.values()) {
            actions.add(new ChangeReplica(7, 9, step, "b", "why"));
        }
        for (BalanceAction action : actions) {
            ActionCodec.Request request = new ActionCodec.Request("inbox", 900, action);
            byte[] sent = ActionCodec.question(request).build().toByteArray();
            assertThat(ActionCodec.request(NodeQuestion.parseFrom(sent).getCarryOut()))
                    .isEqualTo(request);
        }
    }

    @ParameterizedTest
    @EnumSource(ActionOutcome.class)
    void resultsComeBackAsTheyWere(ActionOutcome outcome) throws Exception {
        OperationResult result = new OperationResult(outcome, "detail");
        assertThat(ActionCodec.result(ActionCodec.answer(result).getResult())).isEqualTo(result);
    }

    @Test
    void whatIsMissingInvalidOrOfALaterReleaseIsRefused() {
        refused(ActionRequest.newBuilder(), "no action, or one of a later release");
        refused(
                ActionRequest.newBuilder().setSplit(SplitAction.newBuilder().setKey(ByteString.EMPTY)),
                "cannot be cut at the empty key");
        refused(ActionRequest.newBuilder().setMerge(MergeAction.getDefaultInstance()), "merged with itself");
        refused(ActionRequest.newBuilder().setLeader(LeaderAction.getDefaultInstance()), "no store for the leader");
        refused(ActionRequest.newBuilder().setReplica(ReplicaAction.newBuilder().setStoreId("b")), "step 0");
        refused(ActionRequest.newBuilder().setReplica(ReplicaAction.newBuilder().setStepValue(99)), "step 99");
        refused(
                ActionRequest.newBuilder()
                        .setReplica(ReplicaAction.newBuilder().setStep(ReplicaStep.REPLICA_STEP_PROMOTE)),
                "PROMOTE names no store");
        for (int value : new int[] {0, 99}) {
            ActionResult later =
                    ActionResult.newBuilder().setOutcomeValue(value).build();
            assertThatThrownBy(() -> ActionCodec.result(later))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("outcome " + value);
        }
    }

    @Test
    void damagedActionsAreRefusedWithAnIoExceptionOnly() {
        ChangeReplica change = new ChangeReplica(7, 9, ChangeReplica.Step.REMOVE, "b", "why");
        byte[] whole = ActionCodec.message(new ActionCodec.Request("inbox", 900, change))
                .toByteArray();
        Random random = new Random(7);
        for (int round = 0; round < 5_000; round++) {
            byte[] changed = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
            for (int changes = random.nextInt(4); changes > 0 && changed.length > 0; changes--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                ActionCodec.request(ActionRequest.parseFrom(changed));
            } catch (IOException e) { // the only exception
                assertThat(e.getMessage()).isNotEmpty();
            }
        }
    }

    private static void refused(ActionRequest.Builder request, String why) {
        assertThatThrownBy(() -> ActionCodec.request(request.build()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(why);
    }
}
