package io.godwit.broker.admin.api.client;

import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.ListCommand;
import io.godwit.broker.admin.http.ApiPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin groups}. */
@Command(name = "groups", description = "Lists shared groups, or the members of one.")
public final class GroupsCommand extends ListCommand {
    @Parameters(paramLabel = "SHARED_FILTER", arity = "0..1", description = "members of this, as $share/group/filter")
    private @Nullable String sharedFilter;

    @Option(names = "--group", paramLabel = "NAME", description = "only groups of this name")
    private @Nullable String group;

    @Option(names = "--filter", paramLabel = "FILTER", description = "only groups on exactly this filter")
    private @Nullable String filter;

    @Option(names = "--tenant", paramLabel = "NAME", description = "of this tenant (default: default)")
    private @Nullable String tenant;

    public GroupsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected ApiPath path() {
        return sharedFilter == null
                ? ApiPath.of("/api/v1/groups")
                        .with("group", group)
                        .with("filter", filter)
                        .with("tenant", tenant)
                : ApiPath.of("/api/v1/groups")
                        .part(sharedFilter)
                        .then("/members")
                        .with("tenant", tenant);
    }

    @Override
    protected Columns columns() {
        return sharedFilter != null
                ? SubscriptionsCommand.receivers()
                : new Columns()
                        .with("SHARED FILTER", "sharedFilter")
                        .with("SHARING", "sharing")
                        .with("LIVE", "live")
                        .with("STORED", "stored");
    }
}
