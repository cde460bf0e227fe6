package io.godwit.kv.raft;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import io.godwit.kv.raft.RaftNodes.Node;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls to a replica that has stopped or is stopping are answered with an error, soon, and throw nothing. */
class StoppedGroupTest {
    private static final int ROUNDS = 20;

    @TempDir
    Path directory;

    @Test
    void everyCallOfAStoppedGroupIsAnswered() throws Exception {
        try (RaftNodes nodes = new RaftNodes(directory)) {
            Node a = nodes.start("a", List.of("a"));
            RaftNodes.await(a::leads);
            RaftNodes.append(a, "one");
            JRaftGroup group = a.group();
            group.close();
            for (Map.Entry<String, Consumer<Closure>> call : calls(group).entrySet()) {
                Status answer = RaftNodes.told(call.getValue()).get(10, TimeUnit.SECONDS);
                assertThat(answer.isOk()).as(call.getKey()).isFalse();
            }
            assertThat(group.transferLeadershipTo("b").isOk()).isFalse();
            assertThat(group.resetVoters(List.of("b")).isOk()).isFalse();
            assertThat(group.isStopped()).isTrue();
            assertThat(group.isLeading()).isFalse();
            assertThat(group.isHandingOver()).isFalse();
            assertThat(group.lastLogIndex()).isBetween(0L, 3L);
            assertThat(group.leader()).isNotNull();
            assertThat(group.membership()).isNotNull();
            group.close();
        }
    }

    /** The same while it stops, on another thread. */
    @Test
    void everyCallOfAStoppingGroupIsAnswered() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            try (RaftNodes nodes = new RaftNodes(directory.resolve("" + round))) {
                Node a = nodes.start("a", List.of("a"));
                RaftNodes.await(a::leads);
                JRaftGroup group = a.group();
                Thread stopping = new Thread(group::close, "stopping");
                stopping.start();
                Map<String, CompletableFuture<Status>> asked = new LinkedHashMap<>();
                int calls = 0;
                while (stopping.isAlive() || calls < 20) {
                    for (Map.Entry<String, Consumer<Closure>> call :
                            calls(group).entrySet()) {
                        asked.put(call.getKey() + " " + ++calls, RaftNodes.told(call.getValue()));
                    }
                    group.transferLeadershipTo("b");
                    group.membership();
                    group.leader();
                    group.lastLogIndex();
                }
                stopping.join();
                for (Map.Entry<String, CompletableFuture<Status>> each : asked.entrySet()) {
                    assertThat(each.getValue())
                            .as("round %d: %s", round, each.getKey())
                            .succeedsWithin(10, TimeUnit.SECONDS);
                }
            }
        }
    }

    private static Map<String, Consumer<Closure>> calls(JRaftGroup group) {
        Map<String, Consumer<Closure>> calls = new LinkedHashMap<>();
        calls.put("append", done -> group.append(new byte[1], -1, done));
        calls.put("readIndex", done -> group.readIndex(done::run));
        calls.put("snapshot", group::snapshot);
        calls.put("addVoter", done -> group.addVoter("b", done));
        calls.put("removeVoter", done -> group.removeVoter("a", done));
        calls.put("addLearner", done -> group.addLearner("c", done));
        calls.put("removeLearner", done -> group.removeLearner("c", done));
        return calls;
    }
}
