package io.godwit.broker.admin;

import io.godwit.broker.admin.Messages.BalancerChange;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lists and changes the balancers of a store on some nodes, for the command and for the API. Calls block. */
final class BalancerActions {
    private final AdminClient client;
    private final String store;

    /**
     * What to do with a balancer.
     *
     * @param settings of {@code TUNE}
     * @param forSeconds of {@code PAUSE_FOR}; 0 otherwise
     */
    record Change(String balancer, BalancerChange kind, Map<String, String> settings, int forSeconds) {}

    /**
     * What came of it.
     *
     * @param missing why, by the nodes that did not answer: whether they have done it is not known
     */
    record Outcome(List<Messages.Balancers> answers, Map<String, AdminException> missing) {}

    BalancerActions(AdminClient client, String store) {
        this.client = client;
        this.store = store;
    }

    /** Those that are running. */
    static List<String> nodes(Messages.Nodes known) {
        return known.nodes().stream()
                .filter(each -> each.liveness() == Liveness.ALIVE)
                .map(Messages.Node::storeId)
                .toList();
    }

    /** @param change null only lists them */
    Outcome on(List<String> nodes, @Nullable Change change) throws AdminException {
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
