package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.admin.Messages.ActionKind;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "split", description = "Cuts a range in two.")
final class SplitCommand extends RangeCommand {
    @Option(
            names = "--at",
            paramLabel = "KEY",
            description = "the first key of the right part, in hexadecimal (default: where it halves the bytes)")
    private @Nullable String key;

    SplitCommand(Admin admin) {
        super(admin);
    }

    @Override
    void run(AdminClient client) throws AdminException {
        Messages.Range range = client.range(store(), rangeId());
        String at = key == null ? null : key.toLowerCase(Locale.ROOT);
        if (at != null) {
            checkInside(range, at);
        }
        carryOut(
                client,
                action(client, store(), ActionKind.SPLIT, range, at, ""),
                "range " + rangeId() + " of " + store() + " is cut in two");
    }

    private static void checkInside(Messages.Range range, String at) throws AdminException {
        try {
            HexFormat.of().parseHex(at);
        } catch (IllegalArgumentException e) {
            throw new AdminException(Kind.REFUSED, "--at must be in hexadecimal, was \"" + at + "\"", e);
        }
        String end = range.end();
        if (at.compareTo(range.start()) <= 0 || (end != null && at.compareTo(end) >= 0)) {
            throw new AdminException(
                    Kind.REFUSED,
                    "--at must lie inside the range, after \"" + range.start() + "\" and before "
                            + (end == null ? "the end" : "\"" + end + "\"") + ", was \"" + at + "\"");
        }
    }
}
