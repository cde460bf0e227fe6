package io.godwit.broker.admin.action;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.Messages.BalancerChange;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lists and changes the balancers of a store on some nodes, for the command and the API. Calls block. */
public final class BalancerActions {
    private final AdminClient client;
    private final String store;

    /**
     * A change of one balancer.
     *
     * @param settings for {@code TUNE}
     * @param forSeconds for {@code PAUSE_FOR}; otherwise 0
     */
    public record Change(String balancer, BalancerChange kind, Map<String, String> settings, int forSeconds) {}

    /**
     * The result.
     *
     * @param missing the errors of the nodes that did not answer; whether these have made the change is unknown
     */
    public record Outcome(List<Messages.Balancers> answers, Map<String, AdminException> missing) {}

    public BalancerActions(AdminClient client, String store) {
        this.client = client;
        this.store = store;
    }

    /** The ids of the running nodes. */
    public static List<String> nodes(Messages.Nodes known) {
        return known.nodes().stream()
                .filter(each -> each.liveness() == Liveness.ALIVE)
                .map(Messages.Node::storeId)
                .toList();
    }

    /** @param change null to only list the balancers */
    public Outcome on(List<String> nodes, @Nullable Change change) throws AdminException {
        List<Messages.Balancers> answers = new ArrayList<>();
        Map<String, AdminException> missing = new TreeMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            String node = nodes.get(i);
            AdminClient one = client.share(nodes.size() - i);
            try {
                if (change != null) {
                    one.call(
                            AdminMethods.CHANGE_BALANCER,
                            new Messages.ChangeBalancer(
                                    store,
                                    node,
                                    change.balancer(),
                                    change.kind(),
                                    change.settings(),
                                    change.forSeconds()));
                }
                answers.add(one.call(AdminMethods.BALANCERS, new Messages.OfBalancers(store, node)));
            } catch (AdminException e) {
                if (e.kind() != Kind.UNREACHABLE) {
                    throw e;
                }
                missing.put(node, e);
            }
        }
        return new Outcome(answers, missing);
    }
}
