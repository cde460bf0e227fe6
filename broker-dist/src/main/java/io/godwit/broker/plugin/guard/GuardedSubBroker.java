package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerBatch;
import io.godwit.plugin.sub.SubBrokerSubscription;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SubBroker of a plugin, behind {@link GuardedCalls}. A missing answer is a failed future. Thread-safe. */
final class GuardedSubBroker implements SubBroker {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedSubBroker.class);
    private static final int MAX_SUBSCRIPTIONS = 100;

    private final SubBroker subBroker;
    private final HostedPlugin plugin;
    private final GuardedCalls calls;
    private final List<SubBrokerSubscription> subscriptions;

    private GuardedSubBroker(
            SubBroker subBroker, HostedPlugin plugin, GuardedCalls calls, List<SubBrokerSubscription> subscriptions) {
        this.subBroker = subBroker;
        this.plugin = plugin;
        this.calls = calls;
        this.subscriptions = subscriptions;
    }

    /** Asks for the subscriptions. Blocks. */
    static GuardedSubBroker of(SubBroker subBroker, HostedPlugin plugin, GuardedCalls calls) throws IOException {
        List<SubBrokerSubscription> asked =
                plugin.bounded("subscriptions", plugin.limits().start(), () -> {
                    List<SubBrokerSubscription> all = List.copyOf(subBroker.subscriptions());
                    Set<String> names = new HashSet<>();
                    for (SubBrokerSubscription each : all) {
                        if (!names.add(each.name())) {
                            throw new IllegalArgumentException("two subscriptions have the name " + each.name());
                        }
                    }
                    if (all.size() > MAX_SUBSCRIPTIONS) {
                        throw new IllegalArgumentException(
                                all.size() + " subscriptions, more than " + MAX_SUBSCRIPTIONS);
                    }
                    return all;
                });
        return new GuardedSubBroker(subBroker, plugin, calls, asked);
    }

    @Override
    public List<SubBrokerSubscription> subscriptions() {
        return subscriptions;
    }

    @Override
    public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
        return calls.ask("deliver", plugin.calls(), () -> {
                    CompletableFuture<Void> answer = subBroker.deliver(batch);
                    return answer == null ? null : answer.thenApply(done -> true); // Void: null is the answer
                })
                .thenAccept(done -> {});
    }

    /** Blocks for a limited time. */
    @Override
    public void close() {
        try {
            plugin.bounded("close", plugin.limits().stop(), () -> {
                subBroker.close();
                return "";
            });
        } catch (IOException e) {
            LOG.warn("sub broker not closed cleanly plugin={}", plugin.name(), e);
        }
    }
}
