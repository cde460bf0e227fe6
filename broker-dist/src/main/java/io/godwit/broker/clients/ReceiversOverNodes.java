package io.godwit.broker.clients;

import io.godwit.api.port.Answer;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.broker.clients.AllNodes.Answers;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Whom a topic goes to on all nodes, and who has a filter, for the API: as {@link SubscriptionAdmin} says. Each node
 * tells of the sessions in its memory; of the stored ones every node knows all, so this one tells.
 */
final class ReceiversOverNodes implements SubscriptionAdmin {
    private final AllNodes nodes;

    ReceiversOverNodes(AllNodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public CompletableFuture<Answer<Receivers>> receivers(String tenant, String topic, int limit, Duration within) {
        return ask(tenant, of -> TopicQuestion.ofTopic(of, topic), limit, within);
    }

    @Override
    public CompletableFuture<Answer<Receivers>> subscribers(String tenant, String filter, int limit, Duration within) {
        return ask(tenant, of -> TopicQuestion.ofFilter(of, filter), limit, within);
    }

    private CompletableFuture<Answer<Receivers>> ask(
            String tenant, Function<TenantId, TopicQuestion> asking, int limit, Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a list has 1 to " + MAX_LIMIT + " receivers, was " + limit));
        }
        try {
            return ClientWords.tenant(tenant)
                    .map(asking)
                    .map(question -> nodes.ask(within, node -> node.receivers(question, limit, within))
                            .thenApply(answers -> merged(answers, limit)))
                    .orElseGet(() -> CompletableFuture.completedFuture(Answer.complete(new Receivers(List.of(), 0))));
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Answer<Receivers> merged(Answers<NodeReceivers> answers, int limit) {
        List<Receiver> all = new ArrayList<>();
        long[] total = {0};
        answers.answers().forEach((node, of) -> {
            total[0] += of.liveTotal();
            of.live().forEach(each -> all.add(new Receiver(each.clientId(), node, false, each.qos(), each.group())));
            if (node.equals(nodes.self())) {
                total[0] += of.storedTotal();
                of.stored().forEach(each -> all.add(new Receiver(each.clientId(), "", true, each.qos(), each.group())));
            }
        });
        all.sort(Comparator.comparing(Receiver::clientId)
                .thenComparing(Receiver::node)
                .thenComparing(Receiver::sharedFilter));
        List<Receiver> first = all.subList(0, Math.min(limit, all.size()));
        return new Answer<>(
                new Receivers(first, total[0]), List.copyOf(answers.missing().keySet()));
    }
}
