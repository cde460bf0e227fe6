package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.ActionKind;
import java.util.List;
import picocli.CommandLine.Command;

@Command(name = "merge", description = "Joins a range with the one to its right; both must have the same voters.")
final class MergeCommand extends RangeCommand {
    MergeCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        List<Messages.Range> ranges = client.rangesByKey(store());
        Messages.Range left = client.range(store(), rangeId());
        Messages.Range right = ranges.stream()
                .filter(range -> range.start().equals(left.end()))
                .findFirst()
                .orElseThrow(() -> new AdminException(
                        Kind.REFUSED,
                        "range " + rangeId() + " is the last one of " + store() + ": nothing to its right"));
        carryOut(
                client,
                new Messages.Action(
                        store(),
                        ActionKind.MERGE,
                        left.id(),
                        left.epoch(),
                        null,
                        right.id(),
                        right.epoch(),
                        "",
                        client.timeout().toMillis()),
                "range " + right.id() + " of " + store() + " is joined to range " + left.id());
    }
}
