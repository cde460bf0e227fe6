package io.godwit.broker.admin.api.client;

import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.http.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin who}. */
@Command(
        name = "who",
        description = {
            "Lists who would get a message of a topic if it came now: the first by client id. Of a shared subscription",
            "one of the members listed gets it."
        })
public final class WhoCommand extends ListCommand {
    @Parameters(paramLabel = "TOPIC", description = "as the broker matches it, behind rewriting rules")
    private String topic = "";

    @Option(names = "--tenant", paramLabel = "NAME", description = "whose topics (default: default)")
    private @Nullable String tenant;

    public WhoCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return ApiPath.of("/api/v1/subscriptions/matching").with("topic", topic).with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return SubscriptionsCommand.receivers();
    }
}
