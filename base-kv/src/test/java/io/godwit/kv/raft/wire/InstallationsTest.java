package io.godwit.kv.raft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/** Which answers change while a replica installs a snapshot. */
class InstallationsTest {
    private static final long TERM = 7;

    private final ServedGroup group = group();
    private final Installations installations = new Installations();

    private static ServedGroup group() {
        return new ServedGroup("c:1", new NodeImpl(), () -> true, asked -> true);
    }

    @Test
    void installationIsUnderWayUntilTheLastRequestIsAnswered() {
        assertThat(installations.isUnderWay(group)).isFalse();
        installations.begin(group);
        installations.begin(group);
        installations.end(group);
        assertThat(installations.isUnderWay(group)).isTrue();
        assertThat(installations.isUnderWay(group())).isFalse();
        installations.end(group);
        assertThat(installations.isUnderWay(group)).isFalse();
    }

    @Test
    void replicaThatStopsHasNoInstallationHoweverItsRequestsEnd() {
        installations.begin(group);
        installations.forget(group);
        installations.end(group);
        assertThat(installations.isUnderWay(group)).isFalse();
    }

    @Test
    void probeIsAnsweredWithBusyWhateverJRaftSays() {
        for (boolean success : new boolean[] {true, false}) {
            AppendEntriesResponse answer =
                    (AppendEntriesResponse) Installations.answer(probe(), response(TERM, success));
            assertThat(answer.getErrorResponse().getErrorCode()).isEqualTo(RaftError.EBUSY.getNumber());
            assertThat(answer.hasLastLogIndex()).isFalse();
        }
    }

    @Test
    void heartbeatIsAnsweredWithSuccess() {
        AppendEntriesResponse answer = (AppendEntriesResponse) Installations.answer(heartbeat(), response(TERM, false));
        assertThat(answer.getSuccess()).isTrue();
        assertThat(answer.getTerm()).isEqualTo(TERM);
    }

    @Test
    void leaderOfAnOldTermAndErrorsAreAnsweredAsJRaftDoes() {
        AppendEntriesResponse newer = response(TERM + 1, false);
        AppendEntriesResponse error = response(TERM, false).toBuilder()
                .setErrorResponse(ErrorResponse.newBuilder().setErrorCode(RaftError.EINVAL.getNumber()))
                .build();
        for (AppendEntriesRequest request : new AppendEntriesRequest[] {probe(), heartbeat()}) {
            assertThat(Installations.answer(request, newer)).isSameAs(newer);
            assertThat(Installations.answer(request, error)).isSameAs(error);
        }
    }

    private static AppendEntriesRequest heartbeat() {
        return AppendEntriesRequest.newBuilder()
                .setGroupId("test-1")
                .setServerId("b:1")
                .setPeerId("c:1")
                .setTerm(TERM)
                .setPrevLogTerm(TERM)
                .setPrevLogIndex(12)
                .setCommittedIndex(12)
                .build();
    }

    private static AppendEntriesRequest probe() {
        return heartbeat().toBuilder().setData(ByteString.EMPTY).build();
    }

    private static AppendEntriesResponse response(long term, boolean success) {
        return AppendEntriesResponse.newBuilder()
                .setTerm(term)
                .setSuccess(success)
                .setLastLogIndex(3)
                .build();
    }
}
