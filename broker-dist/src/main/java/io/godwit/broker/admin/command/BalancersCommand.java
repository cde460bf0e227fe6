package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.BalancerActions;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.Messages;
import io.godwit.broker.admin.rpc.Messages.BalancerChange;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import io.godwit.broker.admin.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists and changes balancers, on all nodes or on a given one. */
@Command(
        name = "balancers",
        description = {
            "Lists the balancers of a store, or changes one, on every node that answers or on one.",
            "A pause lasts until --resume, over restarts too. Changed settings last until the node stops; the",
            "configuration says how it starts."
        })
public final class BalancersCommand extends NodeCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    @Option(names = "--pause", paramLabel = "NAME", description = "pause this balancer")
    private @Nullable String paused;

    @Option(
            names = "--for",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "with --pause: only so long, or until its node stops")
    private int forSeconds;

    @Option(names = "--resume", paramLabel = "NAME", description = "let it work again")
    private @Nullable String resumed;

    @Option(names = "--tune", paramLabel = "NAME", description = "change those of its settings that --set names")
    private @Nullable String tuned;

    @Option(names = "--set", paramLabel = "SETTING=VALUE", description = "with --tune; may be given several times")
    private Map<String, String> settings = Map.of();

    @Option(names = "--node", paramLabel = "NODE", description = "only there (default: on every node)")
    private @Nullable String node;

    public BalancersCommand(NodeInvocation admin) {
        super(admin);
    }

    /** The answers of the nodes, for JSON. */
    private record Answers(List<Messages.Balancers> nodes) {}

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Nodes known = client.nodes();
        NodeNames names = known.names();
        String only = node;
        List<String> nodes = only != null ? List.of(names.resolve(only)) : BalancerActions.nodes(known);
        BalancerActions.Outcome outcome = new BalancerActions(client, store).on(nodes, change());
        answer(new Answers(outcome.answers()), () -> print(outcome.answers(), names));
        if (!outcome.missing().isEmpty()) {
            Map.Entry<String, AdminException> each =
                    outcome.missing().entrySet().iterator().next();
            AdminException why = each.getValue();
            throw new AdminException(why.kind(), "node " + names.shortOf(each.getKey()) + ": " + why.getMessage(), why);
        }
    }

    private BalancerActions.@Nullable Change change() throws AdminException {
        List<BalancerActions.Change> asked = new ArrayList<>();
        add(asked, paused, forSeconds == 0 ? BalancerChange.PAUSE : BalancerChange.PAUSE_FOR);
        add(asked, resumed, BalancerChange.RESUME);
        add(asked, tuned, BalancerChange.TUNE);
        if (asked.size() > 1) {
            throw new AdminException(Kind.REFUSED, "one of --pause, --resume and --tune at a time");
        }
        if ((tuned != null) == settings.isEmpty()) {
            throw new AdminException(Kind.REFUSED, "--tune and --set go together");
        }
        if (forSeconds != 0 && paused == null) {
            throw new AdminException(Kind.REFUSED, "--for goes together with --pause");
        }
        return asked.isEmpty() ? null : asked.get(0);
    }

    private void add(List<BalancerActions.Change> asked, @Nullable String balancer, BalancerChange kind) {
        if (balancer != null) {
            asked.add(new BalancerActions.Change(balancer, kind, settings, forSeconds));
        }
    }

    private void print(List<Messages.Balancers> answers, NodeNames names) {
        Table table = new Table("NODE", "BALANCER", "STATE", "DONE", "REFUSED", "FAILED", "LAST ACTION", "SETTINGS");
        for (Messages.Balancers answer : answers) {
            for (Messages.Balancer balancer : answer.balancers()) {
                String state = !balancer.isPaused()
                        ? "active"
                        : balancer.pausedSeconds() == 0 ? "paused" : "paused, " + balancer.pausedSeconds() + " s left";
                table.add(
                        names.shortOf(answer.node()),
                        balancer.name(),
                        balancer.fault().isEmpty() ? state : state + ", " + balancer.fault(),
                        balancer.done(),
                        balancer.refused(),
                        balancer.failed(),
                        balancer.lastAction(),
                        settingsOf(balancer));
            }
        }
        table.print(admin().out());
    }

    private static String settingsOf(Messages.Balancer balancer) {
        return balancer.settings().entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(" "));
    }
}
