package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.BalancerChange;
import io.godwit.plugin.balance.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists and changes balancers, on all nodes unless one is named. */
@Command(
        name = "balancers",
        description = {
            "Lists the balancers of a store, or changes one, on every node that answers or on one.",
            "A pause lasts until --resume, over restarts too. Changed settings last until the node stops; the",
            "configuration says how it starts."
        })
final class BalancersCommand extends NodeCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    @Option(names = "--pause", paramLabel = "NAME", description = "ask this balancer no more")
    private @Nullable String paused;

    @Option(names = "--resume", paramLabel = "NAME", description = "ask it again")
    private @Nullable String resumed;

    @Option(names = "--tune", paramLabel = "NAME", description = "change settings of it, which --set names")
    private @Nullable String tuned;

    @Option(names = "--set", paramLabel = "SETTING=VALUE", description = "with --tune; may be given several times")
    private Map<String, String> settings = Map.of();

    @Option(names = "--node", paramLabel = "NODE", description = "only there (default: on every node)")
    private @Nullable String node;

    BalancersCommand(Admin admin) {
        super(admin);
    }

    /** What was answered, by node. */
    private record Answers(List<Messages.Balancers> nodes) {}

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Nodes known = client.nodes();
        NodeNames names = new NodeNames(known);
        String only = node;
        List<String> nodes = only != null
                ? List.of(names.resolve(only))
                : known.nodes().stream()
                        .filter(each -> each.liveness() == Liveness.ALIVE)
                        .map(Messages.Node::storeId)
                        .toList();
        Change change = change();
        List<Messages.Balancers> answers = new ArrayList<>();
        for (String each : nodes) {
            if (change != null) {
                client.call(
                        AdminMethods.CHANGE_BALANCER,
                        new Messages.ChangeBalancer(store, each, change.balancer(), change.kind(), settings));
            }
            answers.add(client.call(AdminMethods.BALANCERS, new Messages.OfBalancers(store, each)));
        }
        answer(new Answers(answers), () -> print(answers, names));
    }

    private record Change(String balancer, BalancerChange kind) {}

    private @Nullable Change change() throws AdminException {
        List<Change> asked = new ArrayList<>();
        add(asked, paused, BalancerChange.PAUSE);
        add(asked, resumed, BalancerChange.RESUME);
        add(asked, tuned, BalancerChange.TUNE);
        if (asked.size() > 1) {
            throw new AdminException(Kind.REFUSED, "one of --pause, --resume and --tune at a time");
        }
        if ((tuned != null) == settings.isEmpty()) {
            throw new AdminException(Kind.REFUSED, "--tune and --set go together");
        }
        return asked.isEmpty() ? null : asked.get(0);
    }

    private static void add(List<Change> asked, @Nullable String balancer, BalancerChange kind) {
        if (balancer != null) {
            asked.add(new Change(balancer, kind));
        }
    }

    private void print(List<Messages.Balancers> answers, NodeNames names) {
        Table table = new Table("NODE", "BALANCER", "STATE", "DONE", "REFUSED", "FAILED", "LAST ACTION", "SETTINGS");
        for (Messages.Balancers answer : answers) {
            for (Messages.Balancer balancer : answer.balancers()) {
                String state = balancer.isPaused() ? "paused" : "active";
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
