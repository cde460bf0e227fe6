package io.godwit.broker.clients;

import io.godwit.api.port.Answer;
import io.godwit.api.port.SubscriptionAdmin;
import io.godwit.broker.clients.AllNodes.Answers;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Whom a topic goes to on all nodes, for the API: as {@link SubscriptionAdmin} says. Each node tells of the sessions in
 * its memory; of the stored ones every node knows all, so this one tells.
 */
final class ReceiversOverNodes implements SubscriptionAdmin {
    private final AllNodes nodes;

    ReceiversOverNodes(AllNodes nodes) {
        this.nodes = nodes;
    }

    @Override
    public CompletableFuture<Answer<Receivers>> receivers(String tenant, String topic, int limit, Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return refused("a list has 1 to " + MAX_LIMIT + " receivers, was " + limit);
        }
        if (!TopicName.isValid(topic) || topic.getBytes(StandardCharsets.UTF_8).length > TopicName.MAX_BYTES) {
            return refused("a topic has 1 to " + TopicName.MAX_BYTES + " bytes and no wildcard");
        }
        TenantId of = ClientWords.tenant(tenant).orElse(null);
        return of == null
                ? CompletableFuture.completedFuture(Answer.complete(new Receivers(List.of(), 0)))
                : nodes.ask(within, node -> node.receivers(of, topic, limit, within))
                        .thenApply(answers -> merged(answers, limit));
    }

    private static <T> CompletableFuture<T> refused(String why) {
        return CompletableFuture.failedFuture(new IllegalArgumentException(why));
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
