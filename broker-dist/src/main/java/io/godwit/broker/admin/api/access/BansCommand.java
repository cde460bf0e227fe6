package io.godwit.broker.admin.api.access;

import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.http.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin bans}. */
@Command(name = "bans", description = "Lists who is kept out by ban.")
public final class BansCommand extends ListCommand {
    @Option(names = "--kind", paramLabel = "KIND", description = "only client, user or address")
    private @Nullable String kind;

    @Option(
            names = "--automatic",
            arity = "0..1",
            paramLabel = "BOOLEAN",
            fallbackValue = "true",
            description = "only those that nodes have made by themselves; =false: only those of operators")
    private @Nullable Boolean automatic;

    @Option(names = "--tenant", paramLabel = "NAME", description = "only those of this tenant")
    private @Nullable String tenant;

    public BansCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of("/api/v1/bans")
                .with("kind", kind)
                .with("automatic", automatic)
                .with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return new Columns()
                .with("ID", "id")
                .with("KIND", "kind")
                .with("SUBJECT", "subject")
                .with("TENANT", "tenant")
                .with("UNTIL", "untilMillis")
                .with("BY", "by")
                .with("AUTOMATIC", "automatic")
                .with("NODE", "node")
                .with("REASON", "reason");
    }
}
