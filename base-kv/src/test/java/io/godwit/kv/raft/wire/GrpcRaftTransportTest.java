package io.godwit.kv.raft.wire;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class GrpcRaftTransportTest {
    @Test
    void anErrorOfARoundEndsNoRepetition() {
        Runnable round = GrpcRaftTransport.guarded(() -> {
            throw new StackOverflowError();
        });
        assertThatCode(round::run).doesNotThrowAnyException();
    }
}
