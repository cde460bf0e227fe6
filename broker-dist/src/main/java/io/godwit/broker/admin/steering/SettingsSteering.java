package io.godwit.broker.admin.steering;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.cluster.SettingsAdmin;
import io.godwit.broker.admin.action.BalancerActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.NodeFacts;
import io.godwit.broker.admin.terminal.AdminException;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The configurations and plugins of all nodes, for the API; each node sends its own. */
public final class SettingsSteering implements SettingsAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsSteering.class);

    private final OperatorCalls calls;

    public SettingsSteering(OperatorCalls calls) {
        this.calls = calls;
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<NodeSettings>>> configuration(Duration within) {
        return ofAll(
                within,
                AdminMethods.CONFIGURATION,
                each -> new NodeSettings(
                        each.node(),
                        each.settings().stream().map(SettingsSteering::setting).toList()));
    }

    private static Setting setting(NodeFacts.Setting each) {
        String origin = each.origin();
        Source source = origin.isEmpty()
                ? Source.DEFAULT
                : origin.startsWith("environment")
                        ? Source.ENVIRONMENT
                        : origin.startsWith("line") ? Source.FILE : Source.PROPERTY;
        return new Setting(each.key(), each.value(), source, origin, each.reloads());
    }

    @Override
    public CompletableFuture<ClusterAnswer<List<PluginView>>> plugins(Duration within) {
        return ofAll(
                        within,
                        AdminMethods.PLUGINS,
                        each -> each.plugins().stream()
                                .map(plugin -> new PluginView(
                                        each.node(),
                                        plugin.name(),
                                        plugin.jars(),
                                        plugin.version(),
                                        plugin.uses().stream()
                                                .map(SettingsSteering::use)
                                                .toList()))
                                .toList())
                .thenApply(answer -> new ClusterAnswer<>(
                        answer.value().stream().flatMap(List::stream).toList(), answer.missingNodes()));
    }

    private static Use use(NodeFacts.Use use) {
        return new Use(
                use.kind(),
                use.name(),
                Objects.requireNonNullElse(use.health(), "unknown"),
                Objects.requireNonNullElse(use.detail(), ""),
                use.isInline() ? "broker" : "plugin",
                use.calls(),
                use.millis(),
                use.faults(),
                Objects.requireNonNullElse(use.lastFault(), ""),
                Objects.requireNonNullElse(use.circuit(), "closed"));
    }

    /**
     * Asks the running nodes one after the other. Nodes that do not answer, or whose release lacks the method, count as
     * missing.
     */
    private <A, T> CompletableFuture<ClusterAnswer<List<T>>> ofAll(
            Duration within, MethodDescriptor<Messages.OfNode, A> method, Function<A, T> view) {
        return calls.ask(within, limited -> {
            List<T> views = new ArrayList<>();
            List<String> missing = new ArrayList<>();
            List<String> nodes = BalancerActions.nodes(limited.nodes());
            for (int i = 0; i < nodes.size(); i++) {
                String node = nodes.get(i);
                try {
                    AdminClient one = limited.share(nodes.size() - i);
                    views.add(view.apply(one.call(method, new Messages.OfNode(node))));
                } catch (AdminException e) {
                    LOG.debug("node does not tell of itself node={}", node, e);
                    missing.add(node);
                }
            }
            return new ClusterAnswer<>(views, missing);
        });
    }
}
