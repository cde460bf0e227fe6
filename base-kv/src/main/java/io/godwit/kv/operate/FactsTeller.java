package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.facts.FactsCodec;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.member.NotedFacts;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.remote.NodeRpc;
import io.godwit.kv.wire.FactsMessage;
import io.godwit.kv.wire.NodeAnswer.OutcomeCase;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes all members store the facts of the cluster after an operator has changed them: a change that only one node
 * knows is lost with that node. Reports carry the facts too, but are not confirmed. Any thread.
 */
public final class FactsTeller {
    private static final long TIMEOUT_MILLIS = 10_000;

    private final NotedFacts facts;
    private final String self;
    private final @Nullable ClusterLinks links;

    /** @param links null if this node is not in a cluster */
    public FactsTeller(NotedFacts facts, String self, @Nullable ClusterLinks links) {
        this.facts = facts;
        this.self = self;
        this.links = links;
    }

    /** Begins to accept facts from other nodes. */
    public void start(ClusterLinks cluster) {
        cluster.rpc().on(QuestionCase.NOTE_FACTS, question -> {
            facts.takeOver(FactsCodec.facts(question.getNoteFacts()));
            return CompletableFuture.completedFuture(NodeRpc.DONE);
        });
    }

    public NotedFacts facts() {
        return facts;
    }

    /**
     * Sends the facts to all live members.
     *
     * @param done text for the operator when all have stored them
     * @return completes on any thread within ten seconds, never with a failure. {@code DONE} even if some members have
     *     not answered; the detail then names them, and they get the facts with the next report
     */
    CompletableFuture<OperationResult> tellAll(String done) {
        ClusterLinks cluster = links;
        if (cluster == null) {
            return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.DONE, done));
        }
        FactsMessage message = FactsCodec.message(facts.now());
        List<CompletableFuture<Optional<String>>> asked = new ArrayList<>();
        for (Map.Entry<String, MemberWatch.Seen> node : cluster.members().seen().entrySet()) {
            if (!node.getKey().equals(self) && node.getValue().liveness() == Liveness.ALIVE) {
                asked.add(cluster.rpc()
                        .ask(
                                node.getKey(),
                                NodeQuestion.newBuilder().setNoteFacts(message),
                                OutcomeCase.DONE,
                                TIMEOUT_MILLIS)
                        .<Optional<String>>thenApply(answer -> Optional.empty())
                        .exceptionally(failure -> Optional.of(node.getKey())));
            }
        }
        cluster.exchange().changed();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            List<String> missing = asked.stream()
                    .map(CompletableFuture::join) // completed already
                    .flatMap(Optional::stream)
                    .toList();
            return new OperationResult(
                    ActionOutcome.DONE,
                    missing.isEmpty() ? done : done + "; not confirmed by " + missing + ", which will be told again");
        });
    }
}
