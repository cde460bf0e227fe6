package io.godwit.kv.operate;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.member.MemberWatch;
import io.godwit.kv.member.NotedFacts;
import io.godwit.kv.peers.ClusterLinks;
import io.godwit.kv.remote.NodeRpc.Question;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Has the members note what this node has noted of the cluster, when an operator has changed it: a change that one node
 * alone knows of is lost with that node. Reports would tell it too, but nobody confirms those. Any thread.
 */
public final class FactsTeller {
    private static final long TIMEOUT_MILLIS = 10_000;

    private final NotedFacts facts;
    private final String self;
    private final @Nullable ClusterLinks links;

    /** @param links null when this node is alone */
    public FactsTeller(NotedFacts facts, String self, @Nullable ClusterLinks links) {
        this.facts = facts;
        this.self = self;
        this.links = links;
    }

    /** Notes what others tell, from now on. */
    public void start(ClusterLinks cluster) {
        cluster.rpc().on(Question.NOTE_FACTS, (asker, content) -> {
            facts.takeOver(ClusterFacts.decode(content));
            return CompletableFuture.completedFuture(new byte[0]);
        });
    }

    public NotedFacts facts() {
        return facts;
    }

    /**
     * Tells all members that are there.
     *
     * @param done for the operator, when all have noted it
     * @return completes on any thread, never with a failure, within ten seconds; {@code DONE} also when some have not
     *     answered, which the detail then says: they hear of it by the next report
     */
    CompletableFuture<OperationResult> tellAll(String done) {
        ClusterLinks cluster = links;
        if (cluster == null) {
            return CompletableFuture.completedFuture(new OperationResult(ActionOutcome.DONE, done));
        }
        byte[] content = facts.now().encode();
        List<CompletableFuture<Optional<String>>> asked = new ArrayList<>();
        for (Map.Entry<String, MemberWatch.Seen> node : cluster.members().seen().entrySet()) {
            if (!node.getKey().equals(self) && node.getValue().liveness() == Liveness.ALIVE) {
                asked.add(cluster.rpc()
                        .ask(node.getKey(), Question.NOTE_FACTS, content, TIMEOUT_MILLIS)
                        .<Optional<String>>thenApply(answer -> Optional.empty())
                        .exceptionally(failure -> Optional.of(node.getKey())));
            }
        }
        cluster.exchange().changed();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenApply(all -> {
            List<String> missing = asked.stream()
                    .map(CompletableFuture::join) // has ended
                    .flatMap(Optional::stream)
                    .toList();
            return new OperationResult(
                    ActionOutcome.DONE,
                    missing.isEmpty()
                            ? done
                            : done + "; not confirmed by " + missing + ", told again with each report");
        });
    }
}
