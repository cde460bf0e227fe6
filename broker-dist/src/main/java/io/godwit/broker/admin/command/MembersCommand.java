package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.Text;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.broker.admin.terminal.Table;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

/** {@code godwit-admin members}. */
@Command(name = "members", description = "Lists the nodes of the cluster, those that are gone included.")
public final class MembersCommand extends NodeCommand {
    private static final Logger LOG = LoggerFactory.getLogger(MembersCommand.class);

    public MembersCommand(NodeInvocation admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Nodes known = client.nodes();
        List<Messages.Node> nodes = new ArrayList<>();
        for (Messages.Node node : known.nodes()) {
            nodes.add(
                    node.liveness() == Liveness.ALIVE
                            ? node.withPaused(pausedOn(client, known.stores(), node.storeId()))
                            : node);
        }
        Messages.Nodes all =
                new Messages.Nodes(known.clusterId(), known.self(), known.stores(), nodes, known.wantedVoters());
        answer(all, () -> print(all));
    }

    /** The paused balancers of a node; those of a node that does not answer are left out. */
    private static List<String> pausedOn(AdminClient client, List<String> stores, String node) {
        List<String> paused = new ArrayList<>();
        for (String store : stores) {
            try {
                client.call(AdminMethods.BALANCERS, new Messages.OfBalancers(store, node)).balancers().stream()
                        .filter(Messages.Balancer::isPaused)
                        .forEach(balancer -> paused.add(store + " " + balancer.name()));
            } catch (AdminException e) {
                LOG.debug("balancers not known node={} store={}", node, store, e);
                if (e.kind() == Kind.UNREACHABLE) {
                    return paused; // the other stores would only wait for it again
                }
            }
        }
        return paused;
    }

    private static String remark(Messages.Nodes known, Messages.Node node) {
        List<String> remarks = new ArrayList<>();
        if (node.storeId().equals(known.self())) {
            remarks.add("asked");
        }
        if (node.isDraining()) {
            remarks.add("draining");
        }
        if (node.isForgotten()) {
            remarks.add("forgotten");
        }
        if (!node.pausedBalancers().isEmpty()) {
            remarks.add("paused: " + String.join(", ", node.pausedBalancers()));
        }
        return String.join("; ", remarks);
    }

    private void print(Messages.Nodes known) {
        NodeNames names = known.names();
        Table table = new Table(
                "NODE", "RPC", "STATE", "ZONE", "VERSION", "LEADERS", "REPLICAS", "CPU", "DISK FREE", "REMARK");
        for (Messages.Node node : known.nodes()) {
            table.add(
                    names.shortOf(node.storeId()),
                    node.rpc(),
                    Messages.nameOf(node.liveness()),
                    node.zone(),
                    node.version(),
                    node.leaders(),
                    node.replicas(),
                    Text.percent(node.cpuLoad()),
                    Text.bytes(node.diskFreeBytes()),
                    remark(known, node));
        }
        table.print(admin().out());
        Map<String, Integer> wanted = known.wantedVoters();
        if (wanted != null && !wanted.isEmpty()) {
            admin().out()
                    .println("voters wanted of each range: "
                            + new TreeMap<>(wanted)
                                    .entrySet().stream()
                                            .map(store -> store.getKey() + " " + store.getValue())
                                            .collect(Collectors.joining(", ")));
        }
    }
}
