package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.ActionKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "split", description = "Cuts a range in two.")
final class SplitCommand extends RangeCommand {
    @Option(
            names = "--at",
            paramLabel = "KEY",
            description =
                    "the first key of the right part, in hexadecimal or as \"ranges\" shows it (default: where it "
                            + "halves the bytes)")
    private @Nullable String key;

    SplitCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        String at = key == null ? null : hex(key);
        Messages.Range range = client.range(store(), rangeId());
        if (at != null) {
            checkInside(range, at);
        }
        carryOut(
                client,
                action(client, store(), ActionKind.SPLIT, range, at, ""),
                "range " + rangeId() + " of " + store() + " is cut in two");
    }

    private static String hex(String key) throws AdminException {
        try {
            return Text.hex(key);
        } catch (IllegalArgumentException e) {
            throw new AdminException(
                    Kind.USAGE,
                    "--at must be a key in hexadecimal, or as \"ranges\" shows it, was \"" + key + "\": "
                            + e.getMessage(),
                    e);
        }
    }

    private static void checkInside(Messages.Range range, String at) throws AdminException {
        String end = range.end();
        if (at.compareTo(range.start()) <= 0 || (end != null && at.compareTo(end) >= 0)) {
            throw new AdminException(
                    Kind.REFUSED,
                    "--at must lie inside the range, after \"" + Text.key(range.start()) + "\" and before "
                            + (end == null ? "the end" : "\"" + Text.key(end) + "\"") + ", was \"" + Text.key(at)
                            + "\"");
        }
    }
}
