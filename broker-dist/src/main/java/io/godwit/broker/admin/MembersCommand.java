package io.godwit.broker.admin;

import picocli.CommandLine.Command;

@Command(name = "members", description = "Lists the nodes of the cluster, those that are gone included.")
final class MembersCommand extends NodeCommand {
    MembersCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Nodes known = client.nodes();
        answer(known, () -> print(known));
    }

    private void print(Messages.Nodes known) {
        NodeNames names = new NodeNames(known);
        Table table = new Table(
                "NODE", "RPC", "STATE", "ZONE", "VERSION", "LEADERS", "REPLICAS", "CPU", "DISK FREE", "REMARK");
        for (Messages.Node node : known.nodes()) {
            String remark = node.storeId().equals(known.self()) ? "asked" : "";
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
                    node.isDraining() ? (remark + " draining").strip() : remark);
        }
        table.print(admin().out());
    }
}
